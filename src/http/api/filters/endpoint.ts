import Type from 'typebox'
import { ImageMissing, UnknownKind } from '../../../errors/index.ts'
import { type Filter, filters, findFilter, parseStrength } from '../../../features/filters/index.ts'
import {
  type Filtered,
  type Images,
  type OutputFormat,
  outputFormats,
  type Picture,
  sourceOf,
} from '../../../features/images/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { cache, json, type Reply } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'

export interface FilterQuery {
  readonly image?: string | undefined
  readonly strength?: string | undefined
  readonly output?: OutputFormat | undefined
  readonly format?: 'image' | 'json' | undefined
}

export const imageTypes = outputFormats.map((output) => `image/${output}`)

const ranges = filters
  .flatMap(({ name, strength }) =>
    strength ? [`${name} ${strength.min} to ${strength.max} (default ${strength.default})`] : [],
  )
  .join(', ')

export const filterQuery = {
  image: Type.String({
    description: 'URL of the picture, percent-encoded. Mandatory.',
    examples: ['https://example.com/cat.jpg'],
  }),
  // Read as text: the errors of a strength are the filter's own.
  strength: Type.Unsafe<string>({
    type: 'number',
    description: `How strong: ${ranges}. Other filters ignore it.`,
    readAs: 'text',
  }),
  output: Type.Enum([...outputFormats], { description: 'Another format than that of the source.' }),
  format: Type.Enum(['image', 'json'], { description: 'Instead of what the `Accept` header prefers.' }),
}

export const filterNames = filters.map(({ name }) => name)
export const filterTable = filters.map(({ name, summary }) => `- **${name}**: ${summary}`).join('\n')

/** The JSON of a version around a link to the filtered picture. */
export type Envelope = (filter: string, fields: { message: string; item: object }) => object

const VARY = ['Vary', 'Accept']

/** What a query means, to be kept as long as it. */
interface Meaning {
  readonly filter: Filter
  /** Our own pictures are known by it. */
  readonly baseUrl: string
  readonly host: string | undefined
  readonly picture: Picture
}

/** How a version answers; its path is what the link in the JSON leads to. */
export function filterEndpoint(images: Images, path: string, envelope: Envelope) {
  // The router hands out the same query, as an object, where the same URL is asked for again.
  const meanings = new WeakMap<FilterQuery, Meaning>()
  const readyReply = createReadyReplies()

  return (name: string, ctx: RequestContext<unknown, FilterQuery>): Reply | Promise<Reply> => {
    const { filter, picture } = meaningOf(name, ctx)
    const asJson = wantsJson(ctx)
    const ifNoneMatch = asJson ? undefined : ctx.header('if-none-match')
    const ready = picture.ready(ifNoneMatch)
    if (ready) return asJson ? linkReply(filter, ready, ctx) : readyReply(ready)
    const { client: caller, signal, trace } = ctx
    return picture
      .filtered({ caller, ifNoneMatch, signal, onStage: trace?.onStage })
      .then((filtered) => (asJson ? linkReply(filter, filtered, ctx) : imageReply(filtered)))
  }

  function meaningOf(name: string, ctx: RequestContext<unknown, FilterQuery>): Meaning {
    const { query, baseUrl } = ctx
    const known = meanings.get(query)
    if (known?.filter.name === name && known.baseUrl === baseUrl) {
      ctx.note = known.host
      return known
    }
    const filter = findFilter(name)
    if (!filter) throw new UnknownKind(name, filterNames)
    const strength = parseStrength(filter, query.strength)
    if (query.image === undefined || query.image === '') throw new ImageMissing()
    const host = URL.parse(query.image)?.hostname
    // Before the URL is judged: the log tells of those that are refused, too.
    ctx.note = host
    const imageUrl = sourceOf(query.image, baseUrl)
    const picture = images.picture({ imageUrl, filter: filter.name, strength, output: query.output })
    const meaning = { filter, baseUrl, host, picture }
    meanings.set(query, meaning)
    return meaning
  }

  function linkReply(
    filter: Filter,
    filtered: Filtered,
    { baseUrl, query }: RequestContext<unknown, FilterQuery>,
  ): Reply {
    const link = new URL(`${baseUrl}${path}/${filter.name}`)
    const { image = '', strength, output } = query
    for (const [key, value] of Object.entries({ image, strength, output, format: 'image' })) {
      if (value !== undefined) link.searchParams.set(key, value)
    }
    const { type, width, height, bytes, pages } = filtered as Extract<Filtered, { notModified: false }>
    const item = { type, width, height, size: bytes.length, pages }
    return json(envelope(filter.name, { message: link.href, item }), { headers: [...VARY, ...cacheHeader(filtered)] })
  }
}

function wantsJson({ query, request }: RequestContext<unknown, FilterQuery>): boolean {
  if (query.format !== undefined) return query.format === 'json'
  return negotiate<string>(request.headers.accept, [...imageTypes, 'application/json']) === 'application/json'
}

const cacheHeader = ({ cache: how }: Filtered) => ['X-Cache', how]

function imageReply(filtered: Filtered): Reply {
  const { etag, maxAge } = filtered
  const policy = maxAge > 0 ? `public, max-age=${maxAge}` : cache.revalidate
  const headers = ['Cache-Control', policy, 'ETag', etag, ...VARY, ...cacheHeader(filtered)]
  if (filtered.notModified) return { status: 304, headers, body: undefined }
  const { bytes, type, timings } = filtered
  return {
    status: 200,
    headers: ['Content-Type', type, ...headers, 'Server-Timing', timingOf(timings)],
    length: bytes.length,
    body: bytes,
    etag,
  }
}

/** A picture in memory is sent again and again: for as long as its age is the same, with the same head. */
function createReadyReplies(): (filtered: Filtered) => Reply {
  const kept = new WeakMap<Uint8Array, { maxAge: number; reply: Reply }>()
  return (filtered) => {
    if (filtered.notModified) return imageReply(filtered)
    const { bytes, maxAge } = filtered
    const last = kept.get(bytes)
    if (last?.maxAge === maxAge) return last.reply
    const reply = { ...imageReply(filtered), prepared: true }
    kept.set(bytes, { maxAge, reply })
    return reply
  }
}

const timingOf = (timings: Readonly<Record<string, number>>) =>
  Object.entries(timings)
    .map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`)
    .join(', ')
