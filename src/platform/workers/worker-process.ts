// The primary's side of one worker.
import cluster, { type Worker } from 'node:cluster'
import type { Heard, Part, ShutdownOptions, ToPrimary, ToWorker } from './messages.ts'
import { closeUntaken } from './orphaned-connections.ts'

export interface Ending {
  readonly code: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly number: number
  readonly pid: number
  readonly bornAt: number
  /** Where it listens; rejects where it ends before it does. */
  readonly ready: Promise<string>
  readonly ended: Promise<Ending>
  /** It serves, and shall go on. */
  isReady(): boolean
  /** It came up, and has not ended: it may be finishing its last requests. */
  isUp(): boolean
  /** It was told to stop: its end is no accident. */
  isDismissed(): boolean
  hasEnded(): boolean
  kill(): void
  send(message: ToWorker): void
  /** Resolves when it is gone, by itself or killed after `withinMs`. */
  dismiss(farewell: ShutdownOptions, withinMs: number): Promise<void>
}

/** Why a worker is no more, for people. */
export const inWords = ({ code, signal }: Ending) => (signal ? `killed by ${signal}` : `exit code ${code}`)

export function startWorker(part: Part, heard: (from: WorkerProcess, message: Heard) => void): WorkerProcess {
  const child: Worker = cluster.fork()
  closeUntaken(child)
  const ready = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<Ending>()
  let isReady = false
  let isDismissed = false

  const worker: WorkerProcess = {
    number: part.number,
    pid: child.process.pid ?? 0,
    bornAt: performance.now(),
    ready: ready.promise,
    ended: ended.promise,
    isReady: () => isReady && !isDismissed,
    isUp: () => isReady && !child.isDead(),
    isDismissed: () => isDismissed,
    hasEnded: () => child.isDead(),
    kill: () => void child.process.kill('SIGKILL'),
    send: (message) => {
      // One that is ending cannot be told anything any more.
      if (child.isConnected()) child.send(message, () => {})
    },
    async dismiss(farewell, withinMs) {
      isDismissed = true
      // One that does not serve yet has nothing to finish.
      if (isReady) worker.send({ kind: 'stop', farewell })
      else worker.kill()
      const force = setTimeout(worker.kill, farewell.graceMs + farewell.lingerMs + withinMs)
      await ended.promise
      clearTimeout(force)
    },
  }
  child.on('message', (message: ToPrimary) => {
    if (message.kind === 'hello') worker.send({ kind: 'part', part })
    else if (message.kind === 'ready') {
      isReady = true
      ready.resolve(message.url)
    } else heard(worker, message)
  })
  child.on('exit', (code, signal) => {
    const ending = { code, signal }
    ready.reject(new Error(inWords(ending)))
    ended.resolve(ending)
  })
  // Nobody may be waiting for it to be ready.
  ready.promise.catch(() => {})
  return worker
}
