// The primary's view of one worker process.
import cluster from 'node:cluster'
import { closeOrphanedConnection } from './cluster-internals.ts'
import type { FromServingWorker, ShutdownOptions, ToPrimary, ToWorker, WorkerAssignment } from './messages.ts'

/** A worker lets requests finish for at most ten seconds; the rest is for saving counts and closing. */
const SHUTDOWN_TIMEOUT_MS = 20_000

export type WorkerProcess = ReturnType<typeof startWorker>

interface StartOptions {
  readonly closesOrphanedConnections: boolean
  onMessage(message: FromServingWorker): void
}

export function startWorker(assignment: WorkerAssignment, { closesOrphanedConnections, onMessage }: StartOptions) {
  const child = cluster.fork()
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
      const timer = setTimeout(kill, options.graceMs + options.lingerMs + SHUTDOWN_TIMEOUT_MS)
      await exited.promise
      clearTimeout(timer)
    },
  }
}
