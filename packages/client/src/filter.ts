import type { Api } from './api.ts'
import type { CallOptions, Connection } from './connection.ts'
import { unexpectedReply } from './request.ts'

const FILTER = 'GET /api/v2/filter/{type}'
type FilterOperation = Api[typeof FILTER]

export type FilterName = FilterOperation['params']['type']
export type FilterReply = FilterOperation['reply']

export interface FilterOptions {
  /** Within the range of the filter. Ignored by filters without strength. */
  readonly strength?: number
  /** Default: the format of the source. */
  readonly output?: NonNullable<FilterOperation['query']['output']>
}

export interface FilteredPicture {
  readonly blob: Blob
  /** Media type, such as `image/webp`. */
  readonly type: string
  /** `X-Cache` of the reply: `hit`, `miss` or `shared`. */
  readonly cache: string | undefined
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
  const call = (type: FilterName, image: string | URL, options: FilterOptions & CallOptions = {}, format = {}) => ({
    params: { type },
    options: { image: String(image), ...options, ...format },
  })
  return Object.assign(
    (...args: Parameters<Filter>) => connection.read(FILTER, call(...args), 'image/*', readPicture),
    {
      url: (...args: Parameters<Filter['url']>) => connection.url(FILTER, call(...args)),
      json: (...[type, image, options]: Parameters<Filter['json']>) =>
        connection.json(FILTER, call(type, image, options, { format: 'json' })),
    },
  )
}

async function readPicture(response: Response): Promise<FilteredPicture> {
  const { headers } = response
  const type = headers.get('content-type') ?? ''
  if (!type.startsWith('image/')) throw unexpectedReply(response)
  return { blob: await response.blob(), type, cache: headers.get('x-cache') ?? undefined, headers }
}
