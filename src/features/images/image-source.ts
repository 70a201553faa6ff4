import {
  type ApiError,
  ImageAddressForbidden,
  ImageHostBlocked,
  ImageTimeout,
  ImageTooLarge,
  ImageUnreachable,
  ImageUrlInvalid,
} from '../../errors/index.ts'
import { FetchError, type Fetcher, type FetchFailure } from '../../platform/net/index.ts'

/** Value of the Accept header for fetchers of images. */
export const ACCEPTED_TYPES = 'image/*,*/*;q=0.8'

type Details = FetchError['details']

const unreachable = ({ sourceStatus, problem }: Details) => new ImageUnreachable(sourceStatus ?? null, problem)

const imageErrors: Record<FetchFailure, (details: Details) => ApiError> = {
  'invalid-url': ({ problem = 'is not valid' }) => new ImageUrlInvalid(problem),
  'blocked-host': ({ host = '' }) => new ImageHostBlocked(host),
  'forbidden-address': ({ problem }) => new ImageAddressForbidden(problem),
  'too-large': ({ max = 0 }) => new ImageTooLarge(max),
  timeout: ({ max = 0 }) => new ImageTimeout(max),
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

/** The protocol of URLs for pictures of this service. Only `resolveOwnPicture` creates such URLs. */
export const OWN_PICTURE_PROTOCOL = 'menagerie:'

/**
 * Turns a URL below `mediaUrl`, the public address of our own pictures, into one with our own protocol; returns other
 * URLs unchanged. Only public pictures can be reached this way, whatever Host header a client sends.
 */
export function resolveOwnPicture(imageUrl: string, mediaUrl: string): string {
  const url = URL.parse(imageUrl)
  if (url?.protocol === OWN_PICTURE_PROTOCOL) throw new ImageUrlInvalid('is neither http nor https')
  const media = URL.parse(mediaUrl)
  if (!url || !media || url.origin !== media.origin || !url.pathname.startsWith(media.pathname)) return imageUrl
  // The fetcher refuses credentials.
  if (url.username !== '' || url.password !== '') return imageUrl
  return OWN_PICTURE_PROTOCOL + url.pathname.slice(media.pathname.length)
}
