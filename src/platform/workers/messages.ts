// The messages between the primary and its workers (plain JSON), and calls that wait for an answer.
import { withTimeout } from '../concurrency/index.ts'

/** Sent to a worker when it starts; it does not change afterwards. */
export interface WorkerAssignment {
  /** 1 to `workerCount`. A replacement gets the number of the worker that it replaces. */
  readonly number: number
  readonly workerCount: number
  /** All workers listen on the same address. */
  readonly host: string
  readonly port: number
  /** Start of the service in milliseconds since 1970. A replaced worker is younger than the service. */
  readonly startedAt: number
}

/** Serve for `graceMs` while `/readyz` answers 503, then keep idle connections open for `lingerMs`, then stop. */
export interface ShutdownOptions {
  /** New connections are still accepted for this time. */
  readonly graceMs: number
  /** Idle connections stay open for this time after that. */
  readonly lingerMs: number
  /** Closes the port at a moment when no connection waits to be accepted. For the last process that accepts them. */
  readonly emptiesListenQueue?: boolean | undefined
}

export type ToPrimary =
  | { readonly kind: 'started' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'log-lines'; readonly lines: string }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'collect'; readonly id: number; readonly topic: string }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'disconnecting' }

/** `started` and `ready` belong to the start of a process; the others come from a worker that serves. */
export type FromServingWorker = Exclude<ToPrimary, { readonly kind: 'started' | 'ready' }>

export type ToWorker =
  | { readonly kind: 'assignment'; readonly assignment: WorkerAssignment }
  | { readonly kind: 'shutdown'; readonly options: ShutdownOptions }
  | { readonly kind: 'log-problem'; readonly problem: string | undefined }
  | { readonly kind: 'read'; readonly id: number; readonly topic: string }
  | { readonly kind: 'values'; readonly id: number; readonly values: readonly unknown[] }
  | { readonly kind: 'disconnect' }

/**
 * The topic of values that only grow, such as `{ requests: 5 }`. The primary keeps the last ones of each worker, so they
 * are collected even from workers that are late or have exited.
 */
export const COUNTERS = 'counters'

/** A worker has this long to produce a value. */
export const READ_TIMEOUT_MS = 1000

export function createPendingCalls<Answer>() {
  const pending = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  return {
    /** `send` sends the call with its id. Resolves to `fallback` if no answer arrives in time. */
    async call(timeoutMs: number, fallback: Answer, send: (id: number) => void): Promise<Answer> {
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<Answer>()
      pending.set(id, resolve)
      send(id)
      const answer = await withTimeout(timeoutMs, promise, () => fallback)
      pending.delete(id)
      return answer
    },
    resolve: (id: number, answer: Answer) => pending.get(id)?.(answer),
  }
}
