// The fetcher of images: the hosts and ports that it may use, the errors that clients see, and pictures of this service.
// platform/net/ sends the requests, and checks every address.
import { hash, subtle } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import * as errors from '../../errors/index.ts'
import { decodeUrlPart, FetchError, type Fetcher, type FetchFailure } from '../../platform/net/index.ts'
import type { Blocklist } from '../blocklist/index.ts'
import type { Content } from '../content/index.ts'

export const readFetcherOptions = (config: Config, blocklist: Blocklist) => ({
  allowHosts: config.FILTER_ALLOW_HOSTS,
  ports: config.FILTER_PORTS,
  isBlockedHost: blocklist.blocks,
  maxBytes: config.FILTER_MAX_BYTES,
  totalTimeoutMs: config.FILTER_TIMEOUT_MS,
  accept: 'image/*,*/*;q=0.8',
})

type Details = FetchError['details']

const unreachable = ({ sourceStatus, problem }: Details) => new errors.ImageUnreachable(sourceStatus ?? null, problem)

const imageErrors: Record<FetchFailure, (details: Details) => errors.ApiError> = {
  'invalid-url': ({ problem = 'is not valid' }) => new errors.ImageUrlInvalid(problem),
  'blocked-host': ({ host = '' }) => new errors.ImageHostBlocked(host),
  'forbidden-address': ({ problem }) => new errors.ImageAddressForbidden(problem),
  'too-large': ({ max = 0 }) => new errors.ImageTooLarge(max),
  timeout: ({ max = 0 }) => new errors.ImageTimeout(max),
  unreachable,
  'bad-status': unreachable,
  'bad-redirect': unreachable,
}

/** Turns a FetchError into the API error that a client sees; returns other errors unchanged. */
const toImageError = (error: unknown): unknown =>
  error instanceof FetchError ? imageErrors[error.reason](error.details) : error

/** A fetcher that throws API errors about images. */
export function withImageErrors(fetcher: Fetcher): Fetcher {
  function translate<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw toImageError(error)
    }
  }
  return {
    ...fetcher,
    check(url) {
      const { href, recheck } = translate(() => fetcher.check(url))
      return { href, recheck: () => translate(recheck) }
    },
    get: (url, options) =>
      fetcher.get(url, options).catch((error: unknown) => {
        throw toImageError(error)
      }),
  }
}

/** The protocol of URLs for pictures of this service. Clients cannot send it: `resolveOwnPicture` refuses it. */
const OWN_PICTURE_PROTOCOL = 'menagerie:'

/**
 * Turns the URL of one of our own pictures, below `mediaPath`, into one with our own protocol, refuses other URLs of this
 * service, and returns all others unchanged. Only public pictures can be reached this way, whatever Host header a client
 * sends.
 */
export function resolveOwnPicture(imageUrl: string, baseUrl: string, mediaPath: string): string {
  const url = URL.parse(imageUrl)
  if (url?.protocol === OWN_PICTURE_PROTOCOL) throw new errors.ImageUrlInvalid('is neither http nor https')
  const base = URL.parse(`${baseUrl}/`)
  if (!url || !base || url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return imageUrl
  // Unchanged: the fetcher refuses the URL because of its credentials.
  if (url.username !== '' || url.password !== '') return imageUrl
  const path = url.pathname.slice(base.pathname.length - 1)
  if (!path.startsWith(mediaPath))
    throw new errors.ImageAddressForbidden(`leads to this service, but not to a picture below ${mediaPath}`)
  return OWN_PICTURE_PROTOCOL + path.slice(mediaPath.length) + url.search
}

/** The URL of a picture of this service, as the source of a filter. */
export const ownPictureUrl = (kind: string, file: string) =>
  `${OWN_PICTURE_PROTOCOL}${encodeURIComponent(kind)}/${encodeURIComponent(file)}`

/** Filters cannot read SVG. A random drawing has an .svg URL until it is rendered, so its PNG is used. */
function parseOwnPicture(url: URL): { kind: string; file: string } {
  const [kind = '', file = ''] = url.pathname.split('/').map((segment) => decodeUrlPart(segment) ?? '')
  return { kind, file: file.replace(/^(~.+)\.svg$/su, '$1.png') }
}

/**
 * Lets filters read the pictures of this service from the content instead of over the network: the fetcher must not
 * connect to private addresses, and the service may run on one.
 */
export function withOwnPictures(fetcher: Fetcher, content: Content, maxBytes: number): Fetcher {
  return {
    ...fetcher,
    check(text) {
      if (!text.startsWith(OWN_PICTURE_PROTOCOL)) return fetcher.check(text)
      const url = new URL(text)
      const { kind, file } = parseOwnPicture(url)
      const recheck = () => {
        // The results for a name with a digest are cached for long. The operator may have removed the picture since.
        if (!file.startsWith('~') && !content.findPictureFile(kind, file)) throw new errors.MediaNotFound()
      }
      return { href: url.href, recheck }
    },
    get: async (text, options) => {
      if (!text.startsWith(OWN_PICTURE_PROTOCOL)) return fetcher.get(text, options)
      const url = new URL(text)
      const { kind, file } = parseOwnPicture(url)
      const picture = await content.media(kind, file, options.client, readDrawOptions(url.searchParams))
      if (picture.size > maxBytes) throw new errors.ImageTooLarge(maxBytes)
      options.onBytes?.(picture.size)
      const bytes = picture.open()
      const headers = { 'cache-control': picture.immutable ? 'max-age=31536000, immutable' : 'no-cache' }
      const body = Buffer.isBuffer(bytes) ? bytes : await buffer(bytes)
      return { url: text, status: 200, headers, body, redirects: [] }
    },
  }
}

/** More are hashed in another thread: 16 MB take 50 ms. */
const LARGE_BYTES = 100_000

export async function computeDigest(body: Buffer): Promise<string> {
  if (body.length < LARGE_BYTES) return hash('sha256', body)
  return Buffer.from(await subtle.digest('SHA-256', body as Buffer<ArrayBuffer>)).toString('hex')
}

/** The endpoint has validated these parameters. A drawing is square, so `width` is its size. */
const readDrawOptions = (query: URLSearchParams) => ({
  size: Number(query.get('size') ?? query.get('width')) || undefined,
  background: query.get('background') === 'none' ? ('none' as const) : undefined,
  edition: Number(query.get('edition')) || undefined,
})
