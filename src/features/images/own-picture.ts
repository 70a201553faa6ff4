import { ImageUrlInvalid } from '../../errors/index.ts'

/** How a picture of this very service is named as a source; only `sourceOf` gives such names. */
export const OWN_PICTURE = 'menagerie:'

const MEDIA = '/media/animals/'

/**
 * The source that a caller's URL means: a picture of ours, where it names this service as the request itself did, or the
 * URL as it is. Nothing but public pictures is reached that way, whatever Host header a caller invents.
 */
export function sourceOf(imageUrl: string, baseUrl: string): string {
  const url = URL.parse(imageUrl)
  if (url?.protocol === OWN_PICTURE) throw new ImageUrlInvalid('is not an http or https URL')
  const start = URL.parse(baseUrl + MEDIA)
  if (!url || !start || url.origin !== start.origin || !url.pathname.startsWith(start.pathname)) return imageUrl
  // As it is: who judges strangers' URLs refuses it.
  if (url.username !== '' || url.password !== '') return imageUrl
  return OWN_PICTURE + url.pathname.slice(start.pathname.length)
}
