// A few worker threads and a bounded line before them. A thread that dies or hangs costs its own job only.
import { Worker } from 'node:worker_threads'
import { Busy, ImageTooManyPixels, ImageUnreadable, InternalError } from '../../../errors/index.ts'
import { createLine, type Waiting } from '../../../platform/concurrency/index.ts'
import type { Log } from '../../../platform/logging/index.ts'
import type { Answer, Done, Inspected, Making, Task, WorkerOptions } from './worker.ts'

export interface CrewOptions {
  readonly threads: number
  readonly maxQueued: number
  readonly workerOptions: WorkerOptions
  readonly log: Log
  readonly program?: URL
}

export interface Conditions extends Waiting {
  /** On the clock of `performance.now`: who has no thread by then is answered with Busy. */
  readonly waitsUntil: number
  /** After so long a thread is taken to hang. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

type OutcomeOf<T extends Task> = T extends Making ? Done : Inspected | Done

interface Job extends Conditions {
  readonly task: Task
  readonly resolve: (outcome: Done | Inspected) => void
  readonly reject: (reason: unknown) => void
  /** Ends the waiting for a thread. */
  started: () => void
  /** Takes the job off the caller's signal. */
  settled: () => void
}

const MAX_RETRY_AFTER = 60

export function createCrew({ threads, maxQueued, workerOptions, log, program }: CrewOptions) {
  const line = createLine<Job>({ threads, maxPixels: workerOptions.maxPixels })
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

  /** While threads hang in decoders, others take their place, but never more than as many again. */
  const workerLeft = () => idle.length > 0 || busy.size + leaving.size < 2 * (threads + 1)

  function next() {
    while (!closed && workerLeft()) {
      const job = line.next([...busy.values()].map((work) => work.job))
      if (!job) return
      job.started()
      const worker = idle.pop() ?? hire()
      const timer = setTimeout(() => hangs(worker, job), job.timeoutMs)
      busy.set(worker, { job, timer, since: performance.now() })
      // The caller keeps his bytes, perhaps a part of something larger: one copy, which then moves from step to step.
      const bytes = 'source' in job.task ? job.task.bytes : new Uint8Array(job.task.bytes)
      worker.postMessage({ ...job.task, bytes }, [bytes.buffer as ArrayBuffer])
    }
  }

  function release(worker: Worker): Job | undefined {
    const work = busy.get(worker)
    if (!work) return undefined
    clearTimeout(work.timer)
    busy.delete(worker)
    work.job.settled()
    return work.job
  }

  function answered(worker: Worker, answer: Answer) {
    const since = busy.get(worker)?.since ?? 0
    const job = release(worker)
    if (!job) return
    idle.push(worker)
    if (answer === 'slow') job.reject(tooSlow())
    else if (answer === 'cancelled') job.reject(new Error('cancelled'))
    else if ('done' in answer) {
      if ('timings' in answer.done) averageMs += (performance.now() - since - averageMs) / 8
      job.resolve(answer.done)
    } else if ('unreadable' in answer) job.reject(new ImageUnreadable(answer.unreadable))
    else if ('tooMany' in answer) job.reject(new ImageTooManyPixels(...answer.tooMany))
    else {
      log.error({ failure: answer.failed }, 'a filter or encoder failed')
      job.reject(new InternalError())
    }
    // Whoever has his picture inspected now goes on with it before another one is begun.
    setImmediate(next)
  }

  const tooSlow = () => new ImageUnreadable('it takes too long to decode and encode')

  function lost(worker: Worker) {
    leaving.delete(worker)
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    release(worker)?.reject(new InternalError())
    next()
  }

  function hangs(worker: Worker, { timeoutMs }: Job) {
    log.error({ timeoutMs }, 'an image thread hangs and is replaced')
    leaving.add(worker)
    // A thread that hangs must not keep the process from ending.
    worker.unref()
    void worker.terminate()
    release(worker)?.reject(tooSlow())
    next()
  }

  function cancel(job: Job) {
    line.remove(job)
    for (const [worker, work] of busy) if (work.job === job) worker.postMessage('cancel')
  }

  function refuse(job: Job) {
    line.remove(job)
    job.settled()
    const seconds = Math.ceil((averageMs * (line.all().length + 1)) / threads / 1000)
    job.reject(new Busy(Math.min(MAX_RETRY_AFTER, seconds)))
  }

  /** The bytes of what was inspected are handed over for good. */
  async function run<T extends Task>(task: T, conditions: Conditions): Promise<OutcomeOf<T>> {
    const { signal, waitsUntil, isAdmitted = false } = conditions
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Done | Inspected>()
    const patience = setTimeout(() => refuse(job), waitsUntil - performance.now())
    const job: Job = {
      ...conditions,
      task,
      resolve,
      reject,
      started: () => clearTimeout(patience),
      settled() {
        clearTimeout(patience)
        signal?.removeEventListener('abort', aborted)
      },
    }
    function aborted() {
      reject(signal?.reason)
      job.started()
      cancel(job)
    }
    signal?.addEventListener('abort', aborted, { once: true })
    line.add(job)
    next()
    const waiting = line.all()
    if (!isAdmitted && waiting.length > maxQueued && waiting.includes(job)) refuse(line.leastDeserving(job))
    return promise as Promise<OutcomeOf<T>>
  }

  async function close() {
    closed = true
    for (const job of line.all()) {
      line.remove(job)
      job.settled()
      job.reject(new InternalError())
    }
    await Promise.all([...idle, ...busy.keys()].map((worker) => worker.terminate()))
  }

  return { run, close, status: () => ({ running: busy.size, queued: line.all().length, threads }) }
}
