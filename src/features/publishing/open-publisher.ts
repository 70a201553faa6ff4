// The publisher of a running service: in a thread, because editing a long releases.yaml takes seconds, during which
// requests must be answered.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ApiError, Busy, type ErrorDetails } from '../../errors/index.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import type { SyncOptions } from './sync/folder.ts'

/** An idle thread takes memory. */
const IDLE_TIMEOUT_MS = 60_000
/** Each call that waits may have megabytes. */
const MAX_CALLS = 64
const RETRY_AFTER = 5

export interface ThreadOptions {
  readonly contentDir: string
  readonly dataDir: string
  readonly uploadDir: string
  readonly uploadMaxBytes: number
  /** Undefined: there are no other nodes. */
  readonly sync?: (SyncOptions & { readonly storeUrl: string }) | undefined
}

type Method = Exclude<keyof Publisher, 'history'>

export type PublisherCall = { readonly method: Method; readonly args: readonly unknown[] }

export interface CallReply {
  readonly result?: unknown
  readonly error?: {
    readonly code: string
    readonly status: number
    readonly message: string
    readonly details: ErrorDetails
  }
  /** The stack of an error that is a bug. */
  readonly bug?: string
}

/** The same methods as `createPublisher`, whose errors are those that a client sees. */
export function openPublisher(options: ThreadOptions): Publisher & { close(): Promise<void> } {
  let thread: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  /** Changes wait for each other anyway, because of the lock. */
  let queue: Promise<unknown> = Promise.resolve()

  /** The next call starts another thread. */
  const forget = (used: Worker) => {
    if (thread === used) thread = undefined
  }

  const start = () => {
    const started = new Worker(new URL('./publisher-thread.ts', import.meta.url), { workerData: options })
    // The pending call notices both.
    started.on('error', () => forget(started))
    started.on('exit', () => forget(started))
    return started
  }

  const send = async (call: PublisherCall): Promise<unknown> => {
    clearTimeout(idleTimer)
    thread ??= start()
    const used = thread
    used.ref()
    // Removes the listener of the event that does not occur.
    const ended = new AbortController()
    const replied = Promise.race([
      once(used, 'message', ended),
      once(used, 'exit', ended).then(() => [{ bug: 'the thread stopped' }]),
    ]).finally(() => ended.abort())
    used.postMessage(call)
    const [{ result, error, bug }] = (await replied) as [CallReply]
    used.unref()
    idleTimer = setTimeout(() => {
      // First, because a call that arrives before the thread has ended would fail.
      forget(used)
      void used.terminate()
    }, IDLE_TIMEOUT_MS).unref()
    if (error) throw new ApiError(error.code, error.status, error.message, error.details)
    if (bug !== undefined) throw new Error(`publishing failed: ${bug}`)
    return result
  }

  let waiting = 0
  const call = async (method: Method, args: readonly unknown[]) => {
    if (waiting >= MAX_CALLS) throw new Busy(RETRY_AFTER)
    waiting++
    const done = queue.then(() => send({ method, args })).finally(() => waiting--)
    queue = done.catch(() => {})
    return done
  }

  const { contentDir, dataDir } = options
  // The thread runs all methods but the history, which is cheap to read.
  const { history, ...methods } = createPublisher({ contentDir, dataDir })
  const calls = Object.keys(methods).map((method) => [
    method,
    (...args: readonly unknown[]) => call(method as Method, args),
  ])
  return {
    history,
    ...(Object.fromEntries(calls) as Pick<Publisher, Method>),
    // Without other nodes, no thread is started for it.
    ...(!options.sync && { shareUpload: async () => undefined }),
    /** Waits for changes in progress. */
    async close() {
      await queue
      clearTimeout(idleTimer)
      await thread?.terminate()
    },
  }
}
