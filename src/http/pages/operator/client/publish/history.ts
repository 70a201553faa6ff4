import { element } from '../../../shared/client/dom.ts'
import { formatDateTime } from '../format.ts'
import { button, note, time, untrusted } from '../rows.ts'
import { call } from '../session.ts'
import type { Reply } from '../types.ts'
import { renderDiff } from './diff.ts'
import { entryTable, type Section, undoForm } from './section.ts'

type HistoryEntry = Reply<'history'>['history'][number]
type ChangedFile = Reply<'history/{id}'>['change']['files'][number]

const describeFile = ({ file, line, removed, added, bytes, state }: ChangedFile) => {
  const place = bytes === undefined ? `, after line ${line}` : ` (${bytes} bytes)`
  const lines = [...removed.map((text) => `-${text}`), ...added.map((text) => `+${text}`)]
  return [`${file} ${state}${place}`, ...lines].join('\n')
}

/** Shows the lines before and after the change in a row of their own. */
function showLines({ id }: HistoryEntry): HTMLElement {
  let row: HTMLElement | undefined
  const toggle = button('Show', `change ${id}`, async () => {
    toggle.ariaExpanded = String(!row)
    row?.remove()
    const made = row ? undefined : element('td', { colSpan: 6 }, 'Loading …')
    row = made && element('tr', { className: 'lines' }, made)
    if (!made || !row) return
    toggle.closest('tr')?.after(row)
    try {
      const { change } = await call<Reply<'history/{id}'>>(`/history/${id}`)
      made.replaceChildren(renderDiff(change.files.map(describeFile).join('\n\n'), `Before and after change ${id}`))
    } catch (error) {
      made.replaceChildren(note((error as Error).message))
    }
  })
  toggle.ariaExpanded = 'false'
  return toggle
}

const stateOf = ({ undoes, undoneBy }: HistoryEntry) =>
  undoneBy !== undefined ? 'undone' : undoes === undefined ? 'made' : `undid change ${undoes}`

export const history: Section<readonly HistoryEntry[]> = {
  name: 'history',
  title: 'History',
  about: 'Changes by this dashboard, by commands and over HTTP, newest first. Edits with an editor are not listed.',
  load: async () => (await call<Reply<'history'>>('/history?limit=200')).history,
  show(entries, tools) {
    if (entries.length === 0) return [note('Nothing was changed yet.')]
    const rows = entries.map((entry) => {
      const { id, at, by, change, subject, undoneBy } = entry
      const undo = { Undo: undoForm([id], `${change} ${subject}`) }
      const what = element('span', {}, `${change} `, untrusted(subject), ' ', element('small', {}, `change ${id}`))
      const cells = [what, time(at, formatDateTime(at)), untrusted(by), stateOf(entry), showLines(entry)]
      return { subject: `change ${id}`, cells, forms: undoneBy === undefined ? undo : {} }
    })
    return [entryTable('All changes', ['What', 'When', 'By', 'State', 'Lines'], rows, tools)]
  },
}
