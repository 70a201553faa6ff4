import { element, one } from '../../../shared/client/dom.ts'
import { formatInteger } from '../format.ts'
import { button, type Cell, createPart, table } from '../rows.ts'
import { SignedOut } from '../session.ts'
import { createForm, type FormDefinition } from './form.ts'

/** Of a long list, only the newest entries are shown at first. */
const MAX_SHOWN = 50

/** What a section uses to show its entries. */
export interface Tools {
  readonly mayPublish: boolean
  open(form: FormDefinition): void
  /** Loads the section again. */
  refresh(): void
}

/** One section of the dashboard that publishes. */
export interface Section<Data = unknown> {
  /** The part of the URL after #. */
  readonly name: string
  readonly title: string
  readonly about: string
  /** Forms that create an entry, by the text of their button. */
  readonly create?: Readonly<Record<string, () => FormDefinition>>
  load(): Promise<Data>
  show(data: Data, tools: Tools): readonly Cell[]
}

interface Entry {
  /** The name of the entry for screen readers. */
  readonly subject: string
  readonly cells: readonly Cell[]
  /** Forms that change the entry, by the text of their button. */
  readonly forms: Readonly<Record<string, FormDefinition>>
}

/** A table of entries, each with a menu of its forms. */
export function entryTable(
  title: string,
  heads: readonly string[],
  entries: readonly Entry[],
  tools: Tools,
): HTMLElement {
  const build = (shown: readonly Entry[]) => {
    const rows = shown.map(({ subject, cells, forms }) => [
      ...cells,
      ...(tools.mayPublish ? [menu(subject, forms, tools)] : []),
    ])
    return table(title, [...heads, ...(tools.mayPublish ? ['Change'] : [])], rows)
  }
  if (entries.length <= MAX_SHOWN) return build(entries)
  const more = button(`Show all ${formatInteger(entries.length)}`, '', () => node.replaceChildren(build(entries)))
  const node = element('div', {}, build(entries.slice(0, MAX_SHOWN)), more)
  return node
}

function menu(subject: string, forms: Entry['forms'], tools: Tools): HTMLElement {
  const made = element('details', { className: 'menu' })
  const buttons = Object.entries(forms).map(([text, form]) =>
    button(text, subject, () => {
      made.open = false
      tools.open(form)
    }),
  )
  if (buttons.length <= 1) return buttons[0] ?? element('span')
  const summary = element('summary', {}, 'Change', element('span', { className: 'visually-hidden' }, ` ${subject}`))
  summary.dataset.of = `Change ${subject}`
  made.append(summary, element('div', { className: 'buttons' }, ...buttons))
  return made
}

export const undoForm = (ids: readonly number[], subject: string): FormDefinition => ({
  title: `Undo: ${subject}`,
  action: 'Undo',
  change: () => ids.toReversed().map((id) => ({ method: 'POST', path: `/history/${id}/undo` })),
  checksFirst: true,
})

export function createSection(section: Section, signedOut: (why: string) => void) {
  const { name, title, about, create = {} } = section
  let mayPublish = false
  const done = element('p', { className: 'state', hidden: true, tabIndex: -1, role: 'status' })
  const form = createForm({
    signedOut,
    cancel: () => heading.focus(),
    async done(definition, ids) {
      // The list is loaded first, so that it does not change while the operator uses it.
      await refresh()
      const undo = button('Undo', definition.title, () => void form.open(undoForm(ids, definition.title)))
      done.replaceChildren(`Done: ${definition.title}. `, ...(ids.length > 0 ? [undo] : []))
      done.hidden = false
      done.focus()
    },
  })
  const open = (definition: FormDefinition) => {
    done.hidden = true
    void form.open(definition)
  }
  const makers = Object.entries(create).map(([text, make]) => button(text, '', () => open(make()), 'press quiet'))
  const heading = element('h2', { id: `publish-${name}`, tabIndex: -1 }, title)
  const bar = element('div', { className: 'bar' }, heading, ...makers)
  const problem = element('p', { className: 'problem', role: 'alert' })
  const list = element('div')
  list.dataset.list = ''
  const root = element('section', { className: 'card', hidden: true })
  root.setAttribute('aria-labelledby', heading.id)
  root.dataset.part = `publish-${name}`
  root.append(bar, element('p', { className: 'aside' }, about), done, form.root, problem, list)
  one('[data-publishing]').append(root)
  const part = createPart(root.dataset.part)

  async function refresh(): Promise<void> {
    try {
      const data = await section.load()
      problem.textContent = ''
      const tools = { mayPublish, open, refresh: () => void refresh() }
      part.show({ data, mayPublish }, () => section.show(data, tools))
    } catch (error) {
      if (error instanceof SignedOut) signedOut(error.message)
      else problem.textContent = (error as Error).message
    }
  }

  return {
    name,
    title,
    heading,
    isDirty: form.isDirty,
    close: form.close,
    show(isAllowed: boolean): void {
      mayPublish = isAllowed
      for (const maker of makers) maker.hidden = !isAllowed
      form.root.inert = !isAllowed
      root.hidden = false
      void refresh()
    },
    hide(): void {
      root.hidden = true
    },
  }
}
