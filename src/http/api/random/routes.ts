import Type, { type TSchema } from 'typebox'
import { Busy, NothingMatches, UnknownKind } from '../../../errors/index.ts'
import { ANY_KIND, type Category, type Content } from '../../../features/content/index.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { CurrentEnum, SuccessReply, Text } from '../../kernel/schemas.ts'
import type { Item } from '../item-replies.ts'
import { EXAMPLE_PICTURE, isList, mediaTypes, PictureItem, writeItem, writeMessage } from '../item-replies.ts'
import { createRandomHandler, type Presenter } from './endpoint.ts'
import { formatsOf, type RandomQuery, v1Query, v2Query } from './query.ts'

const kindOfItem = Text('Kind of content, such as cat.')

const TextItem = Type.Object(
  { id: Text('The first 12 digits of the SHA-256 of the text.'), kind: kindOfItem },
  { component: 'TextItem' },
)

const VideoItem = Type.Object(
  { id: Text('Id on YouTube.'), kind: kindOfItem, title: Type.String() },
  { component: 'VideoItem' },
)

interface Group {
  readonly category: Category
  /** The path segment of each version. v1 has no videos. */
  readonly v1?: string
  readonly v2: string
  readonly summary: string
  readonly item: TSchema
}

const GROUPS: readonly Group[] = [
  { category: 'animals', v1: 'animals', v2: 'animal', summary: 'Random animal picture', item: PictureItem },
  { category: 'string', v1: 'string', v2: 'string', summary: 'Random text', item: TextItem },
  { category: 'kaomoji', v1: 'kaomoji', v2: 'kaomoji', summary: 'Random kaomoji', item: TextItem },
  { category: 'yt-video', v2: 'yt-video', summary: 'Random YouTube video', item: VideoItem },
]

const V1_PATH = '/api/v1'
const V2_PATH = '/api/v2/random'

const categories = new Map<string, Category>(
  GROUPS.flatMap(({ category, v1, v2 }) => [
    [`${V1_PATH}/${v1}/:kind`, category],
    [`${V2_PATH}/${v2}/:kind`, category],
  ]),
)

/** The category of the items of a route; undefined for other routes. */
export const categoryOfRoute = (path: string): Category | undefined => categories.get(path)

const MESSAGE: Readonly<Record<Category, string>> = {
  animals: 'Absolute URL of the picture.',
  string: 'The text.',
  kaomoji: 'The kaomoji.',
  'yt-video': 'URL of the video.',
}

interface Example {
  readonly message: string
  readonly item: { readonly id: string; readonly kind: string; readonly [field: string]: unknown }
}

const EXAMPLES: Readonly<Record<Category, Example>> = {
  animals: EXAMPLE_PICTURE,
  string: { message: 'Half of me says yes, the other half is asleep.', item: { id: '3e8e52aa43d6', kind: '8ball' } },
  kaomoji: { message: '(=^･ｪ･^=)', item: { id: '2d1791845ce9', kind: 'cat' } },
  'yt-video': {
    message: 'https://www.youtube.com/watch?v=J---aiyznGQ',
    item: { id: 'J---aiyznGQ', kind: 'hl-cats', title: 'Keyboard Cat' },
  },
}

/** The operator may have other kinds than the starter content. */
function chooseExample(content: Content, category: Category): Example {
  const { message, item } = EXAMPLES[category]
  const kinds = content.kinds(category)
  return { message, item: { ...item, kind: kinds.includes(item.kind) ? item.kind : (kinds[0] ?? item.kind) } }
}

export const buildRandomRoutes = (content: Content): Route[] => [
  ...GROUPS.map((group) => buildV2Route(content, group)),
  ...GROUPS.flatMap((group) => (group.v1 ? [buildV1Route(content, group, group.v1)] : [])),
]

/** v1: flat replies with one item. */
const v1: Presenter = {
  acceptsAny: false,
  includesSize: false,
  writeJson(category, kind, picked, base) {
    const message = writeMessage(picked as Item, base)
    return `{"success":true,"status":200,"category":"${category}","endpoint":"${kind}","message":${message}}`
  },
}

/** A picture may be a large reply. */
const listErrors = (category: Category) => [UnknownKind, NothingMatches, ...(category === 'animals' ? [Busy] : [])]

const describeOtherReplies = (category: Category) => ({
  hasEtag: false,
  textExamples: { 'text/plain': EXAMPLES[category].message },
  otherTypes: category === 'animals' ? [...mediaTypes, 'text/plain'] : ['text/plain'],
  ...(formatsOf(category).includes('redirect') && { otherReplies: { 302: 'Redirects to the URL of the item.' } }),
})

function buildV1Route(content: Content, { category, summary }: Group, path: string): Route {
  const handle = createRandomHandler(content, category, v1)
  const Kind = CurrentEnum(() => content.kinds(category), 'Kind of content.')
  return get(`${V1_PATH}/${path}/:kind`, {
    tag: 'Random content, v1',
    summary,
    description: 'One item. v2 also describes it, and returns several with `count`.',
    params: { kind: Kind },
    query: v1Query(category),
    reply: SuccessReply({
      category: Type.Literal(category),
      endpoint: Kind,
      message: Type.String({ description: MESSAGE[category] }),
    }),
    example: () => {
      const { message, item } = chooseExample(content, category)
      return { endpoint: item.kind, message }
    },
    ...describeOtherReplies(category),
    errors: listErrors(category),
    handle: (ctx) => handle(ctx.params.kind, ctx),
  })
}

/** v2: replies with `info`, a description of each item, and optionally several items. */
const v2: Presenter = {
  acceptsAny: true,
  includesSize: true,
  writeJson(category, kind, picked, base) {
    const start = `{"success":true,"status":200,"info":{"category":"${category}","endpoint":"${kind}"},"message":`
    if (!isList(picked)) {
      return `${start}${writeMessage(picked, base)},"item":${writeItem(picked)}}`
    }
    const messages = picked.map((item) => writeMessage(item, base)).join(',')
    return `${start}[${messages}],"items":[${picked.map(writeItem).join(',')}]}`
  },
}

function buildV2Route(content: Content, { category, v2: path, summary, item }: Group): Route {
  const handle = createRandomHandler(content, category, v2)
  const readKinds = () => [...content.kinds(category), ANY_KIND]
  const ANY = '`any` picks among all kinds, each equally often; `item.kind` is the one picked.'
  const Kind = CurrentEnum(readKinds, `Kind of content. ${ANY}`)
  return get(`${V2_PATH}/${path}/:kind`, {
    tag: 'Random content, v2',
    summary,
    description: 'One item, or several with `count`.',
    params: { kind: Kind },
    query: v2Query(category),
    reply: SuccessReply({
      info: Type.Object({ category: Type.Literal(category), endpoint: Kind }),
      message: Type.Union([Type.String(), Type.Array(Type.String())], {
        description: `${MESSAGE[category]} An array if \`count\` is given.`,
      }),
      item: Type.Optional(item),
      items: Type.Optional(Type.Array(item, { description: 'Replaces `item` if `count` is given.' })),
    }),
    example: () => {
      const { message, item } = chooseExample(content, category)
      return { info: { category, endpoint: item.kind }, message, item, items: undefined }
    },
    ...describeOtherReplies(category),
    errors: listErrors(category),
    handle: (ctx) => handle(ctx.params.kind, ctx as RequestContext<unknown, RandomQuery>),
  })
}
