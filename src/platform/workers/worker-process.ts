// The primary's view of one worker process.
import cluster, { type Worker } from 'node:cluster'
import type { FromServingWorker, ShutdownOptions, ToPrimary, ToWorker, WorkerAssignment } from './messages.ts'
import { closeOrphanedConnection } from './node-internals.ts'

export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly number: number
  readonly pid: number
  /** On the clock of `performance.now`. */
  readonly startedAt: number
  /** The URL that it serves; rejects if the process exits first. */
  readonly ready: Promise<string>
  readonly exited: Promise<ExitStatus>
  /** It is ready and no shutdown was requested. */
  isServing(): boolean
  /** It became ready and has not exited. It may be finishing its last requests. */
  isRunning(): boolean
  /** A shutdown was requested: its exit is expected. */
  isShuttingDown(): boolean
  hasExited(): boolean
  kill(): void
  send(message: ToWorker): void
  /** Resolves when the process has exited. It is killed if it takes longer than `timeoutMs` after grace and linger. */
  shutdown(options: ShutdownOptions, timeoutMs: number): Promise<void>
}

export const describeExit = ({ code, signal }: ExitStatus) => (signal ? `killed by ${signal}` : `exit code ${code}`)

export interface StartOptions {
  readonly closesOrphans: boolean
  onMessage(from: WorkerProcess, message: FromServingWorker): void
}

export function startWorker(assignment: WorkerAssignment, { closesOrphans, onMessage }: StartOptions): WorkerProcess {
  const child: Worker = cluster.fork()
  if (closesOrphans) closeOrphanedConnection(child)
  const ready = Promise.withResolvers<string>()
  const exited = Promise.withResolvers<ExitStatus>()
  let isReady = false
  let isShuttingDown = false

  const worker: WorkerProcess = {
    number: assignment.number,
    pid: child.process.pid ?? 0,
    startedAt: performance.now(),
    ready: ready.promise,
    exited: exited.promise,
    isServing: () => isReady && !isShuttingDown,
    isRunning: () => isReady && !child.isDead(),
    isShuttingDown: () => isShuttingDown,
    hasExited: () => child.isDead(),
    kill: () => void child.process.kill('SIGKILL'),
    send: (message) => {
      if (child.isConnected()) child.send(message, () => {})
    },
    async shutdown(options, timeoutMs) {
      isShuttingDown = true
      // A worker that does not serve yet has no requests to finish.
      if (isReady) worker.send({ kind: 'shutdown', options })
      else worker.kill()
      const timer = setTimeout(worker.kill, options.graceMs + options.lingerMs + timeoutMs)
      await exited.promise
      clearTimeout(timer)
    },
  }
  child.on('message', (message: ToPrimary) => {
    if (message.kind === 'started') worker.send({ kind: 'assignment', assignment })
    else if (message.kind === 'ready') {
      isReady = true
      ready.resolve(message.url)
    } else onMessage(worker, message)
  })
  child.on('exit', (code, signal) => {
    const status = { code, signal }
    ready.reject(new Error(describeExit(status)))
    exited.resolve(status)
  })
  // Avoids an unhandled rejection if nothing waits for it.
  ready.promise.catch(() => {})
  return worker
}
