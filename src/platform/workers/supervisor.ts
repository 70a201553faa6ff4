// The primary: keeps the workers running and replaces them. It does none of the service's own work.
import cluster from 'node:cluster'
import { OperatorError } from '../../errors/index.ts'
import type { Log } from '../logging/index.ts'
import type { FromServingWorker, ShutdownOptions } from './messages.ts'
import { createMessageHandler, type MessageHandlerOptions } from './messages.ts'
import { createWorkerSlot, startWorker, type WorkerProcess } from './worker-slot.ts'

export interface SupervisorOptions extends Omit<MessageHandlerOptions, 'workers'> {
  /** What a worker runs. */
  readonly program: {
    readonly file: string
    readonly args: readonly string[]
    /** Environment variables that it gets in addition to those of this process. */
    readonly environment?: Readonly<Record<string, string>>
  }
  readonly workerCount: number
  readonly host: string
  readonly port: number
  readonly log: Log
  readonly readyTimeoutMs?: number
  /**
   * How long a worker that is replaced keeps idle connections. A client that sends a request in this time gets a reply
   * with `Connection: close`, and connects to another worker.
   */
  readonly lingerMs?: number
  readonly heartbeatIntervalMs?: number
  /** Whether connections on their way to a dying worker are closed. Relies on internals of Node: cluster-internals.ts. */
  readonly closesOrphanedConnections?: boolean
}

/** A start waits at most ten seconds for pictures to be read; the rest is for a slow disk. */
const READY_TIMEOUT_MS = 120_000
const LINGER_MS = 5000
const MAX_FAILED_STARTS = 3
const LAST_WORKER_DELAY_MS = 300

export function supervise(options: SupervisorOptions) {
  const { program, workerCount, host, port, log, closesOrphanedConnections = true } = options
  const { lingerMs = LINGER_MS, readyTimeoutMs = READY_TIMEOUT_MS } = options
  // Round robin instead of the kernel's choice: on Linux a shared listening socket wakes the same few workers again and
  // again, and a keep-alive connection stays where it landed. A closing worker returns connections that it has not
  // accepted yet.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program.file, args: [...program.args] })

  const startedAt = Date.now()
  const workers = new Set<WorkerProcess>()
  const messages = createMessageHandler({ ...options, workers })
  const heartbeats = watchHeartbeats(workers, messages.readCounters, log, options.heartbeatIntervalMs)
  const failed = Promise.withResolvers<never>()
  let failure: OperatorError | undefined
  let stopped: Promise<void> | undefined
  let failedStarts = 0

  const start = (number: number): WorkerProcess => {
    const onMessage = (message: FromServingWorker) => {
      heartbeats.received(worker)
      messages.handle(worker, message)
    }
    const worker: WorkerProcess = startWorker(
      { number, workerCount, host, port, startedAt },
      { environment: program.environment, closesOrphanedConnections, onMessage },
    )
    workers.add(worker)
    messages.onStarted(worker)
    void worker.exited.then(() => {
      workers.delete(worker)
      messages.onExited(worker)
    })
    return worker
  }

  /** Retries without end while at least one worker serves. */
  const mayRetry = (reason: string): boolean => {
    if ([...workers].some((worker) => worker.isServing())) failedStarts = 0
    else if (++failedStarts >= MAX_FAILED_STARTS) giveUp(reason)
    return failure === undefined
  }

  const giveUp = (reason: string) => {
    failure = new OperatorError(`No worker started in ${failedStarts} attempts (${reason}). See the lines above.`)
    void shutdown({ graceMs: 0, lingerMs: 0 }).then(() => failed.reject(failure))
  }

  const slots = Array.from({ length: workerCount }, (_, index) =>
    createWorkerSlot({ start: () => start(index + 1), readyTimeoutMs, mayRetry, log }),
  )

  const fillSlots = async (): Promise<string> => {
    const [first, ...others] = slots
    // The first worker indexes the content; the others read its index from the disk.
    const url = (await first?.fill()) ?? ''
    await Promise.all(others.map((slot) => slot.fill()))
    return url
  }

  const shutdown = (options: ShutdownOptions): Promise<void> => {
    for (const slot of slots) slot.close()
    stopped ??= stopWorkers(options).then(() => {
      heartbeats.close()
      messages.close()
    })
    return stopped
  }

  /** One worker accepts connections longer than the others: the port closes when the last one stops. */
  const stopWorkers = ({ graceMs, lingerMs, emptiesListenQueue }: ShutdownOptions) => {
    // During a rolling restart, some stop already, and some do not accept connections yet.
    const [last, ...others] = [...workers].sort((a, b) => Number(b.isServing()) - Number(a.isServing()))
    return Promise.all([
      ...others.map((worker) => worker.shutdown({ graceMs, lingerMs: lingerMs + LAST_WORKER_DELAY_MS })),
      last?.shutdown({ graceMs: graceMs + LAST_WORKER_DELAY_MS, lingerMs, emptiesListenQueue }),
    ])
  }

  const restart = async (): Promise<string | undefined> => {
    try {
      await ready
      for (const slot of slots) await slot.replace({ graceMs: 0, lingerMs })
      return undefined
    } catch (error) {
      return stopped ? 'the service is stopping' : (error as Error).message
    }
  }

  const ready = fillSlots().catch((error) => {
    throw failure ?? error
  })
  // A caller may wait for only one of them: the other must not be an unhandled rejection.
  for (const promise of [ready, failed.promise]) promise.catch(() => {})
  return {
    /** Resolves to the URL when all workers are ready; rejects with `OperatorError`. */
    ready,
    /** Rejects with `OperatorError` when no worker can be kept running. */
    failed: failed.promise,
    /** Replaces one worker after the other. Returns why a new worker did not start; the remaining old ones then stay. */
    restart,
    shutdown,
  }
}

/** The answer contains the worker's counters, so a worker that crashes loses at most the counts of this time. */
const HEARTBEAT_INTERVAL_MS = 4000
/**
 * A worker is killed after 16 to 20 seconds without an answer: longer than any pause that ends by itself (loading a list,
 * garbage collection in swapped memory), and shorter than most clients wait.
 */
const MAX_MISSED_HEARTBEATS = 4

/**
 * Kills workers whose event loop is blocked; they cannot react to a shutdown message. It counts rounds, not time: while
 * the machine sleeps or the primary itself is blocked, no round passes, and messages that arrived meanwhile are handled
 * before the next round.
 */
function watchHeartbeats(
  workers: ReadonlySet<WorkerProcess>,
  requestAnswer: (worker: WorkerProcess) => unknown,
  log: Log,
  intervalMs = HEARTBEAT_INTERVAL_MS,
) {
  const missedRounds = new WeakMap<WorkerProcess, number>()

  const check = (worker: WorkerProcess) => {
    const missed = missedRounds.get(worker) ?? 0
    missedRounds.set(worker, missed + 1)
    if (missed < MAX_MISSED_HEARTBEATS) requestAnswer(worker)
    if (missed !== MAX_MISSED_HEARTBEATS) return
    const { number, pid } = worker
    log.error({ worker: number, pid, seconds: (missed * intervalMs) / 1000 }, 'a worker does not answer and is killed')
    worker.kill()
  }
  const timer = setInterval(() => {
    // A worker that is shutting down has its own timeout.
    for (const worker of workers) if (worker.isServing()) check(worker)
  }, intervalMs)

  return { received: (worker: WorkerProcess) => void missedRounds.delete(worker), close: () => clearInterval(timer) }
}
