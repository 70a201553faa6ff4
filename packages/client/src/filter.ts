import type { Api } from './api.ts'
import type { CallOptions, Connection } from './connection.ts'
import { readBytes, unexpectedReply } from './request.ts'

const FILTER = 'GET /api/v2/filter/{kind}'
type FilterOperation = Api[typeof FILTER]

export type FilterName = FilterOperation['params']['kind']
export type FilterReply = FilterOperation['reply']

/** Strength, size, steps of a chain, and format; the reference of the API describes them. */
export type FilterOptions = Omit<FilterOperation['query'], 'image' | 'format'>

export interface FilteredPicture {
  readonly blob: Blob
  /** Media type, such as `image/webp`. */
  readonly type: string
  /** `X-Cache` of the reply: `hit`, `miss` or `shared`. */
  readonly cache: string | undefined
  /** The error code of the source, if the picture is a drawing in its place. */
  readonly fallback: string | undefined
  /** In a browser only those that CORS exposes. */
  readonly headers: Headers
}

export interface Filter {
  /** Fetches the filtered image. */
  (filter: FilterName, image: string | URL, options?: FilterOptions & CallOptions): Promise<FilteredPicture>
  /** The URL of the filtered image, for an `<img>`. Sends no request. */
  url(filter: FilterName, image: string | URL, options?: FilterOptions): string
  /** URL, type, dimensions, size and number of frames of the filtered image. */
  json(filter: FilterName, image: string | URL, options?: FilterOptions & CallOptions): Promise<FilterReply>
}

export function filter(connection: Connection): Filter {
  const call = (kind: FilterName, image: string | URL, options: FilterOptions & CallOptions = {}, format = {}) => ({
    params: { kind },
    options: { image: String(image), ...options, ...format },
  })
  return Object.assign(
    (...args: Parameters<Filter>) => connection.read(FILTER, call(...args), 'image/*', readPicture),
    {
      url: (...args: Parameters<Filter['url']>) => connection.url(FILTER, call(...args)),
      json: (...[kind, image, options]: Parameters<Filter['json']>) =>
        connection.json(FILTER, call(kind, image, options, { format: 'json' })),
    },
  )
}

async function readPicture(response: Response): Promise<FilteredPicture> {
  const { headers } = response
  const type = headers.get('content-type') ?? ''
  const read = (name: string) => headers.get(name) ?? undefined
  if (!type.startsWith('image/')) throw unexpectedReply(response)
  const blob = new Blob([await readBytes(response)], { type })
  return { blob, type, cache: read('x-cache'), fallback: read('x-fallback'), headers }
}
