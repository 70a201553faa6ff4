import Type, { type TSchema } from 'typebox'
import { NothingMatches, UnknownKind } from '../../../errors/index.ts'
import { type Category, type Content, pictureTypeNames } from '../../../features/content/index.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Bytes, CurrentEnum, SuccessReply } from '../../kernel/schemas.ts'
import { mediaTypes } from '../media.ts'
import { type RandomQuery, randomEndpoint, type WriteJson } from './endpoint.ts'
import { isMany, itemJsonOf, messageJsonOf } from './item-json.ts'
import { count, exclude, format, seed, types } from './options.ts'

const optionalText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const PictureItem = Type.Object({
  id: Type.String(),
  type: Type.Enum([...pictureTypeNames]),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  size: Type.Union([Bytes, Type.Null()], {
    description: 'Null for a drawing that is not made yet, because many ask at once: it is made when it is fetched.',
  }),
  alt: optionalText('What the picture shows.'),
  author: optionalText('Who made it.'),
  license: optionalText('Under which licence.'),
  source: optionalText('Where it is from.'),
})

const VideoItem = Type.Object({ id: Type.String(), title: Type.String() })

interface Group {
  readonly category: Category
  readonly path: string
  readonly summary: string
  readonly item?: TSchema
}

const GROUPS: readonly Group[] = [
  { category: 'animals', path: 'animal', summary: 'Random animals', item: PictureItem },
  { category: 'string', path: 'string', summary: 'Random texts' },
  { category: 'kaomoji', path: 'kaomoji', summary: 'Random kaomoji' },
  { category: 'yt-video', path: 'yt-video', summary: 'Random videos', item: VideoItem },
]

const writeJson: WriteJson = (category, kind, picked, base) => {
  const start = `{"success":true,"status":200,"info":{"category":"${category}","endpoint":"${kind}"},"message":`
  if (!isMany(picked)) {
    const item = itemJsonOf(picked)
    return `${start}${messageJsonOf(picked, base)}${item === undefined ? '' : `,"item":${item}`}}`
  }
  const messages = picked.map((item) => messageJsonOf(item, base)).join(',')
  const items = picked.map(itemJsonOf)
  return `${start}[${messages}]${items.includes(undefined) ? '' : `,"items":[${items.join(',')}]`}}`
}

/** v2: with `info`, what is known of the item, several at once, and wishes. */
export function random(content: Content): Route[] {
  return GROUPS.map(({ category, path, summary, item }) => {
    const answer = randomEndpoint(content, category, { writeJson, includesSize: true })
    const isPicture = category === 'animals'
    const Kind = CurrentEnum(() => content.kinds(category))
    return get(
      `/api/v2/random/${path}/:type`,
      {
        tag: 'Random content, v2',
        summary,
        params: { type: Kind },
        query: {
          count,
          seed,
          format: format('json', isPicture ? 'image' : 'text'),
          ...(isPicture ? { type: types, exclude } : undefined),
        },
        reply: SuccessReply({
          info: Type.Object({ category: Type.Literal(category), endpoint: Kind }),
          message: Type.Union([Type.String(), Type.Array(Type.String())], { description: 'An array with `count`.' }),
          ...(item && {
            item: Type.Optional(item),
            items: Type.Optional(Type.Array(item, { description: 'With `count`.' })),
          }),
        }),
        otherTypes: isPicture ? mediaTypes : ['text/plain'],
        errors: [UnknownKind, NothingMatches],
      },
      (ctx) => answer(ctx.params.type, ctx as RequestContext<unknown, RandomQuery>),
    )
  })
}
