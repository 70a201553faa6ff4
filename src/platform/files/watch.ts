import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const SETTLE_MS = 200
const LOOK_ANYWAY_MS = 1500
/** Where more change at once, to look at all is as quick. */
const MAX_NAMES = 1000

export interface Watching {
  /** Ends the watching; a call of `changed` that runs already is not waited for. */
  stop(): void
}

/**
 * Calls `changed(true)` soon after something below `folder` changed, and `changed(false)` every 1.5 s otherwise: file
 * events are lost on network folders, in some containers and when a folder is replaced, so a reader of few files
 * compares sizes and times then too. Calls never overlap.
 *
 * It listens to folders, not to files: Node's recursive watch on Linux opens one watcher a file, which a kind of
 * 100,000 pictures cannot afford.
 */
export function watchFolder(
  folder: string,
  changed: (surely: boolean) => Promise<void>,
  /** Told before that which names in the folder itself came, changed or went, where the system says so. */
  named: (names: readonly string[]) => Promise<void> = async () => {},
): Watching {
  const listening = new Map<string, { watcher: FSWatcher; mtimeMs: number }>()
  let timer: NodeJS.Timeout | undefined
  let due = Number.POSITIVE_INFINITY
  let stopped = false
  let noticed = false
  let names = new Set<string>()

  const notice = (path: string, name: string | null) => {
    noticed = true
    if (path === folder && name !== null && names.size < MAX_NAMES) names.add(name)
    lookWithin(SETTLE_MS)
  }

  // An earlier look is never put off: a folder that changes all the time is still looked at.
  const lookWithin = (ms: number) => {
    const at = Date.now() + ms
    if (stopped || at >= due) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(look, ms)
    timer.unref()
  }

  const look = async () => {
    const told = [...names]
    names = new Set()
    if (told.length > 0) await named(told).catch(() => {})
    await follow(folder)
    const surely = noticed
    noticed = false
    await changed(surely).catch(() => {})
    due = Number.POSITIVE_INFINITY
    lookWithin(noticed ? SETTLE_MS : LOOK_ANYWAY_MS)
  }

  /** Listens to a folder and the folders in it, and lets go of those that went. */
  const follow = async (path: string): Promise<void> => {
    try {
      const { mtimeMs } = await stat(path)
      const known = listening.get(path)
      if (known?.mtimeMs === mtimeMs) {
        for (const below of [...listening.keys()]) if (isChild(path, below)) await follow(below)
        return
      }
      noticed = true
      if (stopped) return
      if (known) known.mtimeMs = mtimeMs
      else listening.set(path, { watcher: listen(path), mtimeMs })
      for (const entry of await readdir(path, { withFileTypes: true })) {
        if (entry.isDirectory() && !entry.name.startsWith('.')) await follow(join(path, entry.name))
      }
    } catch {
      forget(path)
    }
  }

  const listen = (path: string) => {
    const watcher = watch(path, { persistent: false }, (event, name) => {
      // What came or went in the moment of the change before leaves the time of the folder as it was.
      const known = event === 'rename' && listening.get(path)
      if (known) known.mtimeMs = Number.NaN
      notice(path, name)
    })
    watcher.on('error', () => forget(path))
    return watcher
  }

  const forget = (path: string) => {
    const gone = listening.get(path)
    if (!gone) return
    noticed = true
    gone.watcher.close()
    listening.delete(path)
  }

  lookWithin(0)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      for (const { watcher } of listening.values()) watcher.close()
      listening.clear()
    },
  }
}

const isChild = (folder: string, path: string) =>
  path.length > folder.length + 1 && path.startsWith(folder) && !path.slice(folder.length + 1).includes('/')
