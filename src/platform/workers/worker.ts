// The worker's side: its connection to the primary, or the stand-in where the service is a single process.
import cluster from 'node:cluster'
import { createPendingCalls, withTimeout } from '../concurrency/index.ts'
import { createRecentProblem, type LogSink } from '../logging/index.ts'
import { surviveDisconnect } from './cluster-internals.ts'
import * as messages from './messages.ts'

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
  /** Lets other workers collect a value from this one. It must be plain JSON. The topic `COUNTERS` is special. */
  provide(topic: string, read: () => unknown): void
  /** The values of all workers, this one first. Workers that do not answer in time are left out. */
  collect(topic: string): Promise<readonly unknown[]>
}

/** Longer than the primary waits for the other workers. */
const COLLECT_TIMEOUT_MS = 2 * messages.READ_TIMEOUT_MS
const DISCONNECT_TIMEOUT_MS = 5000

type Providers = Map<string, () => unknown>

/** Undefined if nothing is provided for the topic, reading fails, or it takes too long. */
const readFrom = (providers: Providers, topic: string) =>
  withTimeout(messages.READ_TIMEOUT_MS, (async () => providers.get(topic)?.())(), () => undefined).catch(
    () => undefined,
  )

export function singleProcess(): WorkerContext {
  const providers: Providers = new Map()
  return {
    number: 1,
    workerCount: 1,
    isLeader: true,
    startedAt: new Date(),
    provide: (topic, read) => void providers.set(topic, read),
    collect: async (topic) => [await readFrom(providers, topic)].filter((value) => value !== undefined),
  }
}

export const isWorker = () => cluster.isWorker

export async function connectToPrimary() {
  const { worker } = cluster
  if (!worker) throw new Error('Only a process that the supervisor started can connect to it')
  const providers: Providers = new Map()
  const calls = createPendingCalls<readonly unknown[]>()
  const assigned = Promise.withResolvers<messages.WorkerAssignment>()
  const shutdownRequested = Promise.withResolvers<messages.ShutdownOptions>()
  const released = Promise.withResolvers<void>()
  /** Used again if the primary is too busy to answer: Prometheus reads a counter that falls as a restart. */
  let lastCounters: readonly unknown[] = []
  // If the primary is gone, there is nobody to send to; `shutdownRequested` resolves in that case.
  const send = (message: messages.ToPrimary, sent = () => {}) => {
    if (process.connected) process.send?.(message, sent)
    else sent()
  }
  const log = createLogForwarder((lines, sent) => send({ kind: 'log-lines', lines }, sent))

  const handlers: {
    [Kind in messages.ToWorker['kind']]: (message: Extract<messages.ToWorker, { kind: Kind }>) => void
  } = {
    assignment: ({ assignment }) => assigned.resolve(assignment),
    shutdown: ({ options }) => shutdownRequested.resolve(options),
    'log-problem': ({ problem }) => log.setProblem(problem),
    read: async ({ id, topic }) => send({ kind: 'value', id, value: await readFrom(providers, topic) }),
    values: ({ id, values }) => calls.resolve(id, values),
    disconnect: () => released.resolve(),
  }
  // A primary of another version may send messages that this version does not know.
  process.on('message', (message: messages.ToWorker) => handlers[message.kind]?.(message as never))
  worker.once('disconnect', () => {
    surviveDisconnect(worker)
    shutdownRequested.resolve({ graceMs: 0, lingerMs: 0 })
    released.resolve()
  })
  send({ kind: 'started' })
  const { number, workerCount, host, port, startedAt } = await assigned.promise

  const context: WorkerContext = {
    number,
    workerCount,
    isLeader: number === 1,
    startedAt: new Date(startedAt),
    provide: (topic, read) => void providers.set(topic, read),
    async collect(topic) {
      const request = (id: number) => send({ kind: 'collect', id, topic })
      if (topic === messages.COUNTERS) {
        lastCounters = await calls.call(COLLECT_TIMEOUT_MS, lastCounters, request)
        return lastCounters
      }
      const [own, others] = await Promise.all([readFrom(providers, topic), calls.call(COLLECT_TIMEOUT_MS, [], request)])
      return [own, ...others].filter((value) => value !== undefined && value !== null)
    },
  }
  return {
    ...context,
    host,
    port,
    log,
    /** Prints on the terminal of the primary. */
    print: (text: string) => send({ kind: 'print', text }),
    reportReady: (url: string) => send({ kind: 'ready', url }),
    /** Resolves when the primary requests a shutdown, or when the primary is gone. */
    shutdownRequested: shutdownRequested.promise,
    /**
     * Call it after the server is closed; the process then exits by itself. A busy primary may have passed a connection to
     * this worker before it learned of the shutdown, and a worker that has exited cannot hand it back. So the worker waits
     * for a message from the primary, which arrives after all connections. Before that, the primary reads the counters.
     */
    async disconnect() {
      surviveDisconnect(worker)
      if (process.connected) {
        send({ kind: 'disconnecting' })
        await withTimeout(DISCONNECT_TIMEOUT_MS, released.promise, () => {})
      }
      if (process.connected) process.disconnect?.()
    },
  }
}

// Batches as in the log file: one message per line would cost more than the rest of a request.
const BATCH_CHARS = 32 * 1024
const SEND_INTERVAL_MS = 200
// If the primary is slow, lines wait in memory. Above this they are dropped and counted.
const MAX_PENDING_CHARS = 8 * 1024 * 1024

/** Sends the log lines of a worker to the primary: only one process may write, rotate and delete the log files. */
function createLogForwarder(send: (lines: string, sent: () => void) => void) {
  let batch = ''
  let pendingChars = 0
  let dropped = 0
  const loss = createRecentProblem()
  let problem: string | undefined
  let lastSent = Promise.resolve()

  const flush = () => {
    if (batch === '') return
    const lines = batch
    batch = ''
    pendingChars += lines.length
    const { promise, resolve } = Promise.withResolvers<void>()
    lastSent = promise
    send(lines, () => {
      pendingChars -= lines.length
      resolve()
    })
  }
  const timer = setInterval(flush, SEND_INTERVAL_MS).unref()

  return {
    write(line: string): void {
      if (pendingChars > MAX_PENDING_CHARS) {
        loss.report(`${++dropped} log lines were dropped`)
        return
      }
      batch += line
      if (batch.length >= BATCH_CHARS) flush()
    },
    problem: () => problem ?? loss.message(),
    /** Sets the problem that the primary has with the log file. */
    setProblem: (reported: string | undefined) => {
      problem = reported
    },
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      flush()
      await lastSent
    },
  }
}
