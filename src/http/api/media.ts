import Type from 'typebox'
import { BadPath, Busy, MediaNotFound } from '../../errors/index.ts'
import {
  type Content,
  type Media,
  type PictureItem,
  pictureTypeNames,
  pictureTypes,
} from '../../features/content/index.ts'
import { buildRangedReply, rangedErrors, rangedReplies, selectContent } from '../kernel/ranges.ts'
import { cache, prepareReply, type Reply } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type Route } from '../kernel/route.ts'

export const MEDIA_PATH = '/media/animals'

/** Nearly all names: the check is faster than encoding. */
const PLAIN_NAME = /^[\w.~-]*$/

export const buildPicturePath = ({ kind, file }: PictureItem) =>
  `${MEDIA_PATH}/${kind}/${PLAIN_NAME.test(file) ? file : encodeURIComponent(file)}`

export const mediaTypes = pictureTypeNames.map((name) => pictureTypes[name].mime)

export function buildMediaRoutes(content: Content): Route[] {
  /** Replies with complete pictures that are in memory, as long as the content keeps them there. */
  const preparedReplies = new WeakMap<Media, Reply>()

  function buildReply(picture: Media, ctx: RequestContext): Reply {
    const selection = selectContent(picture, ctx)
    const policy = picture.immutable ? cache.immutable : cache.short
    if (selection !== 'all' || !picture.inMemory || ctx.isHead) return buildRangedReply(picture, selection, policy, ctx)
    const prepared = preparedReplies.get(picture)
    if (prepared) return prepared
    const reply = prepareReply(buildRangedReply(picture, 'all', policy, ctx))
    preparedReplies.set(picture, reply)
    return reply
  }

  return [
    get(
      `${MEDIA_PATH}/:kind/:file`,
      {
        tag: 'Pictures',
        summary: 'Picture file',
        description:
          'Files with a digest or seed in their name never change. `~{seed}.{type}` is a drawing; `type` is webp, png or ' +
          'svg. Any text of 1 to 200 characters is a seed, percent-encoded where a path requires it.',
        params: { kind: Type.String({ examples: ['cat'] }), file: Type.String({ examples: ['~hello.webp'] }) },
        otherTypes: mediaTypes,
        otherReplies: rangedReplies,
        errors: [BadPath, MediaNotFound, ...rangedErrors, Busy],
        mayBeFetchedByFilters: true,
      },
      (ctx) => {
        const { kind, file } = ctx.params
        const picture = content.media(kind, file, ctx.client)
        return picture instanceof Promise ? picture.then((found) => buildReply(found, ctx)) : buildReply(picture, ctx)
      },
    ),
  ]
}
