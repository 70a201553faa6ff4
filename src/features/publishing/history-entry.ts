// The entries of the history.
import { hash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { ChangedSince } from '../../errors/index.ts'
import { compareLines, type FileContent, type FileEdit, isPlainName, parseJson } from '../../platform/files/index.ts'
import { findSchemaError } from '../../platform/yaml/index.ts'
import type { History } from './history.ts'

/** Equal contents have equal versions. Null: there is no file. */
export const versionOf = (content: FileContent): string | null =>
  content === null ? null : hash('sha256', content, 'base64url')

/** Versions are parts of paths. */
export const isVersion = (text: string) => /^[\w-]{43}$/.test(text)

const version = Type.Union([Type.Null(), Type.Refine(Type.String(), isVersion)])
const lines = Type.Array(Type.String())

/** The lines that a change replaced in a file. Only they are stored: the file itself may have megabytes. */
const FilePatch = Type.Object({
  /** Relative to CONTENT_DIR. */
  file: Type.Refine(Type.String(), isPlainName),
  /** The number of lines before the replaced ones. */
  line: Type.Integer(),
  removed: lines,
  added: lines,
  /** The size of a picture, which has no lines. */
  bytes: Type.Optional(Type.Integer()),
  /** Versions of the whole file. Null: it did not exist. */
  before: version,
  after: version,
})
export type FilePatch = Static<typeof FilePatch>

/** A file of a release, which came with a change. An undo does not remove it. */
const AttachedFile = Type.Object({ file: Type.String(), version: Type.String() })
export type AttachedFile = Static<typeof AttachedFile>

/** An entry in the form that is stored and sent to other nodes. */
const StoredEntry = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  /** The label of the token, or "command". */
  by: Type.String(),
  /** The id of the token. */
  token: Type.Optional(Type.String()),
  /** Such as "release withdraw". */
  change: Type.String(),
  /** Such as "launcher 2.1.0". */
  subject: Type.String(),
  /** The id of the change that this one undid. */
  undoes: Type.Optional(Type.Integer()),
  files: Type.Array(FilePatch),
  /** Undefined in entries of a service that had no other nodes. */
  attached: Type.Optional(Type.Array(AttachedFile)),
})
export type StoredEntry = Static<typeof StoredEntry>

export type HistoryEntry = Omit<StoredEntry, 'attached'>

/** A change without its lines, which may have megabytes. */
export type HistorySummary = Omit<HistoryEntry, 'files'> & { readonly files: readonly string[] }

/** An entry of another node. Undefined: another program has written it. */
export function parseEntry(text: string): StoredEntry | undefined {
  const entry = parseJson(text)
  return findSchemaError(StoredEntry, entry) ? undefined : (entry as StoredEntry)
}

export function createPatch({ file, before, after }: FileEdit): FilePatch {
  const versions = { before: versionOf(before), after: versionOf(after) }
  const picture = [after, before].find((content) => Buffer.isBuffer(content))
  if (picture) return { file, line: 0, removed: [], added: [], bytes: picture.length, ...versions }
  const [old, changed] = [before, after].map((text) => (text === null ? [] : String(text).split('\n')))
  const { head: line, tail } = compareLines(old!, changed!)
  const [removed, added] = [old!, changed!].map((lines) => lines.slice(line, lines.length - tail))
  return { file, line, removed: removed!, added: added!, ...versions }
}

// What commands and endpoints show of the history.

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
export const toChangeJson = ({ files, ...entry }: HistoryEntry) => ({
  ...entry,
  files: files.map((patch) => {
    const { before, after, ...file } = patch
    const state = stateOf(patch)
    // The text of a whole file ends with a line break, and no line follows it.
    const [removed, added] = [file.removed, file.added].map((lines) =>
      state !== 'changed' && lines.at(-1) === '' ? lines.slice(0, -1) : lines,
    )
    return { ...file, removed: removed!, added: added!, state }
  }),
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
    `A file of this change was changed since by ${list.join(', ')}${more}. Undo these first, the newest first.`,
    { changes: blocking.map(({ id }) => id) },
  )
}
