/** `%2f` leads to no route, but whoever writes it there means a slash. */
const AFTER_PREFIX = /^(?:$|[/?#]|%2f)/i

/**
 * Tells what a URL asks for below a path; undefined where it is elsewhere. Judged as the router reads it, so that no other
 * spelling gets around it. Asked at every request: nearly all encode nothing so early.
 */
export function createPrefixMatcher(prefix: string): (url: string) => string | undefined {
  const restOf = (path: string) => {
    if (!path.startsWith(prefix)) return undefined
    const rest = path.slice(prefix.length)
    return AFTER_PREFIX.test(rest) ? rest : undefined
  }
  return (url) => {
    const percent = url.indexOf('%')
    const isPlain = percent === -1 || percent >= prefix.length
    return restOf(isPlain ? url : asRouted(url))
  }
}

function asRouted(url: string): string {
  const pathEnd = url.search(/[?#]/)
  if (pathEnd === -1) return decoded(url)
  return decoded(url.slice(0, pathEnd)) + url.slice(pathEnd)
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
