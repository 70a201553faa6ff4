// What the nodes have announced. It is in the store, so that one of several nodes sends a message, and sends it once.

import { parseJson } from '../../platform/files/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import type { Markers } from '../../platform/store/index.ts'
import { cut } from './webhook-format.ts'

/**
 * Changes a JSON value in the store. `compute` returns the next value, or undefined for no change. Resolves to false if
 * another node changed it at the same time: the caller then tries again at its next check.
 */
export async function changeSharedValue<T>(
  markers: Markers,
  name: string,
  compute: (stored: T | undefined) => T | undefined,
): Promise<boolean> {
  const text = await markers.get(name)
  const next = compute(parseJson(text ?? '') as T | undefined)
  return next === undefined || (await markers.replace(name, text, JSON.stringify(next)))
}

/** Finds ids that no node has announced. Ids that exist when the list is first created count as announced. */
export function createAnnouncer(markers: Markers, name: string) {
  let known = new Set<string>()
  let isRead = false

  /**
   * `existing`: further ids to remember, such as releases that are withdrawn for now. Resolves to undefined if another
   * node announced something at the same time: call it again.
   */
  return async (ids: readonly string[], existing: readonly string[] = ids): Promise<string[] | undefined> => {
    if (isRead && ids.every((id) => known.has(id))) return []
    let added: string[] = []
    // If the store cannot be written, the next call finds them again.
    isRead = false
    const isChanged = await changeSharedValue<string[]>(markers, name, (announced) => {
      added = announced ? ids.filter((id) => !announced.includes(id)) : []
      known = new Set([...(announced ?? ids), ...added])
      if (announced && added.length === 0) return undefined
      const worthKeeping = new Set([...ids, ...existing])
      return [...known].filter((id) => worthKeeping.has(id))
    })
    isRead = isChanged
    return isChanged ? added : undefined
  }
}

// Finds out which problems begin and end. Several nodes may have the same problem, such as an invalid file: it begins on
// the first node that has it, and ends when no node has it any more.

/** A problem ends when no node has had it for this long. Also avoids messages about a problem that comes and goes. */
const HOLD_MS = 30_000
/** All nodes read the list often. */
const MAX_TRACKED = 100
/** Further invalid files are rarely new information, and must not keep other problems from being reported. */
const MAX_TRACKED_FILES = 50
const MAX_TEXT = 300

interface Tracked {
  readonly text: string
  /** Nodes that have the problem increase it. It is not a time, because clocks of nodes may differ. */
  readonly heartbeat: number
}

type TrackedProblems = Readonly<Record<string, Tracked>>

interface ProblemWatcherOptions {
  readonly markers: Markers
  readonly onBegan: (texts: string[]) => void
  readonly onEnded: (texts: string[]) => void
  readonly holdMs?: number
}

export function createProblemWatcher({ markers, onBegan, onEnded, holdMs = HOLD_MS }: ProblemWatcherOptions) {
  /** The problems of the previous check. A problem that only one check finds is not worth a message. */
  let previous = new Set<string>()
  let tracked: TrackedProblems = {}
  /** When this node first saw the current heartbeat. */
  const heartbeats = new Map<string, { heartbeat: number; since: number }>()
  /** Problems that this node announced on its own while the store was unavailable. */
  const unshared = new Map<string, string>()

  const report = (began: string[], ended: string[]) => {
    if (began.length > 0) onBegan(began)
    if (ended.length > 0) onEnded(ended)
  }

  const readAge = (key: string, heartbeat: number): number => {
    const known = heartbeats.get(key)
    if (known?.heartbeat === heartbeat) return performance.now() - known.since
    heartbeats.set(key, { heartbeat, since: performance.now() })
    return 0
  }

  const share = async (
    current: ReadonlyMap<string, string>,
    lasting: readonly (readonly [string, string])[],
    keysOfFiles: ReadonlySet<string>,
  ) => {
    let [began, ended]: [string[], string[]] = [[], []]
    let latest = tracked
    const isShared = await changeSharedValue<TrackedProblems>(markers, 'tracked-problems', (stored = {}) => {
      ;[began, ended] = [[], []]
      const next: Record<string, Tracked> = { ...stored }
      for (const [key, text] of unshared) next[key] ??= { text, heartbeat: 0 }
      for (const [key, text] of lasting) {
        const max = keysOfFiles.has(key) ? MAX_TRACKED_FILES : MAX_TRACKED
        if (next[key] || Object.keys(next).length >= max) continue
        next[key] = { text, heartbeat: 0 }
        began.push(text)
      }
      let isChanged = Object.keys(next).length > Object.keys(stored).length
      for (const [key, { text, heartbeat }] of Object.entries(next)) {
        const age = readAge(key, heartbeat)
        const hasEnded = !current.has(key) && age >= holdMs
        if (hasEnded) {
          delete next[key]
          ended.push(text)
        } else if (current.has(key) && age >= holdMs / 3) next[key] = { text, heartbeat: heartbeat + 1 }
        else continue
        isChanged = true
      }
      latest = next
      return isChanged ? next : undefined
    })
    if (!isShared) return
    tracked = latest
    // A problem that begins again starts with heartbeat 0, which must not look as old as that of the last time.
    for (const key of heartbeats.keys()) if (!latest[key]) heartbeats.delete(key)
    unshared.clear()
    report(began, ended)
  }

  return {
    /** The number of problems that some node has. */
    open: () => Object.keys(tracked).length + unshared.size,
    async check(problems: readonly ServiceProblem[]): Promise<void> {
      const current = new Map(problems.map((problem) => [toKey(problem), describe(problem)]))
      const lasting = [...current].filter(([key]) => previous.has(key))
      previous = new Set(current.keys())
      const keysOfFiles = new Set(problems.filter(({ file }) => file !== undefined).map(toKey))
      try {
        await share(current, lasting, keysOfFiles)
      } catch {
        // The store is unavailable, which is the most important problem of all: each node reports it.
        const began = lasting.filter(([key]) => !tracked[key] && !unshared.has(key)).slice(0, MAX_TRACKED)
        for (const [key, text] of began) unshared.set(key, text)
        report(
          began.map(([, text]) => text),
          [],
        )
      }
    },
  }
}

/** Numbers in a message change while the problem stays the same. */
const toKey = ({ part, file = '', rule = '', message }: ServiceProblem) =>
  cut([part, file, rule, message.replace(/\d+/g, '#')].join(' '), MAX_TEXT)

const describe = ({ part, file, message }: ServiceProblem) =>
  cut(`${part}: ${file === undefined ? '' : `${file}: `}${message}`, MAX_TEXT)
