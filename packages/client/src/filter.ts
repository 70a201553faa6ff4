import type { Api } from './api.ts'
import type { CallOptions, Connection } from './connection.ts'
import { unexpected } from './replies.ts'

const FILTER = 'GET /api/v2/filter/{type}'
type Described = Api[typeof FILTER]

export type FilterName = Described['params']['type']
export type FilterReply = Described['reply']

export interface FilterWish {
  /** Within the range of the filter; filters without one ignore it. */
  readonly strength?: number
  /** Another format than that of the source. */
  readonly output?: NonNullable<Described['query']['output']>
}

export interface FilteredPicture {
  readonly blob: Blob
  /** Such as `image/webp`. */
  readonly type: string
  /** Whether the service had it already: `hit`, `miss` or `shared`. */
  readonly cache: string | undefined
  /** All that the browser shows to the page. */
  readonly headers: Headers
}

export interface Filter {
  /** The filtered picture itself. */
  (filter: FilterName, image: string | URL, wish?: FilterWish & CallOptions): Promise<FilteredPicture>
  /** Just its address, for an `<img>` or another program; asks nothing. */
  url(filter: FilterName, image: string | URL, wish?: FilterWish): string
  /** Its address, type, size and number of frames. */
  json(filter: FilterName, image: string | URL, wish?: FilterWish & CallOptions): Promise<FilterReply>
}

export function filter(connection: Connection): Filter {
  const call = (type: FilterName, image: string | URL, wish: FilterWish & CallOptions = {}, more = {}) => ({
    params: { type },
    wish: { image: String(image), ...wish, ...more },
  })
  return Object.assign(
    (...wanted: Parameters<Filter>) => connection.read(FILTER, call(...wanted), 'image/*', readPicture),
    {
      url: (...wanted: Parameters<Filter['url']>) => connection.url(FILTER, call(...wanted)),
      json: (...[type, image, wish]: Parameters<Filter['json']>) =>
        connection.json(FILTER, call(type, image, wish, { format: 'json' })),
    },
  )
}

async function readPicture(response: Response): Promise<FilteredPicture> {
  const { headers } = response
  const type = headers.get('content-type') ?? ''
  if (!type.startsWith('image/')) throw unexpected(response)
  return { blob: await response.blob(), type, cache: headers.get('x-cache') ?? undefined, headers }
}
