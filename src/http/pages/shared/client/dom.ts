/** The element of the page that a script works on; a page without it is a bug. */
export function one<T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return found
}

export const all = <T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T[] => [
  ...within.querySelectorAll<T>(selector),
]

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** For those who do not see the change. */
export function announce(text: string): void {
  one('[data-announcer]').textContent = text
}

export const prefersStillness = () => matchMedia('(prefers-reduced-motion: reduce)').matches

/** What absolute URLs of the service start with. */
export const base = document.documentElement.dataset.base ?? ''

/** A URL of the service as an address relative to the page, which holds also where the service has other names. */
export const relative = (url: string) => (url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url)
