// A slot keeps one worker running: it starts the process, replaces it when it dies, and swaps it in a rolling restart.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedRun } from '../concurrency/index.ts'
import type { Log } from '../logging/index.ts'
import { closeOrphanedConnection } from './cluster-internals.ts'
import type { FromServingWorker, ShutdownOptions, ToPrimary, ToWorker, WorkerAssignment } from './messages.ts'

interface SlotOptions {
  start(): WorkerProcess
  readonly readyTimeoutMs: number
  /** Called when a worker exited before it was ready. Returns false to give up. */
  mayRetry(reason: string): boolean
  readonly log: Log
}

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 30_000
/** A worker that ran this long did not die because of its start. */
const STABLE_AFTER_MS = 60_000

export function createWorkerSlot({ start, readyTimeoutMs, mayRetry, log }: SlotOptions) {
  const closed = new AbortController()
  let current: WorkerProcess | undefined
  let isReplacing = false
  let earlyDeaths = 0

  const waitUntilReady = async (worker: WorkerProcess): Promise<string> => {
    using _timer = setTimeout(() => worker.kill(), readyTimeoutMs)
    return await worker.ready
  }

  /** Resolves to the URL when a worker is ready. From then on a worker that dies is replaced. */
  const { run: fill, running: filling } = createSharedRun(async (): Promise<string> => {
    for (;;) {
      closed.signal.throwIfAborted()
      const worker = start()
      try {
        const url = await waitUntilReady(worker)
        adopt(worker)
        return url
      } catch (error) {
        const reason = (error as Error).message
        closed.signal.throwIfAborted()
        log.error({ worker: worker.number, reason }, 'a worker did not start')
        if (!mayRetry(reason)) throw error
        await backOff(worker)
      }
    }
  })

  const adopt = (worker: WorkerProcess) => {
    current = worker
    void worker.exited.then(async (reason) => {
      if (closed.signal.aborted || worker.isShuttingDown()) return
      log.error({ worker: worker.number, pid: worker.pid, reason }, 'a worker died and will be replaced')
      if (current === worker && !isReplacing) await refill(worker)
    })
  }

  /** Rejections are ignored: they occur only after `close` or after `mayRetry` gave up. */
  const refill = (dead: WorkerProcess) =>
    backOff(dead)
      // A rolling restart may have filled the slot meanwhile, or is about to.
      .then(() => (current === dead && !isReplacing ? fill() : undefined))
      .catch(() => {})

  /** Waits before a dead worker is replaced. The delay doubles as long as workers die soon after their start. */
  const backOff = ({ startedAt }: WorkerProcess) => {
    const isStable = performance.now() - startedAt >= STABLE_AFTER_MS
    earlyDeaths = isStable ? 0 : earlyDeaths + 1
    const delayMs = isStable ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (earlyDeaths - 1))
    return sleep(delayMs, undefined, { signal: closed.signal })
  }

  return {
    fill,
    /** The old worker shuts down when the new one is ready. Rejects if that never happens; then the old one stays. */
    async replace(options: ShutdownOptions): Promise<void> {
      await filling()
      closed.signal.throwIfAborted()
      const old = current
      isReplacing = true
      try {
        const next = start()
        await waitUntilReady(next)
        adopt(next)
      } finally {
        isReplacing = false
        if (old && current === old && old.hasExited()) void refill(old)
      }
      await old?.shutdown(options)
    },
    close: () => closed.abort(),
  }
}

/** A worker lets requests finish for at most ten seconds; the rest is for saving counts and closing. */
const SHUTDOWN_TIMEOUT_MS = 20_000

export type WorkerProcess = ReturnType<typeof startWorker>

interface StartOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly closesOrphanedConnections: boolean
  onMessage(message: FromServingWorker): void
}

export function startWorker(
  assignment: WorkerAssignment,
  { environment, closesOrphanedConnections, onMessage }: StartOptions,
) {
  const child = cluster.fork(environment)
  if (closesOrphanedConnections) closeOrphanedConnection(child)
  const ready = Promise.withResolvers<string>()
  const exited = Promise.withResolvers<string>()
  let isReady = false
  let isShuttingDown = false
  const send = (message: ToWorker): void => {
    if (child.isConnected()) child.send(message, () => {})
  }
  const kill = () => void child.process.kill('SIGKILL')

  child.on('message', (message: ToPrimary) => {
    if (message.kind === 'started') send({ kind: 'assignment', assignment })
    else if (message.kind === 'ready') {
      isReady = true
      ready.resolve(message.url)
    } else onMessage(message)
  })
  child.on('exit', (code, signal) => {
    const reason = signal ? `killed by ${signal}` : `exit code ${code}`
    ready.reject(new Error(reason))
    exited.resolve(reason)
  })
  // Avoids an unhandled rejection if nothing waits for it.
  ready.promise.catch(() => {})
  return {
    number: assignment.number,
    pid: child.process.pid ?? 0,
    /** On the clock of `performance.now`. */
    startedAt: performance.now(),
    /** The URL that it serves; rejects if the process exits first. */
    ready: ready.promise,
    /** Resolves to the reason: the exit code or the signal. */
    exited: exited.promise,
    /** It is ready and no shutdown was requested. */
    isServing: () => isReady && !isShuttingDown,
    /** It became ready and has not exited. It may be finishing its last requests. */
    isRunning: () => isReady && !child.isDead(),
    /** A shutdown was requested: its exit is expected. */
    isShuttingDown: () => isShuttingDown,
    hasExited: () => child.isDead(),
    kill,
    send,
    /** Resolves when the process has exited. It is killed `SHUTDOWN_TIMEOUT_MS` after it should have closed its connections. */
    async shutdown(options: ShutdownOptions): Promise<void> {
      isShuttingDown = true
      // A worker that does not serve yet has no requests to finish.
      if (isReady) send({ kind: 'shutdown', options })
      else kill()
      using _timer = setTimeout(kill, options.graceMs + options.lingerMs + SHUTDOWN_TIMEOUT_MS)
      await exited.promise
    },
  }
}
