import { addAbortListener } from 'node:events'
import { Busy } from '../../errors/index.ts'

export interface GateOptions {
  /** How many may be inside at once. */
  total: number
  /** Of them of one key: whoever it stands for (a host, a caller) cannot take all places. */
  perKey: number
  /** How many may wait for a place. */
  waiting: number
  /** How long one waits before it is sent away. */
  waitMs: number
  /** Seconds after which trying again makes sense. */
  retryAfter: (waiting: number) => number
}

/** A place inside, given back when disposed. */
export type Place = Disposable

interface Waiter {
  admit(place: Place): void
  refuse(reason: unknown): void
}

export interface Gate {
  enter(key: string, signal: AbortSignal): Promise<Place>
  status(): { running: number; waiting: number }
}

/**
 * Lets a bounded number in, a bounded number wait for a bounded time, and sends the rest away. Fair by key: places go
 * round the keys that wait, and where the line is full, the key with most in it loses its newest.
 */
export function createGate({ total, perKey, waiting: limit, waitMs, retryAfter }: GateOptions): Gate {
  const inside = new Map<string, number>()
  // In the order of their turns: who was served goes to the end.
  const lines = new Map<string, Set<Waiter>>()
  let running = 0
  let waiting = 0

  const fits = (key: string) => running < total && (inside.get(key) ?? 0) < perKey
  const busy = () => new Busy(retryAfter(waiting))

  function take(key: string): Place {
    running++
    inside.set(key, (inside.get(key) ?? 0) + 1)
    return { [Symbol.dispose]: () => leave(key) }
  }

  function leave(key: string): void {
    running--
    const left = inside.get(key)! - 1
    if (left > 0) inside.set(key, left)
    else inside.delete(key)
    admitNext()
  }

  /** One place came free, so one fits at most. */
  function admitNext(): void {
    const key = lines.keys().find(fits)
    const line = key === undefined ? undefined : lines.get(key)
    if (key === undefined || !line) return
    lines.delete(key)
    lines.set(key, line)
    const [first] = line
    first!.admit(take(key))
  }

  function makeRoomFor(key: string): void {
    if (waiting < limit) return
    const longest = lines.values().reduce((a, b) => (b.size > a.size ? b : a))
    if (longest.size <= (lines.get(key)?.size ?? 0) + 1) throw busy()
    for (const newest of [...longest].slice(-1)) newest.refuse(busy())
  }

  function joinLine(key: string, waiter: Waiter): void {
    lines.set(key, (lines.get(key) ?? new Set()).add(waiter))
    waiting++
  }

  function leaveLine(key: string, waiter: Waiter): void {
    const line = lines.get(key)!
    line.delete(waiter)
    if (line.size === 0) lines.delete(key)
    waiting--
  }

  async function enter(key: string, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    if (fits(key)) return take(key)
    if (limit === 0) throw busy()
    makeRoomFor(key)
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    const settle = (outcome: () => void) => {
      leaveLine(key, waiter)
      clearTimeout(patience)
      listening[Symbol.dispose]()
      outcome()
    }
    const waiter = {
      admit: (place: Place) => settle(() => resolve(place)),
      refuse: (reason: unknown) => settle(() => reject(reason)),
    }
    const patience = setTimeout(() => waiter.refuse(busy()), waitMs)
    const listening = addAbortListener(signal, () => waiter.refuse(signal.reason))
    joinLine(key, waiter)
    return promise
  }

  return { enter, status: () => ({ running, waiting }) }
}
