// The worker's side: its connection to the primary, or the stand-in where the service is a single process.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogSink } from '../logging/index.ts'
import {
  createPendingCalls,
  READ_TIMEOUT_MS,
  type ShutdownOptions,
  type ToPrimary,
  type ToWorker,
  type WorkerAssignment,
} from './messages.ts'
import { surviveDisconnect } from './node-internals.ts'

/** What a process of the service knows about the other processes of its node. */
export interface WorkerContext {
  /** 1 to `workerCount`. */
  readonly number: number
  readonly workerCount: number
  /** Exactly one worker does what only one may do: generated files, updates of the blocklist, the picture index. */
  readonly isLeader: boolean
  /** Start of the service, which may be earlier than the start of this process. */
  readonly startedAt: Date
  /** Receives the log lines; undefined if the process writes its own log files. */
  readonly log?: LogSink
  /** Lets other workers collect a value from this one. It must be plain JSON. */
  provide(topic: string, read: () => unknown): void
  /** The values of all workers, this one first. Workers that do not answer in time are left out. */
  collect(topic: string): Promise<unknown[]>
  /** Counters since the start of this process: plain JSON, values only grow. The primary keeps them after it exits. */
  provideCounters(read: () => unknown): void
  /** The counters of all workers, including those that have exited. */
  collectCounters(): Promise<readonly unknown[]>
}

export interface ConnectedWorker extends WorkerContext {
  readonly host: string
  readonly port: number
  readonly log: LogForwarder
  /** Prints on the terminal of the primary. */
  print(text: string): void
  reportReady(url: string): void
  /** Resolves when the primary requests a shutdown, or when the primary is gone. */
  readonly shutdownRequested: Promise<ShutdownOptions>
  /**
   * Call it after the server is closed; the process then exits by itself. A busy primary may have passed a connection to
   * this worker before it learned of the shutdown, and a worker that has exited cannot hand it back. So the worker waits
   * for a message from the primary, which arrives after all connections. Before that, the primary reads the counters.
   */
  disconnect(): Promise<void>
}

/** Longer than the primary waits for the other workers. */
const COLLECT_TIMEOUT_MS = 2 * READ_TIMEOUT_MS
const DISCONNECT_TIMEOUT_MS = 5000
const COUNTERS = 'counters'

type Providers = Map<string, () => unknown>

/** Undefined if nothing is provided for the topic, reading fails, or it takes too long. */
async function readFrom(providers: Providers, topic: string): Promise<unknown> {
  try {
    return await Promise.race([providers.get(topic)?.(), sleep(READ_TIMEOUT_MS, undefined, { ref: false })])
  } catch {
    return undefined
  }
}

/** The context of a service that is a single process. */
export function singleProcess(): WorkerContext {
  const providers: Providers = new Map()
  const collect = async (topic: string) => [await readFrom(providers, topic)].filter((value) => value !== undefined)
  return {
    number: 1,
    workerCount: 1,
    isLeader: true,
    startedAt: new Date(),
    provide: (topic, read) => void providers.set(topic, read),
    collect,
    provideCounters: (read) => void providers.set(COUNTERS, read),
    collectCounters: () => collect(COUNTERS),
  }
}

export const isWorker = () => cluster.isWorker

export async function connectToPrimary(): Promise<ConnectedWorker> {
  const { worker } = cluster
  if (!worker) throw new Error('Only a process that the supervisor started can connect to it')
  const providers: Providers = new Map()
  const calls = createPendingCalls<readonly unknown[]>()
  const assigned = Promise.withResolvers<WorkerAssignment>()
  const shutdownRequested = Promise.withResolvers<ShutdownOptions>()
  const released = Promise.withResolvers<void>()
  /** Used again if the primary is too busy to answer: Prometheus reads a counter that falls as a restart. */
  let lastCounters: readonly unknown[] = []
  // If the primary is gone, there is nobody to send to; `shutdownRequested` resolves in that case.
  const send = (message: ToPrimary, sent = () => {}) => {
    if (process.connected) process.send?.(message, sent)
    else sent()
  }
  const log = createLogForwarder((lines, sent) => send({ kind: 'log-lines', lines }, sent))

  const handlers: { [Kind in ToWorker['kind']]: (message: Extract<ToWorker, { kind: Kind }>) => void } = {
    assignment: ({ assignment }) => assigned.resolve(assignment),
    shutdown: ({ options }) => shutdownRequested.resolve(options),
    'log-problem': ({ problem }) => log.setProblem(problem),
    read: async ({ id, topic }) => send({ kind: 'value', id, value: await readFrom(providers, topic) }),
    'read-counters': async ({ id }) => send({ kind: 'counters', id, counters: await readFrom(providers, COUNTERS) }),
    values: ({ id, values }) => calls.resolve(id, values),
    disconnect: () => released.resolve(),
  }
  // A primary of another version may send messages that this version does not know.
  process.on('message', (message: ToWorker) => handlers[message.kind]?.(message as never))
  worker.once('disconnect', () => {
    surviveDisconnect(worker)
    shutdownRequested.resolve({ graceMs: 0, lingerMs: 0 })
    released.resolve()
  })
  send({ kind: 'started' })
  const { number, workerCount, host, port, startedAt } = await assigned.promise

  return {
    number,
    workerCount,
    isLeader: number === 1,
    startedAt: new Date(startedAt),
    host,
    port,
    log,
    provide: (topic, read) => void providers.set(topic, read),
    async collect(topic) {
      const [own, others] = await Promise.all([
        readFrom(providers, topic),
        calls.call(COLLECT_TIMEOUT_MS, [], (id) => send({ kind: 'collect', id, topic })),
      ])
      return [own, ...others].filter((value) => value !== undefined && value !== null)
    },
    provideCounters: (read) => void providers.set(COUNTERS, read),
    async collectCounters() {
      lastCounters = await calls.call(COLLECT_TIMEOUT_MS, lastCounters, (id) => send({ kind: 'collect-counters', id }))
      return lastCounters
    },
    print: (text) => send({ kind: 'print', text }),
    reportReady: (url) => send({ kind: 'ready', url }),
    shutdownRequested: shutdownRequested.promise,
    async disconnect() {
      surviveDisconnect(worker)
      if (process.connected) {
        send({ kind: 'disconnecting' })
        await Promise.race([released.promise, sleep(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })])
      }
      if (process.connected) process.disconnect?.()
    },
  }
}

export interface LogForwarder extends LogSink {
  /** The problem that the primary has with the log file. */
  setProblem(problem: string | undefined): void
}

// Batches as in the log file: one message per line would cost more than the rest of a request.
const BATCH_CHARS = 32 * 1024
const SEND_INTERVAL_MS = 200
// If the primary is slow, lines wait in memory. Above this they are dropped and counted.
const MAX_PENDING_CHARS = 8 * 1024 * 1024

/** Sends the log lines of a worker to the primary: only one process may write, rotate and delete the log files. */
function createLogForwarder(send: (lines: string, sent: () => void) => void): LogForwarder {
  let batch = ''
  let pendingChars = 0
  let dropped = 0
  let problem: string | undefined
  let idle = Promise.withResolvers<void>()

  const flush = () => {
    if (batch === '') return
    const lines = batch
    batch = ''
    pendingChars += lines.length
    send(lines, () => {
      pendingChars -= lines.length
      if (pendingChars > 0) return
      idle.resolve()
      idle = Promise.withResolvers()
    })
  }
  const timer = setInterval(flush, SEND_INTERVAL_MS).unref()

  return {
    write(line) {
      if (pendingChars > MAX_PENDING_CHARS) {
        dropped++
        return
      }
      batch += line
      if (batch.length >= BATCH_CHARS) flush()
    },
    problem: () => problem ?? (dropped > 0 ? `${dropped} log lines were dropped` : undefined),
    setProblem: (reported) => {
      problem = reported
    },
    flush,
    async close() {
      clearInterval(timer)
      flush()
      if (pendingChars > 0) await idle.promise
    },
  }
}
