import { Worker } from 'node:worker_threads'
import { Busy, InternalError } from '../../errors/index.ts'
import { createFairQueue, type FairQueueOptions, type QueuedJob } from './fair-queue.ts'

export interface WorkerPoolOptions extends FairQueueOptions {
  /** Answers each message with one message. On `'cancel'` it may answer its current task early. */
  readonly program: URL
  readonly workerData: unknown
  readonly maxQueued: number
  readonly log: { error(fields: object, message: string): void }
}

export interface TaskOptions extends QueuedJob {
  /** On the clock of `performance.now`. A job without a thread by then fails with BUSY. */
  readonly waitUntil: number
  /** After this time the thread counts as hung and is replaced. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

interface Job extends TaskOptions {
  readonly task: { readonly bytes: Uint8Array }
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
  stopWaiting: () => void
  /** Stops waiting and removes the listener from the caller's signal. */
  settle: () => void
}

export class WorkerTimeout extends Error {}

const MAX_RETRY_AFTER = 60
/** The moving average of durations covers about the last eight jobs. */
const AVERAGE_SHARE = 1 / 8

/** Runs tasks in a few threads with a bounded queue. A thread that dies or hangs affects only its own job. */
export function createWorkerPool({ program, workerData, threads, maxWeight, maxQueued, log }: WorkerPoolOptions) {
  const queue = createFairQueue<Job>({ threads, maxWeight })
  const idle: Worker[] = []
  const busy = new Map<Worker, { job: Job; timer: NodeJS.Timeout; startedAt: number }>()
  /** Terminated, but still in native code, which cannot be interrupted. */
  const leaving = new Set<Worker>()
  let averageMs = 500
  let isClosed = false

  function startWorker(): Worker {
    const worker = new Worker(program, { workerData })
    worker.on('message', (answer: unknown) => handleAnswer(worker, answer))
    worker.on('error', (error) => log.error({ err: error }, 'A worker thread failed.'))
    worker.on('exit', () => handleExit(worker))
    return worker
  }

  /** Hung threads are replaced while they leave, but never by more than as many again. */
  const hasWorker = () => idle.length > 0 || busy.size + leaving.size < 2 * (threads + 1)

  function startJobs() {
    while (!isClosed && hasWorker()) {
      const job = queue.takeNext([...busy.values()].map((work) => work.job))
      if (!job) return
      job.stopWaiting()
      const worker = idle.pop() ?? startWorker()
      const timer = setTimeout(() => handleTimeout(worker, job), job.timeoutMs)
      busy.set(worker, { job, timer, startedAt: performance.now() })
      // Only the threads have used the bytes of a continued job, so they are moved.
      const bytes = job.isContinued ? job.task.bytes : new Uint8Array(job.task.bytes)
      worker.postMessage({ ...job.task, bytes }, [bytes.buffer as ArrayBuffer])
    }
  }

  function release(worker: Worker): Job | undefined {
    const work = busy.get(worker)
    if (!work) return undefined
    clearTimeout(work.timer)
    busy.delete(worker)
    work.job.settle()
    return work.job
  }

  function handleAnswer(worker: Worker, answer: unknown) {
    const startedAt = busy.get(worker)?.startedAt ?? 0
    const job = release(worker)
    if (!job) return
    idle.push(worker)
    averageMs += (performance.now() - startedAt - averageMs) * AVERAGE_SHARE
    job.resolve(answer)
    // Later, so that a caller can continue with a second task before another job starts.
    setImmediate(startJobs)
  }

  function handleExit(worker: Worker) {
    leaving.delete(worker)
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    release(worker)?.reject(new InternalError())
    startJobs()
  }

  function handleTimeout(worker: Worker, { timeoutMs }: Job) {
    log.error({ timeoutMs }, 'A worker thread hangs and is replaced.')
    leaving.add(worker)
    // A hung thread must not keep the process alive.
    worker.unref()
    void worker.terminate()
    release(worker)?.reject(new WorkerTimeout(`no answer within ${timeoutMs} ms`))
    startJobs()
  }

  function cancel(job: Job) {
    queue.remove(job)
    for (const [worker, work] of busy) if (work.job === job) worker.postMessage('cancel')
  }

  function refuse(job: Job) {
    queue.remove(job)
    job.settle()
    const seconds = Math.ceil((averageMs * (queue.list().length + 1)) / threads / 1000)
    job.reject(new Busy(Math.min(MAX_RETRY_AFTER, seconds)))
  }

  /**
   * Resolves with the answer of the thread. Fails with BUSY, a WorkerTimeout, an InternalError if the thread died, or the
   * reason of the signal.
   */
  async function run<Answer>(task: Job['task'], options: TaskOptions): Promise<Answer> {
    const { signal, waitUntil, isContinued = false } = options
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const timer = setTimeout(() => refuse(job), waitUntil - performance.now())
    const job: Job = {
      ...options,
      task,
      resolve: (answer) => resolve(answer as Answer),
      reject,
      stopWaiting: () => clearTimeout(timer),
      settle() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', handleAbort)
      },
    }
    function handleAbort() {
      reject(signal?.reason)
      job.stopWaiting()
      cancel(job)
    }
    signal?.addEventListener('abort', handleAbort, { once: true })
    queue.add(job)
    startJobs()
    const waiting = queue.list()
    if (!isContinued && waiting.length > maxQueued && waiting.includes(job)) refuse(queue.chooseRefused(job))
    return promise
  }

  async function close() {
    isClosed = true
    for (const job of queue.list()) {
      queue.remove(job)
      job.settle()
      job.reject(new InternalError())
    }
    await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
  }

  return { run, close, status: () => ({ running: busy.size, queued: queue.list().length, threads }) }
}
