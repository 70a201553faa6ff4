import { LRUCache } from 'lru-cache'
import { ImageMissing, UnknownKind } from '../../../errors/index.ts'
import { type Filter, filters, findFilter, parseStrength } from '../../../features/filters/index.ts'
import {
  type FilterResult,
  type Images,
  type OutputFormat,
  outputFormats,
  type PreparedRequest,
  resolveOwnPicture,
} from '../../../features/images/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { cache, prepareReply, type Reply, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { MEDIA_PATH } from '../media.ts'

interface FilterQuery {
  readonly image?: string | undefined
  readonly strength?: string | undefined
  readonly output?: OutputFormat | undefined
  readonly format?: 'image' | 'json' | undefined
}

type FilterContext = RequestContext<unknown, FilterQuery>

export const imageTypes = outputFormats.map((output) => `image/${output}`)

export const filterNames = filters.map(({ name }) => name)

/** The fields that name the filter in the JSON of one version of the API. */
type NameFilter = (filter: string) => object

const VARY = ['Vary', 'Accept']

/** The result of parsing one URL; parsing costs more than sending an image that is in the cache. */
interface ParsedRequest {
  readonly filter: Filter
  readonly host: string | undefined
  readonly prepared: PreparedRequest
  readonly buildCachedReply: (result: FilterResult) => Reply
}

const MAX_PARSED_REQUESTS = 500

/** Creates the handler of one version of the API. `path` is where its filters are, for the link in the JSON. */
export function createFilterHandler(images: Images, path: string, nameFilter: NameFilter) {
  const parsedRequests = new LRUCache<string, ParsedRequest>({ max: MAX_PARSED_REQUESTS })

  return (name: string, ctx: FilterContext): Reply | Promise<Reply> => {
    const { filter, prepared, buildCachedReply } = readRequest(name, ctx)
    const asJson = wantsJson(ctx)
    const ifNoneMatch = asJson ? undefined : ctx.header('if-none-match')
    const cached = prepared.findCached(ifNoneMatch)
    if (cached) return asJson ? buildLinkReply(filter, cached, ctx) : buildCachedReply(cached)
    const { client, signal, trace } = ctx
    return prepared
      .run({ client, ifNoneMatch, signal, onStage: trace?.onStage })
      .then((result) => (asJson ? buildLinkReply(filter, result, ctx) : buildImageReply(result)))
  }

  function readRequest(name: string, ctx: FilterContext): ParsedRequest {
    const { absoluteUrl } = ctx
    const cached = parsedRequests.get(absoluteUrl)
    if (cached) {
      ctx.logNote = cached.host
      return cached
    }
    const parsed = parseRequest(name, ctx)
    parsedRequests.set(absoluteUrl, parsed)
    return parsed
  }

  function parseRequest(name: string, ctx: FilterContext): ParsedRequest {
    const { query, baseUrl } = ctx
    const filter = findFilter(name)
    if (!filter) throw new UnknownKind('filter', name, filterNames)
    const strength = parseStrength(filter, query.strength)
    if (query.image === undefined || query.image === '') throw new ImageMissing()
    const host = URL.parse(query.image)?.hostname
    // Set before the URL is checked, so that the log names the host of a rejected URL, too.
    ctx.logNote = host
    const imageUrl = resolveOwnPicture(query.image, `${baseUrl}${MEDIA_PATH}/`)
    const prepared = images.prepare({ imageUrl, filter: filter.name, strength, output: query.output })
    return { filter, host, prepared, buildCachedReply: createImageReplies() }
  }

  function buildLinkReply(filter: Filter, result: FilterResult, { baseUrl, query }: FilterContext): Reply {
    const link = new URL(`${baseUrl}${path}/${filter.name}`)
    const { image = '', strength, output } = query
    for (const [key, value] of Object.entries({ image, strength, output, format: 'image' })) {
      if (value !== undefined) link.searchParams.set(key, value)
    }
    const { type, width, height, bytes, pages } = result as Extract<FilterResult, { notModified: false }>
    const item = { type, width, height, size: bytes.length, pages }
    return success(
      { ...nameFilter(filter.name), message: link.href, item },
      { headers: [...VARY, 'X-Cache', result.cache] },
    )
  }
}

function wantsJson({ query, request }: FilterContext): boolean {
  if (query.format !== undefined) return query.format === 'json'
  return negotiate<string>(request.headers.accept, [...imageTypes, 'application/json']) === 'application/json'
}

function buildImageReply(result: FilterResult): Reply {
  const { etag, maxAge } = result
  const policy = maxAge > 0 ? `public, max-age=${maxAge}` : cache.revalidate
  const headers = ['Cache-Control', policy, 'ETag', etag, ...VARY, 'X-Cache', result.cache]
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
