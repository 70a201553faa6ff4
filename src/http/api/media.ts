import Type from 'typebox'
import { MediaNotFound, RangeNotSatisfiable } from '../../errors/index.ts'
import {
  type Content,
  type Media,
  type PictureItem,
  pictureTypeNames,
  pictureTypes,
} from '../../features/content/index.ts'
import { buildRangedReply, readRequestedRange } from '../kernel/ranges.ts'
import { cache, prepareReply, type Reply } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'

const PATH = '/media/animals'

/** Nearly all names: the check is faster than encoding. */
const PLAIN_NAME = /^[\w.~-]*$/

export const pathOfPicture = ({ kind, file }: PictureItem) =>
  `${PATH}/${kind}/${PLAIN_NAME.test(file) ? file : encodeURIComponent(file)}`

export const mediaTypes = pictureTypeNames.map((name) => pictureTypes[name].mime)

/** The pictures themselves. */
export const media = (content: Content): Route[] => [
  get(
    `${PATH}/:kind/:file`,
    {
      tag: 'Pictures',
      summary: 'A picture',
      description: 'Under names that carry a digest or a seed the bytes never change. `Range` is understood.',
      params: { kind: Type.String({ examples: ['cat'] }), file: Type.String({ examples: ['~hello.webp'] }) },
      otherTypes: mediaTypes,
      otherReplies: { 206: 'The part that `Range` asks for.' },
      errors: [MediaNotFound, RangeNotSatisfiable],
    },
    (ctx) => {
      const { kind, file } = ctx.params
      const picture = content.media(kind, file)
      return picture instanceof Promise ? picture.then((found) => reply(found, ctx)) : reply(picture, ctx)
    },
  ),
]

/** Whole pictures that are in memory are sent again and again. */
const whole = new WeakMap<Media, Reply>()

function reply(picture: Media, ctx: RequestContext): Reply {
  const range = readRequestedRange(picture, ctx)
  const policy = picture.immutable ? cache.immutable : cache.short
  if (range || !picture.inMemory || ctx.isHead) return buildRangedReply(picture, range, policy, ctx)
  const known = whole.get(picture)
  if (known) return known
  const made = prepareReply(buildRangedReply(picture, undefined, policy, ctx))
  whole.set(picture, made)
  return made
}
