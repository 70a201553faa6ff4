import type { Images } from '../../../../features/images/index.ts'
import type { RequestObserver } from '../../../kernel/batch-requests.ts'
import { columnsOf, type Live } from './columns.ts'
import { watchProcess } from './process.ts'
import { cacheKinds, type PackedSlot, packed, Slot, unpacked } from './slot.ts'

/** Seconds of one slot, and of the longer ones that a reader may ask for. */
export const steps = [5, 15, 60] as const
const SLOT_MS = steps[0] * 1000
/** An hour, in about a megabyte. */
const KEPT = 720
/** So many columns of a chart can be told apart. */
export const MAX_SHOWN = 60
/** The queue is looked at several times a slot, so that a short jam shows. */
const LOOK_MS = 1000

/** The clock on the wall as it was at the start: it may be set, and slots must not come twice. */
const steadyClock = () => performance.timeOrigin + performance.now()

export interface HistoryOptions {
  /** Who tells it: another one has another past. */
  readonly node: string
  readonly filters: readonly string[]
  readonly pipeline: () => Pick<ReturnType<Images['status']>, 'running' | 'waiting' | 'caches' | 'replies'>
  readonly clock?: () => number
}

export interface History {
  readonly observe: RequestObserver
  /** Measures, and begins a new slot where it is time. Also done by itself every second. */
  look(): void
  /** The last slots of `step` seconds; `others` are those of the processes beside this one. */
  view(wish: { since?: number; step?: number }, others?: readonly (readonly PackedSlot[])[]): Live
  /** The last slots of `step` seconds, for another process. */
  slots(step: number): PackedSlot[]
  close(): void
}

/** The last hour. A request only adds to the newest slot, and does so in the batches of the observers. */
export function createHistory({ node, filters, pipeline, clock = steadyClock }: HistoryOptions): History {
  const begun = (ms: number, length = SLOT_MS) => Math.floor(ms / length) * length
  const process = watchProcess()
  const past: Slot[] = []
  let replies = pipeline().replies
  let opened = clock()
  let current = new Slot(begun(opened))

  const seal = (now: number) => {
    current.seconds = Math.max(1, Math.round((now - opened) / 1000))
    opened = now
    past.push(current)
    if (past.length > KEPT) past.shift()
    current = new Slot(begun(now))
  }

  const look = () => {
    const { running, waiting, caches, replies: now } = pipeline()
    for (const kind of cacheKinds) current.cache[kind] += now[kind] - replies[kind]
    replies = now
    const cacheBytes = Object.values(caches).reduce((sum, { bytes }) => sum + bytes, 0)
    current.measure({ running, waiting, cacheBytes, ...process.read() })
    const at = clock()
    if (at >= current.at + SLOT_MS) seal(at)
  }
  // On the full second, so that a slot is as long as it says; a timer may come a little early, and must not come twice.
  const later = () => {
    const left = LOOK_MS - (clock() % LOOK_MS)
    return left < LOOK_MS / 2 ? left + LOOK_MS : left
  }
  const again = () => {
    look()
    timer = setTimeout(again, later()).unref()
  }
  let timer = setTimeout(again, later()).unref()

  const lastOf = (step: number): Map<number, Slot> => {
    const length = step * 1000
    const from = begun(past.at(-1)?.at ?? 0, length) - (MAX_SHOWN - 1) * length
    const bins = new Map<number, Slot>()
    for (const slot of past) {
      const at = begun(slot.at, length)
      if (at < from) continue
      const bin = bins.get(at) ?? new Slot(at)
      bin.take(slot)
      bins.set(at, bin)
    }
    return bins
  }

  return {
    look,
    observe: (observed) => current.count(observed, filters),
    close: () => {
      clearTimeout(timer)
      process.close()
    },
    slots: (step) => [...lastOf(step).values()].map(packed),
    view: ({ since = 0, step = steps[0] }, others = []) => {
      const bins = lastOf(step)
      for (const slot of others.flat().map(unpacked)) {
        const beside = bins.get(slot.at)
        if (beside) beside.takeBeside(slot)
      }
      const from = begun(since, step * 1000)
      const shown = [...bins.values()].filter(({ at }) => at >= from)
      return { node, now: new Date(clock()).toISOString(), step, ...columnsOf(shown) }
    },
  }
}
