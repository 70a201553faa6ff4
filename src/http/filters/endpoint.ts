import Type from 'typebox'
import { ImageMissing, UnknownKind } from '../../errors.ts'
import { type Filter, filters, findFilter, parseStrength } from '../../filters/index.ts'
import { type Filtered, type Images, type OutputFormat, sourceOf } from '../../images/index.ts'
import type { Exchange } from '../exchange.ts'
import { negotiate } from '../negotiate.ts'
import { cache, json, type Reply } from '../replies.ts'

export interface FilterQuery {
  readonly image?: string | undefined
  readonly strength?: string | undefined
  readonly output?: OutputFormat | undefined
  readonly format?: 'image' | 'json' | undefined
}

export const outputs: readonly OutputFormat[] = ['jpeg', 'png', 'webp', 'avif', 'gif']
export const imageTypes = outputs.map((output) => `image/${output}`)

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
  output: Type.Enum([...outputs], { description: 'Another format than that of the source.' }),
  format: Type.Enum(['image', 'json'], { description: 'Instead of what the `Accept` header prefers.' }),
}

export const filterNames = filters.map(({ name }) => name)
export const filterTable = filters.map(({ name, summary }) => `- **${name}**: ${summary}`).join('\n')

/** The JSON of a version around a link to the filtered picture. */
export type Envelope = (filter: string, fields: { message: string; item: object }) => object

const VARY = ['Vary', 'Accept']

/** How a version answers; its path is what the link in the JSON leads to. */
export function filterEndpoint(images: Images, path: string, envelope: Envelope) {
  return async (name: string, exchange: Exchange<unknown, FilterQuery>): Promise<Reply> => {
    const { query } = exchange
    const filter = findFilter(name)
    if (!filter) throw new UnknownKind(name, filterNames)
    const strength = parseStrength(filter, query.strength)
    if (query.image === undefined || query.image === '') throw new ImageMissing()
    exchange.note = URL.parse(query.image)?.hostname
    const asJson = wantsJson(exchange)
    const filtered = await images.filtered({
      filter: filter.name,
      strength,
      imageUrl: sourceOf(query.image, exchange.baseUrl),
      output: query.output,
      caller: exchange.client,
      ifNoneMatch: asJson ? undefined : exchange.header('if-none-match'),
      // Made only where there is work that could be broken off: a hit is over before anybody hangs up.
      get signal() {
        return exchange.signal
      },
      onStage: exchange.trace?.onStage,
    })
    return asJson ? linkReply(filter, filtered, exchange) : imageReply(filtered)
  }

  function linkReply(filter: Filter, filtered: Filtered, { baseUrl, query }: Exchange<unknown, FilterQuery>): Reply {
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

function wantsJson({ query, request }: Exchange<unknown, FilterQuery>): boolean {
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

const timingOf = (timings: Readonly<Record<string, number>>) =>
  Object.entries(timings)
    .map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`)
    .join(', ')
