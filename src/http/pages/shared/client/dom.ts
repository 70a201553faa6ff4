/** The first matching element; a page without it is a bug. */
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
  const node = Object.assign(document.createElement(name), properties)
  node.append(...children)
  return node
}

export function createButton(className: string, work: () => void, ...children: (Node | string)[]): HTMLButtonElement {
  const button = element('button', { type: 'button', className }, ...children)
  button.addEventListener('click', work)
  return button
}

/** Runs `work` instead of sending the form. */
export function onSubmit(form: HTMLElement, work: () => unknown): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void work()
  })
}

/** Announces a change to screen readers. */
export function announce(text: string): void {
  one('[data-announcer]').textContent = text
}

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches

/** Start of absolute URLs of the service. */
export const base = document.documentElement.dataset.base ?? ''

/** Makes a URL of the service relative to the page, so that it works under any host name. */
export const toRelativeUrl = (url: string) => (url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url)
