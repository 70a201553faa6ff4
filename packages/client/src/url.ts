type Value = string | number | readonly string[] | undefined
export type Fields = Readonly<Record<string, Value>>

/** Without a slash at its end: the service may stand below a path of its host. */
export function baseOf(url: string | URL): string {
  let parsed: URL | undefined
  try {
    parsed = new URL(url)
  } catch {}
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) {
    throw new TypeError(
      `"${url}" is not the address of a service; give an absolute http or https URL without credentials.`,
    )
  }
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '')
}

/** `{name}` in the template is filled from the parameters; what is undefined is left out of the query. */
export function urlOf(base: string, template: string, params: Fields, query: Fields): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(name, String(params[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  const text = search.toString()
  return base + path + (text && `?${text}`)
}

/** Only what the interface calls a path may be nested. */
function pathPart(name: string, value: string): string {
  const segments = name === 'path' ? value.split('/') : [value]
  // URLs drop such segments, and the request would go to another endpoint.
  if (segments.some((segment) => /^\.{0,2}$/.test(segment))) throw new TypeError(`"${value}" cannot stand in a path.`)
  return segments.map(encodeURIComponent).join('/')
}
