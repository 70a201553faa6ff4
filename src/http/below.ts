const SLASH = 47
/** `%2f` leads to no route, but whoever writes it there means a slash. */
const AFTER_PREFIX = /^(?:$|[/?#]|%2f)/i
const SCHEME_AND_HOST = /^https?:\/\/[^/?#]*/i

/**
 * Tells what a URL asks for below a path; undefined where it is elsewhere. Judged as the router reads it, so that no other
 * spelling gets around it. Asked at every request: nearly all begin with a slash and encode nothing so early.
 */
export function createBelow(prefix: string): (url: string) => string | undefined {
  const restOf = (target: string) => {
    if (!target.startsWith(prefix)) return undefined
    const rest = target.slice(prefix.length)
    return AFTER_PREFIX.test(rest) ? rest : undefined
  }
  return (url) => {
    const percent = url.indexOf('%')
    const isPlain = url.charCodeAt(0) === SLASH && (percent === -1 || percent >= prefix.length)
    return restOf(isPlain ? url : asRouted(url))
  }
}

function asRouted(url: string): string {
  const target = url.replace(SCHEME_AND_HOST, '')
  const pathEnd = target.search(/[?#]/)
  if (pathEnd === -1) return decoded(target)
  return decoded(target.slice(0, pathEnd)) + target.slice(pathEnd)
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
