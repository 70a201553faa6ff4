// The messages between the primary and its workers (plain JSON), and calls that wait for an answer.

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
  readonly graceMs: number
  readonly lingerMs: number
}

export type ToPrimary =
  | { readonly kind: 'started' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'log-lines'; readonly lines: string }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'collect'; readonly id: number; readonly topic: string }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'collect-counters'; readonly id: number }
  | { readonly kind: 'counters'; readonly id: number; readonly counters: unknown }
  | { readonly kind: 'disconnecting' }

/** `started` and `ready` belong to the start of a process; the others come from a worker that serves. */
export type FromServingWorker = Exclude<ToPrimary, { readonly kind: 'started' | 'ready' }>

export type ToWorker =
  | { readonly kind: 'assignment'; readonly assignment: WorkerAssignment }
  | { readonly kind: 'shutdown'; readonly options: ShutdownOptions }
  | { readonly kind: 'log-problem'; readonly problem: string | undefined }
  | { readonly kind: 'read'; readonly id: number; readonly topic: string }
  | { readonly kind: 'values'; readonly id: number; readonly values: readonly unknown[] }
  | { readonly kind: 'read-counters'; readonly id: number }
  | { readonly kind: 'disconnect' }

/** A worker has this long to produce a value. */
export const READ_TIMEOUT_MS = 1000

export interface PendingCalls<Answer> {
  /** `send` sends the call with its id. Resolves to `fallback` if no answer arrives in time. */
  call(timeoutMs: number, fallback: Answer, send: (id: number) => void): Promise<Answer>
  resolve(id: number, answer: Answer): void
}

export function createPendingCalls<Answer>(): PendingCalls<Answer> {
  const pending = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  return {
    call(timeoutMs, fallback, send) {
      const id = ++lastId
      return new Promise((resolve) => {
        const settle = (answer: Answer) => {
          clearTimeout(timer)
          pending.delete(id)
          resolve(answer)
        }
        const timer = setTimeout(settle, timeoutMs, fallback)
        pending.set(id, settle)
        send(id)
      })
    },
    resolve: (id, answer) => pending.get(id)?.(answer),
  }
}
