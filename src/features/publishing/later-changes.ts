// How the changes of the history relate to each other.
import { ChangedSince } from '../../errors/index.ts'
import type { History } from './history.ts'
import type { HistoryEntry, HistorySummary } from './history-entry.ts'

const MAX_NAMED = 5

/** Maps the id of each undone change to the id of the change that undid it. `entries`: newest first. */
function findUndone(entries: readonly HistorySummary[]): ReadonlyMap<number, number> {
  const undone = new Map<number, number>()
  for (const { id, undoes } of entries) if (undoes !== undefined && !undone.has(id)) undone.set(undoes, id)
  return undone
}

/** What a change did to a file. */
const stateOf = ({ before, after }: HistoryEntry['files'][number]) =>
  before === null ? 'added' : after === null ? 'removed' : 'changed'

/** The newest changes, without their lines. */
export async function listHistory(history: History, limit: number) {
  const entries = await history.list(limit)
  const undone = findUndone(entries)
  return entries.map((entry) => {
    const undoneBy = undone.get(entry.id)
    return { ...entry, ...(undoneBy !== undefined && { undoneBy }) }
  })
}

/** A change as commands and endpoints show it. */
export const shapeChange = ({ files, ...entry }: HistoryEntry) => ({
  ...entry,
  files: files.map(({ before, after, ...file }) => ({ ...file, state: stateOf({ ...file, before, after }) })),
})

/** Names the later changes that prevent an undo. */
export async function explainChangedSince(
  history: History,
  { id, files }: HistoryEntry,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ChangedSince)) throw error
  const entries = await history.list(Number.POSITIVE_INFINITY)
  const undone = findUndone(entries)
  const undoneBy = undone.get(id)
  if (undoneBy !== undefined) throw new ChangedSince(`It was already undone by change ${undoneBy}.`)
  const names = new Set(files.map(({ file }) => file))
  const blocking = entries.filter(
    (later) =>
      later.id > id &&
      !undone.has(later.id) &&
      // An undo of a later change restores what was there before that change.
      !(later.undoes !== undefined && later.undoes > id) &&
      later.files.some((file) => names.has(file)),
  )
  if (blocking.length === 0) throw error
  const list = blocking.slice(0, MAX_NAMED).map(({ id, change, subject }) => `${id} (${change} ${subject})`)
  const more = blocking.length > MAX_NAMED ? ` and ${blocking.length - MAX_NAMED} more` : ''
  throw new ChangedSince(
    `It was changed since by ${list.join(', ')}${more}. Undo these first, the newest first, or edit it.`,
    { changes: blocking.map(({ id }) => id) },
  )
}
