import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import { type PickOptions, type PictureType, pictureTypeNames, pictureTypes } from '../../../features/content/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { mediaTypes } from '../media.ts'

const MAX_SEED_LENGTH = 1024
const MAX_COUNT = 50

export interface RandomQuery {
  readonly count?: number | undefined
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
  readonly format?: string | undefined
}

const typeListRule = `a comma-separated list of ${pictureTypeNames.join(', ')}`
const typeList = (description: string) =>
  Type.String({
    description: `${description} Comma-separated list of ${pictureTypeNames.join(', ')}, or of media types.`,
    examples: ['gif,webp', 'image/webp'],
    rule: typeListRule,
  })

const seed = (other: OtherFormat) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_SEED_LENGTH,
    description: `Makes the choice repeatable while the content stays the same.${
      other === 'image'
        ? ' It is not the seed in `/media/animals/{kind}/~{seed}.{type}`, which determines what is drawn.'
        : ''
    }`,
  })
const count = (other: OtherFormat) =>
  Type.Integer({
    minimum: 1,
    maximum: MAX_COUNT,
    description: `Number of items. \`message\` is an array, even with \`count=1\`. Items repeat only if there are not enough. ${
      other === 'image' ? 'Cannot be combined with `format=image`.' : 'With `format=text`, each line is one item.'
    }`,
  })
const format = (...formats: string[]) =>
  Type.Enum(formats, { description: 'Overrides the `Accept` header. If neither is sent, the reply is JSON.' })

const types = typeList('Picture types to choose from.')
const exclude = typeList('Picture types to exclude.')

/** What a category can be sent as besides JSON. */
type OtherFormat = 'image' | 'text'

export const v1Query = (other: OtherFormat) => ({ seed: seed(other), format: format('json', other) })
export const v2Query = (other: OtherFormat) => ({
  count: count(other),
  seed: seed(other),
  format: format('json', other),
  ...(other === 'image' ? { type: types, exclude } : undefined),
})

export function parseOptions({ seed, type, exclude }: RandomQuery): PickOptions {
  return { seed, types: parseTypes('type', type), exclude: parseTypes('exclude', exclude) }
}

function parseTypes(parameter: string, text: string | undefined): PictureType[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map((part) => {
    // In a query, an unescaped `+` means a space: image/svg+xml arrives as `image/svg xml`.
    const name = part.trim().toLowerCase().replace(/^jpg$/, 'jpeg').replace(' ', '+')
    const found = pictureTypeNames.find((type) => name === type || name === pictureTypes[type].mime)
    if (!found) throw new InvalidParameter(parameter, typeListRule, { allowed: pictureTypeNames })
    return found
  })
}

const JSON_TYPE = 'application/json'

/** One URL for programs and people: JSON by default, or what an `<img>` or a text reader prefers. */
export function chooseFormat(ctx: RequestContext<unknown, RandomQuery>, other: OtherFormat): 'json' | OtherFormat {
  const { format } = ctx.query
  if (format !== undefined) return format as 'json' | OtherFormat
  const accept = ctx.request.headers.accept
  if (accept === undefined || accept === '*/*') return 'json'
  const chosen = negotiate<string>(accept, [JSON_TYPE, ...(other === 'image' ? mediaTypes : ['text/plain'])])
  return chosen === undefined || chosen === JSON_TYPE ? 'json' : other
}

/** The picture types that `Accept` allows. Undefined: all. */
export function acceptedPictureTypes(accept: string | undefined): string[] | undefined {
  const accepted = pictureTypeNames.filter((name) => negotiate(accept, [pictureTypes[name].mime]) !== undefined)
  return accepted.length === pictureTypeNames.length ? undefined : accepted
}
