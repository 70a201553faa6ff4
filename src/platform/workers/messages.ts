// The messages between the primary and its workers (plain JSON).
import { createPendingCalls } from '../concurrency/index.ts'
import type { LogSink } from '../logging/index.ts'
import type { WorkerProcess } from './worker-slot.ts'

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

// What the primary does with the messages of its workers.

/** Longer than a worker has for its answer. */
const CALL_TIMEOUT_MS = 1.5 * READ_TIMEOUT_MS
const LOG_CHECK_INTERVAL_MS = 1000
const SAME_TEXT_MS = 10_000

export interface MessageHandlerOptions {
  /** All running workers, including those that are not ready yet. */
  readonly workers: ReadonlySet<WorkerProcess>
  readonly logFile: Pick<LogSink, 'write' | 'problem'>
  print(text: string): void
  /** Merges the counters of several workers into one value. */
  addCounters(counters: readonly unknown[]): unknown
}

export function createMessageHandler({ workers, logFile, print, addCounters }: MessageHandlerOptions) {
  const calls = createPendingCalls<unknown>()
  const totals = createCounterTotals(addCounters)
  const printUnique = createUniquePrinter(print)
  let logProblem: string | undefined

  const timer = setInterval(() => {
    if (logFile.problem() === logProblem) return
    logProblem = logFile.problem()
    for (const worker of workers) worker.send({ kind: 'log-problem', problem: logProblem })
  }, LOG_CHECK_INTERVAL_MS)

  const read = (worker: WorkerProcess, topic: string) =>
    calls.call(CALL_TIMEOUT_MS, undefined, (id) => worker.send({ kind: 'read', id, topic }))
  /** If the worker is late, its last known counters stay in the totals. */
  const readCounters = async (worker: WorkerProcess) => totals.update(worker, await read(worker, COUNTERS))

  const collect = async (from: WorkerProcess, topic: string) => {
    if (topic !== COUNTERS) {
      const others = [...workers].filter((worker) => worker !== from && worker.isServing())
      return Promise.all(others.map((worker) => read(worker, topic)))
    }
    await Promise.all([...workers].filter((worker) => worker.isRunning()).map(readCounters))
    return totals.all()
  }

  type Handler<Kind> = (from: WorkerProcess, message: Extract<FromServingWorker, { kind: Kind }>) => unknown
  const handlers: { [Kind in FromServingWorker['kind']]: Handler<Kind> } = {
    'log-lines': (_, { lines }) => logFile.write(lines),
    print: (_, { text }) => printUnique(text),
    value: (_, { id, value }) => calls.resolve(id, value),
    collect: async (from, { id, topic }) => from.send({ kind: 'values', id, values: await collect(from, topic) }),
    disconnecting: async (from) => {
      await readCounters(from)
      from.send({ kind: 'disconnect' })
    },
  }

  return {
    readCounters,
    /** Ignores unknown kinds: after an update a worker may be newer than the primary. */
    handle: (from: WorkerProcess, message: FromServingWorker) => void handlers[message.kind]?.(from, message as never),
    onStarted: (worker: WorkerProcess) => {
      if (logProblem) worker.send({ kind: 'log-problem', problem: logProblem })
    },
    onExited: totals.retire,
    close: () => clearInterval(timer),
  }
}

/** Counters outlive the workers that counted: a total that falls when a worker is replaced looks like a restart. */
function createCounterTotals(add: MessageHandlerOptions['addCounters']) {
  const latest = new Map<WorkerProcess, unknown>()
  /** The sum over the workers that have exited; empty before the first has. */
  let exited: readonly unknown[] = []
  return {
    update(worker: WorkerProcess, counters: unknown): void {
      if (counters !== undefined && !worker.hasExited()) latest.set(worker, counters)
    },
    retire(worker: WorkerProcess): void {
      if (latest.has(worker)) exited = [add([...exited, latest.get(worker)])]
      latest.delete(worker)
    },
    /** Every worker is included exactly once. */
    all: () => [...latest.values(), ...exited],
  }
}

/** Every worker reads the same folders and reports the same problems: prints equal texts only once in a while. */
function createUniquePrinter(print: (text: string) => void): (text: string) => void {
  const printedAt = new Map<string, number>()
  return (text) => {
    const now = performance.now()
    for (const [old, at] of printedAt) if (now - at > SAME_TEXT_MS) printedAt.delete(old)
    if (!printedAt.has(text)) print(text)
    printedAt.set(text, now)
  }
}
