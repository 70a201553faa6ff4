import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'
import { createTurns, createUses, type GroupPath } from './turns.ts'

interface SemaphoreOptions {
  maxRunning: number
  /** For each group of a path, such as a network and an address in it: no group can take all slots. */
  maxRunningPerGroup: number
  /** The same for the groups inside of another. Default: `maxRunningPerGroup`. */
  maxRunningPerInnerGroup?: number
  /** Slots in addition to `maxRunning`, for callers whose widest group, such as their network, has none. */
  reserve?: number
  /** Default: no limit. */
  maxWaiting?: number
  /** Whether groups that used slots least are first. False if clients can make up groups. Default: true. */
  countsUse?: boolean
  /** After this time a waiting caller fails with BUSY. Default: a minute. */
  waitTimeoutMs?: number
  /** Seconds to wait before retrying, for BUSY. Default: the time that it waited at most. */
  computeRetryAfter?: (waiting: number) => number
}

type Waiter = { readonly path: GroupPath; admit(slot: Disposable): void; refuse(reason: unknown): void }

export type FairSemaphore = ReturnType<typeof createFairSemaphore>

/**
 * Admits a bounded number of callers at a time, lets a bounded number wait for a bounded time, and refuses the rest with
 * BUSY. Fair by group: a free slot goes to the waiting group that used slots least, and groups that used as much take
 * turns. If the queue is full, the group with the most waiters loses its newest.
 */
export function createFairSemaphore(options: SemaphoreOptions) {
  const { maxRunning, maxRunningPerGroup, maxRunningPerInnerGroup = maxRunningPerGroup, reserve = 0 } = options
  const { maxWaiting = Number.POSITIVE_INFINITY, countsUse = true, waitTimeoutMs = 60_000 } = options
  const { computeRetryAfter = () => Math.ceil(waitTimeoutMs / 1000) } = options
  const runningByGroup = new Map<string, number>()
  const uses = countsUse ? createUses() : undefined
  const turns = createTurns<Waiter>({ uses })
  let running = 0

  const hasSlot = (path: GroupPath) =>
    running < maxRunning + (runningByGroup.has(path[0] ?? '') ? 0 : reserve) &&
    path.every(
      (group, level) => (runningByGroup.get(group) ?? 0) < (level === 0 ? maxRunningPerGroup : maxRunningPerInnerGroup),
    )
  const busy = () => new Busy(computeRetryAfter(Math.min(turns.size(), maxWaiting)))

  function take(path: GroupPath): Disposable {
    running++
    for (const group of path) runningByGroup.set(group, (runningByGroup.get(group) ?? 0) + 1)
    uses?.start(path)
    return { [Symbol.dispose]: () => release(path) }
  }

  function release(path: GroupPath): void {
    running--
    uses?.end(path)
    for (const group of path) {
      const left = runningByGroup.get(group)! - 1
      if (left > 0) runningByGroup.set(group, left)
      else runningByGroup.delete(group)
    }
    admitNext()
  }

  /** A slot that became free may admit two waiters: one gets it, and the group that had it may use the reserve. */
  function admitNext(): void {
    // Without a free slot there is nothing to find, and ordering all waiters takes long.
    const waiter = running < maxRunning + reserve ? turns.find(({ path }) => hasSlot(path)) : undefined
    if (!waiter) return
    turns.endTurn(waiter.path)
    waiter.admit(take(waiter.path))
    admitNext()
  }

  /** The slot is released by disposing it. */
  async function acquire(path: GroupPath, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (hasSlot(path)) return take(path)
    if (maxWaiting === 0) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const settle = (outcome: () => void) => {
      turns.remove(path, waiter)
      clearTimeout(timer)
      listener?.[Symbol.dispose]()
      outcome()
    }
    const waiter: Waiter = {
      path,
      admit: (slot) => settle(() => resolve(slot)),
      refuse: (reason) => settle(() => reject(reason)),
    }
    const timer = setTimeout(() => waiter.refuse(busy()), waitTimeoutMs)
    const listener = signal && addAbortListener(signal, () => waiter.refuse(signal.reason))
    turns.add(path, waiter)
    if (turns.size() > maxWaiting) turns.findSurplus(path)?.refuse(busy())
    return promise
  }

  return { acquire, status: () => ({ running, waiting: turns.size() }) }
}
