import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Collects the events of one change. */
const EVENT_DELAY_MS = 200
/** Between routine checks. */
const CHECK_INTERVAL_MS = 1500
/** Where more names changed at once, a full check is as fast. */
const MAX_NAMES = 1000

export type FolderWatcher = ReturnType<typeof watchFolder>

/**
 * Calls `onCheck(true)` soon after something changed in `folder` or its subfolders, and `onCheck(false)` every 1.5 s
 * otherwise: file events are lost on network disks, in some containers and when a folder is replaced, so readers of
 * few files compare sizes and times then, too. Calls never overlap.
 *
 * It watches folders, not files: Node's recursive watch on Linux opens one watcher per file, too many for a kind with
 * 100,000 pictures.
 */
export function watchFolder(
  folder: string,
  onCheck: (hasChanged: boolean) => Promise<void>,
  /** Called before `onCheck` with the names in the folder itself that changed, where the system reports them. */
  onNames: (names: readonly string[]) => Promise<void> = async () => {},
) {
  const watched = new Map<string, { watcher: FSWatcher; mtimeMs: number }>()
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isClosed = false
  let hasChanged = false
  let names = new Set<string>()

  const handleEvent = (path: string, name: string | null) => {
    hasChanged = true
    if (path === folder && name !== null && names.size < MAX_NAMES) names.add(name)
    checkWithin(EVENT_DELAY_MS)
  }

  // Never postpones an earlier check: a folder that changes all the time is still checked.
  const checkWithin = (ms: number) => {
    const at = Date.now() + ms
    if (isClosed || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(check, ms)
    // Only the first check keeps the process alive: a command may wait for it.
    if (ms > 0) timer.unref()
  }

  const check = async () => {
    const changedNames = [...names]
    names = new Set()
    if (changedNames.length > 0) await onNames(changedNames).catch(() => {})
    await watchTree(folder)
    const isChanged = hasChanged
    hasChanged = false
    await onCheck(isChanged).catch(() => {})
    dueAt = Number.POSITIVE_INFINITY
    checkWithin(hasChanged ? EVENT_DELAY_MS : CHECK_INTERVAL_MS)
  }

  /** Watches a folder and its subfolders, and forgets those that are gone. */
  const watchTree = async (path: string): Promise<void> => {
    try {
      const { mtimeMs } = await stat(path)
      const entry = watched.get(path)
      if (entry?.mtimeMs === mtimeMs) {
        for (const other of [...watched.keys()]) if (isChild(path, other)) await watchTree(other)
        return
      }
      hasChanged = true
      if (isClosed) return
      if (entry) entry.mtimeMs = mtimeMs
      else watched.set(path, { watcher: startWatcher(path), mtimeMs })
      for (const child of await readdir(path, { withFileTypes: true })) {
        if (child.isDirectory() && !child.name.startsWith('.')) await watchTree(join(path, child.name))
      }
    } catch {
      forget(path)
    }
  }

  const startWatcher = (path: string) => {
    const watcher = watch(path, { persistent: false }, (event, name) => {
      // Two changes in the same tick of the file system's clock leave the folder with the same time.
      const entry = event === 'rename' && watched.get(path)
      if (entry) entry.mtimeMs = Number.NaN
      handleEvent(path, name)
    })
    watcher.on('error', () => forget(path))
    return watcher
  }

  const forget = (path: string) => {
    const entry = watched.get(path)
    if (!entry) return
    hasChanged = true
    entry.watcher.close()
    watched.delete(path)
  }

  checkWithin(0)
  return {
    /** Stops watching; does not wait for a running callback. */
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const { watcher } of watched.values()) watcher.close()
      watched.clear()
    },
  }
}

const isChild = (folder: string, path: string) =>
  path.length > folder.length + 1 && path.startsWith(folder) && !path.slice(folder.length + 1).includes('/')
