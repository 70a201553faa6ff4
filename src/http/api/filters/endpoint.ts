import { hash } from 'node:crypto'
import { parse } from 'fast-querystring'
import { LRUCache } from 'lru-cache'
import { ApiError, ImageMissing, UnknownKind } from '../../../errors/index.ts'
import { filters, findFilter, parseSteps, parseStrength, type Step } from '../../../features/filters/index.ts'
import type { FilterResult, Images, PreparedRequest } from '../../../features/images/index.ts'
import { outputFormats, ownPictureUrl, resolveOwnPicture } from '../../../features/images/index.ts'
import { negotiate, VARY_BY_ACCEPT } from '../../kernel/input.ts'
import { cache, prepareReply, type Reply, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { QueryOf } from '../../kernel/route.ts'
import { MEDIA_PATH } from '../item-replies.ts'
import { readMediaQuery } from '../media.ts'
import type { v2Query } from './routes.ts'

/** v1 has only some of these parameters. */
type FilterQuery = QueryOf<typeof v2Query>

/** The name of the endpoint that applies several filters. */
export const CHAIN = 'chain'

type FilterContext = RequestContext<{ readonly kind: string }, FilterQuery>

export const imageTypes = outputFormats.map((output) => `image/${output}`)

export const filterNames = filters.map(({ name }) => name)

/** The fields that name the filter in the JSON of one version of the API. */
type NameFilter = (filter: string) => object

/** The result of parsing one URL; parsing costs more than sending an image that is in the cache. */
interface ParsedRequest {
  readonly host: string | undefined
  /** Whether it is a picture of this service, or would be one for requests with the host of its URL. */
  readonly dependsOnHost: boolean
  readonly prepared: PreparedRequest
  readonly buildCachedReply: (result: FilterResult) => Reply
}

const MAX_PARSED_REQUESTS = 500

/**
 * Errors that a source can cause, in contrast to a request without a source or with invalid parameters. MEDIA_NOT_FOUND
 * is about a picture of this service.
 */
const SOURCE_ERROR = /^(IMAGE_(?!MISSING)|MEDIA_NOT_FOUND)/
/** Seconds. The source may work again soon. */
const FALLBACK_MAX_AGE = 60
const SEED_LENGTH = 16

/** Creates the handler of one version of the API. `path` is where its filters are, for the link in the JSON. */
export function createFilterHandler(images: Images, path: string, names: readonly string[], nameFilter: NameFilter) {
  const parsedRequests = new LRUCache<string, ParsedRequest>({ max: MAX_PARSED_REQUESTS })

  return (ctx: FilterContext): Reply | Promise<Reply> => {
    const name = ctx.params.kind
    const asJson = wantsJson(ctx)
    const { fallback } = ctx.query
    if (asJson || fallback === undefined) return answer(name, ctx, asJson)
    return Promise.try(() => answer(name, ctx, asJson)).catch((error: unknown) => answerFallback(error, fallback, ctx))
  }

  function answer(name: string, ctx: FilterContext, asJson: boolean): Reply | Promise<Reply> {
    const { prepared, buildCachedReply } = readRequest(name, ctx)
    const ifNoneMatch = asJson ? undefined : ctx.header('if-none-match')
    const cached = prepared.findCached(ifNoneMatch)
    if (cached) return asJson ? buildLinkReply(name, cached, ctx) : buildCachedReply(cached)
    const { client, signal, trace } = ctx
    return prepared
      .run({ client, ifNoneMatch, signal, onStage: trace?.onStage })
      .then((result) => (asJson ? buildLinkReply(name, result, ctx) : buildImageReply(result)))
  }

  /** Sends a drawing where the source fails. The same source always gets the same drawing. */
  async function answerFallback(error: unknown, kind: string, { query, client, signal }: FilterContext) {
    if (!(error instanceof ApiError) || !SOURCE_ERROR.test(error.code)) throw error
    const seed = hash('sha1', query.image ?? '', 'hex').slice(0, SEED_LENGTH)
    const prepared = images.prepare({
      imageUrl: ownPictureUrl(kind, `~${seed}.png`),
      steps: [],
      resize: readResize({ ...query, fit: query.fit ?? 'contain' }),
      maxBytes: query.maxBytes,
      output: query.output ?? 'webp',
    })
    const result = prepared.findCached(undefined) ?? (await prepared.run({ client, signal }))
    const { headers, ...reply } = buildImageReply({ ...result, maxAge: FALLBACK_MAX_AGE })
    return { ...reply, headers: [...headers, 'X-Fallback', error.code] }
  }

  function readRequest(name: string, ctx: FilterContext): ParsedRequest {
    const { absoluteUrl } = ctx
    const cached = parsedRequests.get(absoluteUrl)
    const parsed = cached ?? parseRequest(name, ctx)
    if (!cached) parsedRequests.set(absoluteUrl, parsed)
    ctx.logNote = parsed.host
    ctx.dependsOnHost &&= parsed.dependsOnHost
    return parsed
  }

  function parseRequest(name: string, ctx: FilterContext): ParsedRequest {
    const { query, baseUrl } = ctx
    const steps = readSteps(name, query)
    if (query.image === undefined || query.image === '') throw new ImageMissing()
    const { hostname: host, pathname } = URL.parse(query.image) ?? {}
    // Set before the URL is checked, so that the log names the host of a rejected URL, too.
    ctx.logNote = host
    const imageUrl = resolveOwnPicture(query.image, baseUrl, `${MEDIA_PATH}/`)
    const isOwnPicture = imageUrl !== query.image
    const ownQuery = isOwnPicture ? readMediaQuery(parse(new URL(query.image).search.slice(1))) : {}
    const { output, maxBytes } = query
    // The source is the picture file itself, so its `width` is applied here.
    const resize = readResize(query) ?? readResize({ width: ownQuery.width })
    const prepared = images.prepare({ imageUrl, steps, resize, maxBytes, output })
    const dependsOnHost = pathname?.startsWith(`${MEDIA_PATH}/`) ?? false
    return { host, dependsOnHost, prepared, buildCachedReply: createImageReplies() }
  }

  function readSteps(name: string, { steps = '', strength }: FilterQuery): Step[] {
    if (name === CHAIN && names.includes(CHAIN)) return parseSteps(steps)
    const filter = findFilter(name)
    if (!filter) throw new UnknownKind('filter', name, [...names])
    return [{ filter: name, strength: parseStrength(filter, strength) }]
  }

  function buildLinkReply(name: string, result: FilterResult, { baseUrl, query }: FilterContext): Reply {
    const link = new URL(`${baseUrl}${path}/${name}`)
    const { fallback: _, ...parameters } = query
    for (const [key, value] of Object.entries({ ...parameters, format: 'image' }))
      link.searchParams.set(key, String(value))
    const { type, width, height, bytes, frameCount } = result as Extract<FilterResult, { notModified: false }>
    const item = { type, width, height, size: bytes.length, pages: frameCount }
    return success(
      { ...nameFilter(name), message: link.href, item },
      { headers: [...VARY_BY_ACCEPT, 'X-Cache', result.cache] },
    )
  }
}

function readResize({ width, height, fit = 'inside' }: Pick<FilterQuery, 'width' | 'height' | 'fit'>) {
  return width === undefined && height === undefined ? undefined : { width, height, fit }
}

function wantsJson({ query, request }: FilterContext): boolean {
  if (query.format !== undefined) return query.format === 'json'
  return negotiate<string>(request.headers.accept, [...imageTypes, 'application/json']) === 'application/json'
}

function buildImageReply(result: FilterResult): Reply {
  const { etag, maxAge } = result
  const policy = maxAge > 0 ? `public, max-age=${maxAge}` : cache.revalidate
  const headers = ['Cache-Control', policy, 'ETag', etag, ...VARY_BY_ACCEPT, 'X-Cache', result.cache]
  if (result.notModified) return { status: 304, headers, body: undefined }
  const { bytes, type, timings } = result
  return {
    status: 200,
    headers: ['Content-Type', type, ...headers, 'Server-Timing', formatTimings(timings)],
    length: bytes.length,
    body: bytes,
    etag,
  }
}

/**
 * Remembers the headers of the last reply: a cached image is sent with the same ones until its `max-age` changes. The
 * bytes are not part of it, because only the image cache may decide how many of them stay in memory.
 */
function createImageReplies(): (result: FilterResult) => Reply {
  let last: { etag: string; maxAge: number; reply: Reply } | undefined
  return (result) => {
    if (result.notModified) return buildImageReply(result)
    const { etag, maxAge, bytes } = result
    if (last?.etag !== etag || last.maxAge !== maxAge) {
      last = { etag, maxAge, reply: { ...prepareReply(buildImageReply(result)), body: undefined } }
    }
    return { ...last.reply, body: bytes }
  }
}

const formatTimings = (timings: Readonly<Record<string, number>>) =>
  Object.entries(timings)
    .map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`)
    .join(', ')
