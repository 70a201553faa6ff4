import { all, element, one } from '../../shared/client/dom.ts'

export type Cell = Node | string

/** What came from outside: text in its own direction, never HTML. */
export const outside = (text: string) => element('bdi', { className: 'outside' }, text)

export const time = (at: string, words: string) => element('time', { dateTime: at }, words)

export function table(title: string, heads: readonly string[], rows: readonly (readonly Cell[])[]): HTMLElement {
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell, n) => tableCell(cell, heads[n] ?? ''))))
  const caption = element('caption', { className: 'unseen' }, title)
  const made = element('table', {}, caption, element('thead', {}, head), element('tbody', {}, ...body))
  return element('div', { className: 'scroll rows', tabIndex: 0, role: 'region', ariaLabel: title }, made)
}

/** Where there is no room for columns, the cell shows its heading itself. */
function tableCell(content: Cell, head: string): HTMLElement {
  const made = element('td', {}, content)
  made.dataset.head = head
  return made
}

export const nothing = (text: string) => element('p', { className: 'aside' }, text)

export function button(text: string, about: string, work: (button: HTMLButtonElement) => void, main = false) {
  const more = element('span', { className: 'unseen' }, ' ', element('bdi', {}, about))
  const made = element('button', { type: 'button', className: main ? 'press quiet' : 'second' }, text, more)
  made.dataset.of = `${text} ${about}`
  made.addEventListener('click', () => work(made))
  return made
}

/** Puts new contents into a part of the page where they differ, and gives the focus back to the same button. */
export function createPart(name: string) {
  const root = one(`[data-part="${name}"]`)
  const list = one('[data-list]', root)
  let seen = ''
  return {
    root,
    show<T>(facts: T, make: (facts: T) => readonly Cell[]) {
      const now = JSON.stringify(facts)
      if (now === seen) return
      seen = now
      const focused = list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : undefined
      list.replaceChildren(...make(facts))
      if (!focused) return
      const same = all('[data-of]', list).find(({ dataset }) => dataset.of === focused.dataset.of)
      ;(same ?? root.querySelector<HTMLElement>('h2'))?.focus()
    },
  }
}
