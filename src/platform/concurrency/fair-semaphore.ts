import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'

export interface SemaphoreOptions {
  maxRunning: number
  /** A key is a host or a client. One key cannot take all slots. */
  maxRunningPerKey: number
  maxWaiting: number
  /** After this time a waiting caller fails with BUSY. */
  waitTimeoutMs: number
  /** Seconds to wait before retrying, for BUSY. */
  computeRetryAfter: (waiting: number) => number
}

interface Waiter {
  admit(slot: Disposable): void
  refuse(reason: unknown): void
}

export type FairSemaphore = ReturnType<typeof createFairSemaphore>

/**
 * Runs a bounded number at a time, lets a bounded number wait for a bounded time, and refuses the rest with BUSY. Fair by
 * key: slots go round the waiting keys. If the queue is full, the key with the most waiters loses its newest.
 */
export function createFairSemaphore(options: SemaphoreOptions) {
  const { maxRunning, maxRunningPerKey, maxWaiting, waitTimeoutMs, computeRetryAfter } = options
  const runningByKey = new Map<string, number>()
  /** In the order of their turns: a key that was served moves to the end. */
  const queues = new Map<string, Set<Waiter>>()
  let running = 0
  let waiting = 0

  const hasSlot = (key: string) => running < maxRunning && (runningByKey.get(key) ?? 0) < maxRunningPerKey
  const busy = () => new Busy(computeRetryAfter(waiting))

  function take(key: string): Disposable {
    running++
    runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
    return { [Symbol.dispose]: () => release(key) }
  }

  function release(key: string): void {
    running--
    const left = runningByKey.get(key)! - 1
    if (left > 0) runningByKey.set(key, left)
    else runningByKey.delete(key)
    admitNext()
  }

  /** One slot became free, so at most one waiter can be admitted. */
  function admitNext(): void {
    const [key, queue] = queues.entries().find(([key]) => hasSlot(key)) ?? []
    if (key === undefined || !queue) return
    queues.delete(key)
    queues.set(key, queue)
    const [first] = queue
    first!.admit(take(key))
  }

  function makePlaceFor(key: string): void {
    if (waiting < maxWaiting) return
    const longest = queues.values().reduce((a, b) => (b.size > a.size ? b : a))
    if (longest.size <= (queues.get(key)?.size ?? 0) + 1) throw busy()
    for (const newest of [...longest].slice(-1)) newest.refuse(busy())
  }

  function dequeue(key: string, waiter: Waiter): void {
    const queue = queues.get(key)!
    queue.delete(waiter)
    if (queue.size === 0) queues.delete(key)
    waiting--
  }

  /** The slot is released by disposing it. */
  async function acquire(key: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (hasSlot(key)) return take(key)
    if (maxWaiting === 0) throw busy()
    makePlaceFor(key)
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const settle = (outcome: () => void) => {
      dequeue(key, waiter)
      clearTimeout(timer)
      listener?.[Symbol.dispose]()
      outcome()
    }
    const waiter = {
      admit: (slot: Disposable) => settle(() => resolve(slot)),
      refuse: (reason: unknown) => settle(() => reject(reason)),
    }
    const timer = setTimeout(() => waiter.refuse(busy()), waitTimeoutMs)
    const listener = signal && addAbortListener(signal, () => waiter.refuse(signal.reason))
    queues.set(key, (queues.get(key) ?? new Set()).add(waiter))
    waiting++
    return promise
  }

  return { acquire, status: () => ({ running, waiting }) }
}
