// A few worker threads and a bounded queue before them. A thread that dies or hangs costs its own job only.
import { Worker } from 'node:worker_threads'
import { Busy, ImageUnreadable, InternalError } from '../../errors.ts'
import type { Answer, Done, Task, WorkerOptions } from './worker.ts'

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface CrewOptions {
  readonly threads: number
  readonly maxQueued: number
  /** After so long a thread is taken to hang. */
  readonly jobTimeoutMs: number
  readonly workerOptions: WorkerOptions
  readonly log: Log
  readonly program?: URL
}

interface Job {
  readonly task: Task
  readonly resolve: (done: Done) => void
  readonly reject: (reason: unknown) => void
  /** Takes the job off the caller's signal. */
  settled: () => void
}

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000))

export function createCrew({ threads, maxQueued, jobTimeoutMs, workerOptions, log, program }: CrewOptions) {
  const queue: Job[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, { job: Job; timer: NodeJS.Timeout; since: number }>()
  /** Told to end, but still inside a decoder, which nothing can interrupt. */
  const leaving = new Set<Worker>()
  let averageMs = 500
  let closed = false

  function hire(): Worker {
    const worker = new Worker(program ?? new URL('./worker.ts', import.meta.url), { workerData: workerOptions })
    worker.on('message', (answer: Answer) => answered(worker, answer))
    worker.on('error', (error) => log.error({ err: error }, 'an image thread failed'))
    worker.on('exit', () => lost(worker))
    return worker
  }

  const pixels = ({ task: { source } }: Job) => source.width * source.height * source.pages

  /**
   * Decoded pictures are what takes memory: together, those under way have no more pixels than one picture may have.
   * The hungriest encoder (AVIF with alpha) was seen to take 41 bytes a pixel with all that lies around it.
   * Nobody passes the one in front, so that a large one is not kept waiting for ever.
   */
  function fits(job: Job): boolean {
    let underWay = 0
    for (const work of busy.values()) underWay += pixels(work.job)
    return busy.size === 0 || underWay + pixels(job) <= workerOptions.maxPixels
  }

  /** While threads hang in decoders, others take their place, but never more than as many again. */
  const workerLeft = () => idle.length > 0 || busy.size + leaving.size < 2 * threads

  function next() {
    while (queue[0] && !closed && busy.size < threads && workerLeft() && fits(queue[0])) {
      const worker = idle.pop() ?? hire()
      const job = queue.shift()!
      const timer = setTimeout(() => hangs(worker), jobTimeoutMs)
      busy.set(worker, { job, timer, since: performance.now() })
      // The caller keeps his bytes, perhaps a part of something larger: one copy, which then moves.
      const bytes = new Uint8Array(job.task.bytes)
      worker.postMessage({ ...job.task, bytes }, [bytes.buffer])
    }
  }

  function release(worker: Worker): Job | undefined {
    const work = busy.get(worker)
    if (!work) return undefined
    clearTimeout(work.timer)
    busy.delete(worker)
    averageMs += (performance.now() - work.since - averageMs) / 8
    work.job.settled()
    return work.job
  }

  function answered(worker: Worker, answer: Answer) {
    const job = release(worker)
    if (!job) return
    idle.push(worker)
    if (answer === 'slow') job.reject(tooSlow())
    else if (answer === 'cancelled') job.reject(new Error('cancelled'))
    else if ('done' in answer) job.resolve(answer.done)
    else if ('unreadable' in answer) job.reject(new ImageUnreadable('it is broken or cut off'))
    else {
      log.error({ failure: answer.failed }, 'a filter or encoder failed')
      job.reject(new InternalError())
    }
    next()
  }

  const tooSlow = () => new ImageUnreadable('it takes too long to decode and encode')

  function lost(worker: Worker) {
    leaving.delete(worker)
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    release(worker)?.reject(new InternalError())
    next()
  }

  function hangs(worker: Worker) {
    log.error({ jobTimeoutMs }, 'an image thread hangs and is replaced')
    leaving.add(worker)
    // A thread that hangs must not keep the process from ending.
    worker.unref()
    void worker.terminate()
    release(worker)?.reject(tooSlow())
    next()
  }

  function cancel(job: Job) {
    const at = queue.indexOf(job)
    if (at >= 0) queue.splice(at, 1)
    for (const [worker, work] of busy) if (work.job === job) worker.postMessage('cancel')
  }

  async function run(task: Task, signal?: AbortSignal): Promise<Done> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Done>()
    const job: Job = { task, resolve, reject, settled: () => signal?.removeEventListener('abort', aborted) }
    function aborted() {
      reject(signal?.reason)
      cancel(job)
    }
    queue.push(job)
    next()
    if (queue.length > maxQueued) {
      queue.pop()
      throw new Busy(seconds((averageMs * (queue.length + 1)) / threads))
    }
    signal?.addEventListener('abort', aborted, { once: true })
    return promise
  }

  async function close() {
    closed = true
    for (const job of queue.splice(0)) job.reject(new InternalError())
    await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
  }

  return { run, close, status: () => ({ running: busy.size, queued: queue.length, threads }) }
}
