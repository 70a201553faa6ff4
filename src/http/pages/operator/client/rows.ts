import { all, createButton, element, one } from '../../shared/client/dom.ts'

export type Cell = Node | string

/** Text from others: isolated writing direction, never HTML. */
export const untrusted = (text: string) => element('bdi', { className: 'untrusted' }, text)

export const time = (at: string, words: string) => element('time', { dateTime: at }, words)

export function table(title: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): HTMLElement {
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell, n) => tableCell(cell, heads[n] ?? ''))))
  const caption = element('caption', { className: 'visually-hidden' }, title)
  const made = element('table', {}, caption, element('thead', {}, head), element('tbody', {}, ...body))
  return element('div', { className: 'scroll rows', tabIndex: 0, role: 'region', ariaLabel: title }, made)
}

/** On narrow screens the cell shows its heading. */
function tableCell(content: Cell, head: string): HTMLElement {
  const made = element('td', {}, content)
  made.dataset.head = head
  return made
}

/** A command that the operator can copy. */
export const formatCommand = (words: string) => `${one('[data-program]').dataset.program} ${words}`

export const note = (text: string) => element('p', { className: 'aside' }, text)

type Look = 'second' | 'press quiet' | 'second danger'

export function button(text: string, about: string, work: (button: HTMLButtonElement) => void, look: Look = 'second') {
  const more = element('span', { className: 'visually-hidden' }, ' ', element('bdi', {}, about))
  const made = createButton(look, () => work(made), text, more)
  made.dataset.of = `${text} ${about}`
  return made
}

/** Replaces the contents of a part of the page if they changed, and restores the focus. */
export function createPart(name: string) {
  const root = one(`[data-part="${name}"]`)
  const list = one('[data-list]', root)
  let seen = ''
  return {
    root,
    show<T>(data: T, render: (data: T) => readonly Cell[]) {
      const now = JSON.stringify(data)
      if (now === seen) return
      seen = now
      const focused = list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : undefined
      list.replaceChildren(...render(data))
      if (!focused) return
      const same = all('[data-of]', list).find(({ dataset }) => dataset.of === focused.dataset.of)
      ;(same ?? root.querySelector<HTMLElement>('h2'))?.focus()
    },
  }
}
