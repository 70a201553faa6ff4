import Type from 'typebox'
import * as imageErrors from '../../errors/images.ts'
import { BadPath, Busy, MediaNotFound } from '../../errors/index.ts'
import type { Content, Media, PictureItem } from '../../features/content/index.ts'
import { computeRenderingCost, drawOptions } from '../../features/content/index.ts'
import { type FilterResult, type Images, ownPictureUrl } from '../../features/images/index.ts'
import { joinPieces } from '../../platform/files/index.ts'
import { createQueryReader } from '../kernel/input.ts'
import { buildRangedReply, rangedErrors, rangedReplies, selectContent, waitBeforeRanges } from '../kernel/ranges.ts'
import { cache, prepareReply, type Reply, success, text } from '../kernel/replies.ts'
import type { RequestContext } from '../kernel/request-context.ts'
import { get, type QueryOf, type Route } from '../kernel/route.ts'
import { SuccessReply, Text } from '../kernel/schemas.ts'
import { compressible, VARY_ENCODING } from '../kernel/send.ts'
import {
  buildItem,
  buildPicturePath,
  EXAMPLE_PICTURE,
  MEDIA_PATH,
  mediaTypes,
  PictureItem as PictureItemSchema,
} from './item-replies.ts'

/** Few, so that clients cannot fill the caches with one picture. */
const WIDTHS = [64, 128, 256, 512, 1024]

const mediaQuery = {
  ...drawOptions,
  width: Type.Unsafe<number>({
    type: 'integer',
    enum: WIDTHS,
    description: 'Maximum width in pixels. The height follows from the proportions. A picture file is never enlarged.',
  }),
  format: Type.Enum(['image', 'json'], {
    description: '`json`: the description of the picture with its credits. Default: image.',
  }),
}

type MediaQuery = QueryOf<typeof mediaQuery>
type MediaContext = RequestContext<{ kind: string; file: string }, MediaQuery>

/** Validates the query of the URL of a picture, which is the source of a filter. */
export const readMediaQuery: (query: Record<string, string | string[]>) => MediaQuery = createQueryReader(mediaQuery)

/** A drawing that a browser opens as a page differs from the file. */
const VARY = ['Vary', 'Sec-Fetch-Dest', ...VARY_ENCODING]
const SVG = 'image/svg+xml'

/** Browsers show an SVG in the corner of the window, and pictures of other types in the middle. */
function centreDrawing(svg: Buffer): Reply {
  const style = 'position:absolute;inset:0;margin:auto;max-width:100%;max-height:100%'
  const centred = svg.toString().replace('<svg ', `<svg style="${style}" `)
  // Not stored: a shared cache that ignores Vary must not send it to an `<img>`.
  return text(centred, SVG, { cache: cache.none, headers: VARY })
}

/** A drawing is square, so `width` is its size. */
const readDrawOptions = ({ size, width, background, edition }: MediaQuery) => ({
  size: size ?? width,
  background,
  edition,
})

export function buildMediaRoutes(content: Content, images: Images): Route[] {
  /** Replies with complete pictures that are in memory, as long as the content keeps them there. */
  const preparedReplies = new WeakMap<Media, Reply>()

  function buildReply(picture: Media, ctx: MediaContext): Reply {
    const isDrawnSvg = picture.type === SVG && ctx.params.file.startsWith('~')
    const selection = selectContent(picture, ctx)
    if (isDrawnSvg && selection === 'all' && ctx.header('sec-fetch-dest') === 'document') {
      const svg = picture.open()
      if (svg instanceof Buffer) return centreDrawing(svg)
    }
    const policy = picture.immutable ? cache.immutable : cache.short
    const headers = isDrawnSvg ? VARY : []
    if (selection !== 'all' || !picture.inMemory) return buildRangedReply(picture, selection, policy, ctx, headers)
    const prepared = preparedReplies.get(picture)
    if (prepared) return prepared
    const whole = buildRangedReply(picture, 'all', policy, { isHead: false }, headers)
    const reply = prepareReply(isDrawnSvg ? compressible(whole) : whole)
    preparedReplies.set(picture, reply)
    return reply
  }

  /** The picture file, if it must be reduced to the requested width. */
  function findWider({ params: { kind, file }, query: { width } }: MediaContext): PictureItem | undefined {
    const picture = width === undefined ? undefined : content.findPictureFile(kind, file)
    return picture && picture.width > width! ? picture : undefined
  }

  /** Resizes a picture file. Uses the queue and the caches of the filters. */
  async function reduce(ctx: MediaContext, ifNoneMatch: string | undefined): Promise<FilterResult> {
    const { params, query, client, signal, trace } = ctx
    const resize = { width: query.width, height: undefined, fit: 'inside' as const }
    const source = { imageUrl: ownPictureUrl(params.kind, params.file), steps: [], maxBytes: undefined }
    const prepared = images.prepare({ ...source, resize, output: undefined })
    const found = prepared.findCached(ifNoneMatch)
    return found ?? prepared.run({ client, signal, ifNoneMatch, onStage: trace?.onStage })
  }

  async function sendReduced(picture: PictureItem, ctx: MediaContext): Promise<Reply> {
    const policy = ctx.params.file === picture.file ? cache.immutable : cache.short
    const result = await reduce(ctx, ctx.header('if-none-match'))
    if (result.notModified)
      return { status: 304, headers: ['Cache-Control', policy, 'ETag', result.etag], body: undefined }
    const { bytes, type, etag } = result
    const open = (pieces?: Parameters<Media['open']>[0]) => (pieces ? joinPieces(bytes, pieces) : bytes)
    await waitBeforeRanges(ctx)
    const reduced = { type, etag, size: bytes.length, modifiedAt: undefined, open }
    return buildRangedReply(reduced, selectContent(reduced, ctx), policy, ctx)
  }

  async function sendItem(ctx: MediaContext): Promise<Reply> {
    const { params, query, client, baseUrl } = ctx
    const item = await content.readItem(params.kind, params.file, client, readDrawOptions(query))
    const reduced = findWider(ctx) && (await reduce(ctx, undefined))
    const { width, height, bytes } = reduced && !reduced.notModified ? reduced : { ...item, bytes: undefined }
    const { format: _, ...options } = query
    const search = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]))
    return success(
      {
        info: { category: 'animals', endpoint: item.kind },
        message: `${baseUrl}${buildPicturePath(item)}${search.size > 0 ? `?${search}` : ''}`,
        item: { ...buildItem(item), width, height, ...(bytes && { size: bytes.length }) },
      },
      { cache: cache.short },
    )
  }

  return [
    get(`${MEDIA_PATH}/:kind/:file`, {
      tag: 'Pictures',
      summary: 'Picture file',
      description:
        'Files with a digest or seed in their name never change. `~{seed}.{type}` is a drawing; `type` is svg, png, ' +
        'webp, jpeg, gif or avif. Any text of 1 to 200 characters is a seed, percent-encoded where a path requires it.',
      params: {
        kind: Text('Kind of animal.', 'cat'),
        file: Text('File name of a picture, or `~{seed}.{type}`.', '~hello.webp'),
      },
      query: mediaQuery,
      reply: SuccessReply({
        info: Type.Object({ category: Type.Literal('animals'), endpoint: Type.String({ examples: ['cat'] }) }),
        message: Text('Absolute URL of the picture.', EXAMPLE_PICTURE.message),
        item: PictureItemSchema,
      }),
      otherTypes: mediaTypes,
      otherReplies: rangedReplies,
      errors: [
        ...[BadPath, MediaNotFound, ...rangedErrors, Busy],
        ...[imageErrors.ImageTooLarge, imageErrors.ImageTooManyPixels, imageErrors.ImageUnreadable],
      ],
      mayBeFetchedByFilters: true,
      handle: (ctx) => {
        const { size } = readDrawOptions(ctx.query)
        const charge = () => ctx.charge(computeRenderingCost(ctx.params.file, size))
        if (ctx.query.format === 'json') {
          charge()
          return sendItem(ctx)
        }
        const wider = findWider(ctx)
        if (wider) return sendReduced(wider, ctx)
        const { kind, file } = ctx.params
        const picture = content.media(kind, file, ctx.client, readDrawOptions(ctx.query), charge)
        if (!(picture instanceof Promise)) return buildReply(picture, ctx)
        return picture.then((found) => waitBeforeRanges(ctx).then(() => buildReply(found, ctx)))
      },
    }),
  ]
}
