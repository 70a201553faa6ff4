// The history of changes: who changed what and when, with the text before and after. One JSON file per change.
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ChangedSince, UnknownChange } from '../../errors/index.ts'
import type { FileContent, FileEdit } from '../../platform/files/index.ts'
import {
  createAtomically,
  readOptionalFile,
  readRegularFile,
  removeOldTemporaryFiles,
  writeAtomically,
} from '../../platform/files/index.ts'
import type { FilePatch, HistoryEntry, HistorySummary, StoredEntry } from './history-entry.ts'
import { parseEntry, versionOf } from './history-entry.ts'

/** Names of files are relative to CONTENT_DIR; these belong to the product. */
export const APP_PREFIX = 'app/'
/** In DATA_DIR. */
export const HISTORY_FOLDER = 'history'
const PENDING = '.pending.json'
const MAX_ENTRIES = 1000
const MAX_BYTES = 64 * 1024 * 1024
/** Maximum bytes of removed pictures that are kept. */
export const MAX_KEPT_BYTES = 256 * 1024 * 1024

/** Throws if the file is not as the change left it. */
function assertUnchanged({ file, before, after }: FilePatch, content: FileContent): void {
  if (versionOf(content) === before) throw new ChangedSince(`${file} is already as it was before the change.`)
  if (versionOf(content) !== after)
    throw new ChangedSince(`${file} was changed since. Undo the later changes first, or edit it.`)
}

const revertLines = ({ line, removed, added }: FilePatch, text: FileContent) =>
  (text === null ? [] : String(text).split('\n')).toSpliced(line, added.length, ...removed).join('\n')

const toSummary = (entry: HistoryEntry | undefined): HistorySummary | undefined =>
  entry && { ...entry, files: entry.files.map(({ file }) => file) }

/** Removes the oldest files, but not the newest one. */
export async function limitFolder(folder: string, maxBytes: number): Promise<void> {
  const names = await readdir(folder)
  const files = await Promise.all(names.map(async (name) => ({ name, ...(await stat(join(folder, name))) })))
  let bytes = 0
  for (const [index, { name, size }] of files.sort((a, b) => b.mtimeMs - a.mtimeMs).entries()) {
    bytes += size
    if (index > 0 && bytes > maxBytes) await rm(join(folder, name), { force: true })
  }
}

export type History = ReturnType<typeof openHistory>

/** `folder` is created by the first change. */
export function openHistory(folder: string) {
  const kept = join(folder, 'pictures')
  const pathOf = (id: number) => join(folder, `${id}.json`)
  const pendingPathOf = (id: number) => join(folder, `${id}${PENDING}`)

  /** Newest first. */
  const listIds = async (ending = '.json'): Promise<number[]> => {
    const names = await readdir(folder).catch((error) => {
      // Otherwise the next change would get a number that exists, and replace its entry. If the folder is a file, each
      // number would seem to be taken (EEXIST).
      if (error.code !== 'ENOENT') throw error
      return []
    })
    const ids = names.flatMap((name) =>
      /^([1-9]\d{0,14})(\.(?:pending\.)?json)$/.exec(name)?.[2] === ending ? name : [],
    )
    return ids.map(Number.parseFloat).sort((a, b) => b - a)
  }

  const findLastId = async () => Math.max(0, ...(await listIds()), ...(await listIds(PENDING)))

  /** Undefined: there is none, or another program has changed it. Rejects if it cannot be read. */
  const read = async (path: string): Promise<HistoryEntry | undefined> => {
    try {
      const { attached: _, ...entry }: StoredEntry = JSON.parse((await readRegularFile(path)).toString())
      return entry
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Keyed by id and modification time. Concurrent lists share one read of an entry. */
  const summaries = new LRUCache<string, Promise<HistorySummary | undefined>>({ max: MAX_ENTRIES })
  const summarise = async (id: number): Promise<HistorySummary | undefined> => {
    const path = pathOf(id)
    const key = `${id} ${(await stat(path).catch(() => undefined))?.mtimeMs}`
    const summary =
      summaries.get(key) ??
      read(path)
        .then(toSummary)
        .catch(() => undefined)
    summaries.set(key, summary)
    return summary
  }

  const removeOld = async (ids: readonly number[]) => {
    await removeOldTemporaryFiles(folder)
    let bytes = 0
    for (const [index, id] of ids.entries()) {
      bytes += (await stat(pathOf(id)).catch(() => undefined))?.size ?? 0
      if (index > 0 && (index >= MAX_ENTRIES || bytes > MAX_BYTES)) await rm(pathOf(id), { force: true })
    }
  }

  return {
    /**
     * Returns the entry as text. The change is pending until `commit`: if the process is killed, `listPending` finds it.
     * With a given id, it rejects with EEXIST if a change with this id is pending.
     */
    async add(entry: Omit<StoredEntry, 'id' | 'at'>, givenId?: number): Promise<{ id: number; text: string }> {
      const ids = await listIds()
      for (let id = givenId ?? (await findLastId()) + 1; ; id++) {
        const text = JSON.stringify({ id, at: new Date().toISOString(), ...entry } satisfies StoredEntry)
        try {
          // Complete at once: a change of another folder would remove an incomplete one.
          await createAtomically(pendingPathOf(id), `${text}\n`)
        } catch (error) {
          if (givenId === undefined && (error as NodeJS.ErrnoException).code === 'EEXIST') continue
          throw error
        }
        await removeOld([id, ...ids])
        return { id, text }
      }
    },
    /** Adds entries of other nodes. */
    async put(entries: ReadonlyMap<number, string>): Promise<void> {
      for (const [id, text] of entries) if (parseEntry(text)) await writeAtomically(pathOf(id), `${text}\n`)
      if (entries.size > 0) await removeOld(await listIds())
    },
    /** The entry as it is sent to other nodes. Undefined: there is none. */
    readText: async (id: number) => (await readRegularFile(pathOf(id)).catch(() => undefined))?.toString().trim(),
    lastId: findLastId,
    /** The entries of this node do not belong to those of the other nodes. Nothing is deleted. */
    setAside: () => rename(folder, `${folder}-${Date.now()}`).catch(() => {}),
    /** Keeps pictures that a change removes, as long as there is space. */
    async keep(edits: readonly FileEdit[]): Promise<void> {
      const removed = edits.flatMap(({ before }) => (Buffer.isBuffer(before) ? [before] : []))
      if (removed.length === 0) return
      for (const bytes of removed) await writeAtomically(join(kept, versionOf(bytes)!), bytes)
      await limitFolder(kept, MAX_KEPT_BYTES)
    },
    /** The content before a change. Throws if the file is not as the change left it. */
    async revert(patch: FilePatch, content: FileContent): Promise<FileContent> {
      assertUnchanged(patch, content)
      if (patch.before === null) return null
      if (patch.bytes === undefined) return revertLines(patch, content)
      return readRegularFile(join(kept, patch.before)).catch(() => {
        throw new ChangedSince(
          `${patch.file} cannot be restored: removed pictures are kept up to ${MAX_KEPT_BYTES} bytes.`,
        )
      })
    },
    async find(id: number): Promise<HistoryEntry> {
      const entry = await read(pathOf(id))
      if (!entry) throw new UnknownChange(id)
      return entry
    },
    /** Succeeds if another process has committed the change already. */
    async commit(id: number): Promise<void> {
      await rename(pendingPathOf(id), pathOf(id)).catch((error) => stat(pathOf(id)).catch(() => Promise.reject(error)))
    },
    remove: (id: number) => rm(pendingPathOf(id), { force: true }),
    async listPending(): Promise<{ id: number; files: readonly FilePatch[] }[]> {
      const ids = await listIds(PENDING)
      return Promise.all(ids.map(async (id) => ({ id, files: (await read(pendingPathOf(id)))?.files ?? [] })))
    },
    /** Newest first. */
    async list(limit: number): Promise<HistorySummary[]> {
      const entries = await Array.fromAsync((await listIds()).slice(0, limit), summarise)
      return entries.filter((entry) => entry !== undefined)
    },
  }
}

/**
 * Recovers from changes that a killed process left: if all files of a change were written, it is kept, otherwise all of
 * them are restored. Call it under the lock of the folder: then no process is making these changes.
 */
export async function recover(history: History, contentDir: string, isApp: boolean): Promise<void> {
  for (const { id, files } of await history.listPending()) {
    if (files.some(({ file }) => file.startsWith(APP_PREFIX) !== isApp)) continue
    const states = await Promise.all(files.map((patch) => readState(contentDir, patch)))
    const isComplete = files.length > 0 && states.every(({ isAfter }) => isAfter)
    if (isComplete) {
      await history.commit(id)
      continue
    }
    for (const { patch, content, isAfter } of states.toReversed()) {
      // A file that was edited meanwhile stays as it is.
      if (!isAfter) continue
      const path = join(contentDir, patch.file)
      const before = await history.revert(patch, content)
      if (before === null) await rm(path, { force: true })
      else await writeAtomically(path, before)
    }
    await history.remove(id)
  }
}

async function readState(contentDir: string, patch: FilePatch) {
  const bytes = await readOptionalFile(contentDir, patch.file)
  const content = bytes && patch.bytes === undefined ? bytes.toString() : bytes
  return { patch, content, isAfter: versionOf(content) === patch.after }
}
