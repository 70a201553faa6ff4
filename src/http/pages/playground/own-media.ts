/** A dot, slash, backslash or percent sign. A second decoding could turn it into another path. */
const ENCODED_PATH_SYNTAX = /%(?:2e|2f|5c|25)/i

/**
 * Returns the path and query of a picture of this service, relative to the page, or undefined for any other URL. A link
 * to the playground chooses the image, so a path that only begins like one of ours must not be followed:
 * `media/../api/…` would send a request in the name of the visitor.
 */
export function findOwnMedia(image: string, base: string): string | undefined {
  if (!URL.canParse(image)) return undefined
  const { origin, pathname, search } = new URL(image)
  const media = new URL(`${base}/media/`)
  if (origin !== media.origin || !pathname.startsWith(media.pathname)) return undefined
  return ENCODED_PATH_SYNTAX.test(pathname) ? undefined : `media/${pathname.slice(media.pathname.length)}${search}`
}
