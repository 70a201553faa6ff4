import { addAbortListener } from 'node:events'
import { Busy } from '../errors.ts'

export interface GateOptions {
  /** Fetches under way at once. */
  total: number
  /** Of them to one host: one slow host cannot take all places, and no host is flooded in our name. */
  perHost: number
  /** Fetches that may wait for a place. */
  waiting: number
  /** How long one waits before it is sent away. */
  waitMs: number
}

/** A place inside, given back when disposed. */
export type Place = Disposable

/** Lets a bounded number in, a bounded number wait for a bounded time, and sends the rest away. */
export function createGate({ total, perHost, waiting, waitMs }: GateOptions) {
  const inside = new Map<string, number>()
  const line = new Set<{ host: string; admit: (place: Place) => void }>()
  let count = 0

  const fits = (host: string) => count < total && (inside.get(host) ?? 0) < perHost

  function take(host: string): Place {
    count++
    inside.set(host, (inside.get(host) ?? 0) + 1)
    return { [Symbol.dispose]: () => leave(host) }
  }

  function leave(host: string) {
    count--
    const left = inside.get(host)! - 1
    if (left > 0) inside.set(host, left)
    else inside.delete(host)
    for (const waiter of line) if (fits(waiter.host)) waiter.admit(take(waiter.host))
  }

  async function enter(host: string, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    if (fits(host)) return take(host)
    const retryAfter = Math.ceil(waitMs / 1000)
    if (line.size >= waiting) throw new Busy(retryAfter)
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    const settle = (outcome: () => void) => {
      line.delete(waiter)
      clearTimeout(limit)
      listening[Symbol.dispose]()
      outcome()
    }
    const waiter = { host, admit: (place: Place) => settle(() => resolve(place)) }
    const listening = addAbortListener(signal, () => settle(() => reject(signal.reason)))
    const limit = setTimeout(() => settle(() => reject(new Busy(retryAfter))), waitMs)
    line.add(waiter)
    return promise
  }

  return { enter, status: () => ({ running: count, waiting: line.size }) }
}
