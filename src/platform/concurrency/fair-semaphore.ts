import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'
import { createTurns, type GroupPath } from './turns.ts'

export interface SemaphoreOptions {
  maxRunning: number
  /** For each group of a path, such as a network and an address in it: no group can take all slots. */
  maxRunningPerGroup: number
  maxWaiting: number
  /** After this time a waiting caller fails with BUSY. */
  waitTimeoutMs: number
  /** Seconds to wait before retrying, for BUSY. */
  computeRetryAfter: (waiting: number) => number
}

interface Waiter {
  readonly path: GroupPath
  admit(slot: Disposable): void
  refuse(reason: unknown): void
}

export type FairSemaphore = ReturnType<typeof createFairSemaphore>

/**
 * Admits a bounded number of callers at a time, lets a bounded number wait for a bounded time, and refuses the rest with
 * BUSY. Fair by group: free slots go to the waiting groups in turn. If the queue is full, the group with the most waiters loses its
 * newest.
 */
export function createFairSemaphore(options: SemaphoreOptions) {
  const { maxRunning, maxRunningPerGroup, maxWaiting, waitTimeoutMs, computeRetryAfter } = options
  const runningByGroup = new Map<string, number>()
  const turns = createTurns<Waiter>()
  let running = 0

  const hasSlot = (path: GroupPath) =>
    running < maxRunning && path.every((group) => (runningByGroup.get(group) ?? 0) < maxRunningPerGroup)
  const busy = () => new Busy(computeRetryAfter(Math.min(turns.size(), maxWaiting)))

  function take(path: GroupPath): Disposable {
    running++
    for (const group of path) runningByGroup.set(group, (runningByGroup.get(group) ?? 0) + 1)
    return { [Symbol.dispose]: () => release(path) }
  }

  function release(path: GroupPath): void {
    running--
    for (const group of path) {
      const left = runningByGroup.get(group)! - 1
      if (left > 0) runningByGroup.set(group, left)
      else runningByGroup.delete(group)
    }
    admitNext()
  }

  /** One slot became free, so at most one waiter can be admitted. */
  function admitNext(): void {
    const waiter = turns.find(({ path }) => hasSlot(path))
    if (!waiter) return
    turns.endTurn(waiter.path)
    waiter.admit(take(waiter.path))
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
