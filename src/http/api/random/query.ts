import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import type { Category, Orientation, PickOptions, PictureType } from '../../../features/content/index.ts'
import { createSearchEffort, orientations, pictureTypeNames, pictureTypes } from '../../../features/content/index.ts'
import { negotiate } from '../../kernel/input.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { mediaTypes } from '../item-replies.ts'

const MAX_SEED_LENGTH = 1024
const MAX_COUNT = 50
const MAX_TAGS = 20
const MAX_AVOIDED = 50
const MAX_ID_LENGTH = 201

export interface RandomQuery {
  readonly count?: number | undefined
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
  readonly format?: string | undefined
  readonly tags?: string | undefined
  readonly orientation?: Orientation | undefined
  readonly avoid?: string | undefined
}

const typeName = `(${[...pictureTypeNames, ...mediaTypes.map((type) => type.replace('+', '\\+'))].join('|')})`
const typeListRule = `a comma-separated list of ${pictureTypeNames.join(', ')}`
const typeList = (description: string) =>
  Type.String({
    description: `${description} Comma-separated list of ${pictureTypeNames.join(', ')}, or of media types.`,
    pattern: `^${typeName}(,${typeName})*$`,
    examples: ['gif,webp', 'image/webp'],
    // `parseTypes` is more lenient: spaces, capital letters and `jpg` are allowed.
    readAs: 'text',
  })

type Format = 'json' | 'image' | 'text' | 'redirect'

const FORMATS: Readonly<Record<Category, readonly Format[]>> = {
  animals: ['json', 'image', 'text', 'redirect'],
  string: ['json', 'text'],
  kaomoji: ['json', 'text'],
  'yt-video': ['json', 'text', 'redirect'],
}
export const formatsOf = (category: Category) => FORMATS[category]

const FORMAT_TEXTS: Readonly<Record<Format, string>> = {
  json: 'JSON (default)',
  image: 'the picture',
  text: 'each item as one line of text; for pictures and videos its URL',
  redirect: 'a redirect (302) to the URL of the item',
}

const seed = (category: Category) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_SEED_LENGTH,
    description: `Makes the choice repeatable while the content stays the same.${
      category === 'animals'
        ? ' It is not the seed in `/media/animals/{kind}/~{seed}.{type}`, which determines what is drawn.'
        : ''
    }`,
  })
const count = (category: Category) =>
  Type.Integer({
    minimum: 1,
    maximum: MAX_COUNT,
    description: `Number of items. \`message\` is an array, even with \`count=1\`. Items repeat only if there are not enough.${
      category === 'animals' || category === 'yt-video' ? ` Only with ${LIST_FORMATS}.` : ''
    }`,
  })
const LIST_FORMATS = '`format=json` or `format=text`'
const format = (category: Category) => {
  const formats = FORMATS[category]
  const texts = formats.map((name) => `\`${name}\`: ${FORMAT_TEXTS[name]}`)
  return Type.Enum([...formats], { description: `Overrides the \`Accept\` header. ${texts.join('. ')}.` })
}

const tagName = '-?[a-z0-9][a-z0-9-]{0,49}'
const tagsRule = `1 to ${MAX_TAGS} tags of a-z, 0-9 and -, separated by commas; - before a tag excludes it`
const tags = Type.String({
  description: `Tags that a picture must have, and tags with a \`-\` before them that it must not have. Comma-separated, at most ${MAX_TAGS}.`,
  pattern: `^${tagName}(,${tagName}){0,${MAX_TAGS - 1}}$`,
  examples: ['snow,-crown'],
  readAs: 'text',
})
const orientation = Type.Enum([...orientations], { description: 'Shape of the picture. Drawings are square.' })
const avoidRule = `up to ${MAX_AVOIDED} ids of items, separated by commas`
const avoid = Type.String({
  description: `Ids of items that must not be picked (\`item.id\`), such as the last ones shown. Comma-separated, at most ${MAX_AVOIDED}.`,
  rule: avoidRule,
})

const types = typeList('Picture types to choose from.')
const exclude = typeList('Picture types to exclude.')

export const v1Query = (category: Category) => ({ seed: seed(category), format: format(category) })
export const v2Query = (category: Category) => ({
  count: count(category),
  ...v1Query(category),
  avoid,
  ...(category === 'animals' ? { type: types, exclude, tags, orientation } : undefined),
})

export const parseOptions = ({ seed, type, exclude, tags, orientation, avoid }: RandomQuery) => ({
  seed,
  types: parseTypes('type', type),
  exclude: parseTypes('exclude', exclude),
  tags: parseTags(tags),
  orientation,
  avoid: parseIds(avoid),
  effort: createSearchEffort(),
})

/** An empty list is ignored: programs join lists that may be empty. */
const split = (text: string | undefined) => (text?.trim() ? text.split(',').map((part) => part.trim()) : undefined)

const TAG = new RegExp(`^${tagName}$`)

function parseTags(text: string | undefined): PickOptions['tags'] {
  const parts = split(text)?.map((part) => part.toLowerCase())
  if (!parts) return undefined
  if (parts.length > MAX_TAGS || !parts.every((part) => TAG.test(part))) throw new InvalidParameter('tags', tagsRule)
  const wanted = parts.filter((part) => !part.startsWith('-'))
  const unwanted = parts.filter((part) => part.startsWith('-')).map((part) => part.slice(1))
  if (wanted.some((tag) => unwanted.includes(tag)))
    throw new InvalidParameter('tags', 'a list in which no tag is both wanted and excluded')
  return { wanted, unwanted }
}

function parseIds(text: string | undefined): PickOptions['avoid'] {
  const ids = split(text)
  if (!ids) return undefined
  if (ids.length > MAX_AVOIDED || !ids.every((id) => id.length > 0 && id.length <= MAX_ID_LENGTH))
    throw new InvalidParameter('avoid', avoidRule)
  return new Set(ids)
}

function parseTypes(parameter: string, text: string | undefined): PictureType[] | undefined {
  return split(text)?.map((part) => {
    // In a query, an unescaped `+` means a space: image/svg+xml arrives as `image/svg xml`.
    const name = part.toLowerCase().replace(/^jpg$/, 'jpeg').replace(' ', '+')
    const found = pictureTypeNames.find((type) => name === type || name === pictureTypes[type].mime)
    if (!found) throw new InvalidParameter(parameter, typeListRule, { allowed: pictureTypeNames })
    return found
  })
}

const JSON_TYPE = 'application/json'

/** One URL for programs and people: JSON by default, or what an `<img>` or a text reader prefers. */
export function chooseFormat(ctx: RequestContext<unknown, RandomQuery>, category: Category): Format {
  const { format } = ctx.query
  if (format !== undefined) return format as Format
  const accept = ctx.request.headers.accept
  if (accept === undefined || accept === '*/*') return 'json'
  const isPicture = category === 'animals'
  const chosen = negotiate<string>(accept, [JSON_TYPE, ...(isPicture ? mediaTypes : ['text/plain'])])
  return chosen === undefined || chosen === JSON_TYPE ? 'json' : isPicture ? 'image' : 'text'
}

/** The picture types that `Accept` allows. Undefined: all. */
export function acceptedPictureTypes(accept: string | undefined): string[] | undefined {
  const accepted = pictureTypeNames.filter((name) => negotiate(accept, [pictureTypes[name].mime]) !== undefined)
  return accepted.length === pictureTypeNames.length ? undefined : accepted
}
