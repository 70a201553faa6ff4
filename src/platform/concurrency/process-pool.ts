import type { ChildProcess } from 'node:child_process'
import { Busy, InternalError } from '../../errors/index.ts'
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts'
import type { PoolJob, Task, TaskAnswer, TaskOptions, TaskRequest } from './serve-tasks.ts'
import { createJob, TaskKilled } from './serve-tasks.ts'
import { type ProgramOptions, readCpuMs, sendMessage, startProgram } from './start-program.ts'
import type { GroupPath } from './turns.ts'

export interface ProcessPoolOptions extends FairQueueOptions, ProgramOptions {
  /** A process without work ends after this time, and its memory is free again. */
  readonly idleTimeoutMs?: number
  readonly log: { error(fields: object, message: string): void }
}

interface Work {
  readonly job: PoolJob
  readonly startedAt: number
  /** The CPU time that the process had used before. */
  startCpuMs: number
  lastCpuMs: number
  timer: NodeJS.Timeout
}

const MAX_RETRY_AFTER = 60
/** If its process gets too little CPU time, a task may take this many times its timeout. */
const OVERLOAD_FACTOR = 3
/** A process that uses no CPU time between two checks hangs. */
const CHECK_INTERVAL_MS = 5000
const PREEMPT_INTERVAL_MS = 1000
/** The moving average of durations covers about the last eight jobs. */
const AVERAGE_SHARE = 1 / 8

/** Runs tasks in a few child processes. Native code that hangs cannot be stopped in a thread, but a process can be killed. */
export function createProcessPool(options: ProcessPoolOptions) {
  const { processes, idleTimeoutMs = 10_000, log } = options
  const queue = createFairQueue<PoolJob>(options)
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const busy = new Map<ChildProcess, Work>()
  const ready = new WeakSet<ChildProcess>()
  const sentBytes = new WeakMap<ChildProcess, Uint8Array>()
  let averageMs = 500
  /** The last time that a process was free, or no job waited. */
  let freeAt = performance.now()
  /** Whether the latest start of a process failed. */
  let hasFailedToStart = false
  const preemptTimer = setInterval(preempt, PREEMPT_INTERVAL_MS).unref()
  let isClosed = false

  /** Without memory for another process, `spawn` throws. */
  function tryToStart(): ChildProcess | undefined {
    try {
      return startProgram(options, { countMaxBytes, handleAnswer, handleError, handleExit })
    } catch (error) {
      log.error({ err: error }, 'an image process cannot be started')
      hasFailedToStart = true
      return undefined
    }
  }

  /** A process that could not be started has no input. */
  function send({ stdin }: ChildProcess, request: TaskRequest, bytes?: Uint8Array): void {
    if (stdin) sendMessage(stdin, request, bytes)
  }

  function takeIdle({ bytes }: Task): ChildProcess | undefined {
    const children = [...idle.keys()]
    // The one that has the bytes, or the one that worked last: the others can end.
    const child = children.find((other) => sentBytes.get(other) === bytes) ?? children.at(-1)
    if (child) removeIdle(child)
    return child
  }

  function startJobs() {
    while (!isClosed) {
      const job = queue.takeNext()
      if (!job) return
      job.stopWaiting()
      const child = takeIdle(job.task) ?? tryToStart()
      if (!child) return refuse(job)
      queue.start(job)
      if (busy.size < processes) freeAt = performance.now()
      const cpuMs = readCpuMs(child)
      const timer = setTimeout(() => checkProgress(child), Math.min(CHECK_INTERVAL_MS, job.timeoutMs))
      busy.set(child, { job, startedAt: performance.now(), startCpuMs: cpuMs, lastCpuMs: cpuMs, timer })
      const { bytes, ...task } = job.task
      send(child, { task }, sentBytes.get(child) === bytes ? undefined : bytes)
      sentBytes.set(child, bytes)
    }
  }

  /** Ends the process of a job so that another job can start. The first one queues again. */
  function preempt() {
    const preempted = queue.findPreempted()
    for (const [child, { job }] of busy) {
      if (job !== preempted) continue
      release(child)
      child.kill('SIGKILL')
      startJobs()
      return runAgain(job, { isContinued: true, preemptions: (job.preemptions ?? 0) + 1 })
    }
  }

  function release(child: ChildProcess): PoolJob | undefined {
    const work = busy.get(child)
    if (!work) return undefined
    clearTimeout(work.timer)
    busy.delete(child)
    freeAt = performance.now()
    work.job.settle()
    const elapsedMs = performance.now() - work.startedAt
    // CPU time counts, not waiting for others. Of a cancelled job all time does: sending it ten megabytes takes long.
    queue.end(work.job, work.job.signal?.aborted ? 0 : elapsedMs - (readCpuMs(child) - work.startCpuMs))
    averageMs += (elapsedMs - averageMs) * AVERAGE_SHARE
    return work.job
  }

  function handleAnswer(child: ChildProcess, { value, isLast }: TaskAnswer, bytes: Buffer | undefined) {
    // Its first answer comes when it can run tasks.
    if (!ready.has(child)) {
      ready.add(child)
      hasFailedToStart = false
      const work = busy.get(child)
      // No client is responsible for the start.
      if (work) work.startCpuMs = readCpuMs(child)
      return
    }
    const job = release(child)
    if (!job) return
    if (isLast) child.kill('SIGKILL')
    else idle.set(child, setTimeout(kill, idleTimeoutMs, child))
    job.resolve(bytes ? { ...(value as object), bytes } : value)
    // Later, so that a caller can continue with a second task before another job starts.
    setImmediate(startJobs)
  }

  /** A process without a task has nothing to send. */
  const countMaxBytes = (child: ChildProcess) => busy.get(child)?.job.maxAnswerBytes ?? 0

  function handleError(child: ChildProcess, error: Error) {
    // Its answer may arrive after it was killed, and then belongs to no task.
    if (!child.killed) log.error({ err: error }, 'an image process failed')
    // Without a process there is no exit.
    if (child.pid === undefined) handleExit(child, null, null)
    else kill(child)
  }

  function removeIdle(child: ChildProcess) {
    clearTimeout(idle.get(child))
    idle.delete(child)
  }

  function handleExit(child: ChildProcess, code: number | null, signal: string | null) {
    removeIdle(child)
    const job = release(child)
    if (job) {
      const couldStart = ready.has(child)
      hasFailedToStart ||= !couldStart
      log.error({ code, signal }, `an image process died ${couldStart ? 'while it ran a task' : 'when it started'}`)
      if (couldStart) job.reject(new TaskKilled('died'))
      else if (job.isRepeated) job.reject(new InternalError())
      // The task has not run yet.
      else runAgain(job, { isRepeated: true })
    }
    startJobs()
  }

  function checkProgress(child: ChildProcess) {
    const work = busy.get(child)!
    const { timeoutMs, minCpuMs = timeoutMs / 2 } = work.job
    const elapsedMs = performance.now() - work.startedAt
    const cpuMs = readCpuMs(child)
    const isLate = elapsedMs >= timeoutMs
    // Also where the CPU time is unknown.
    if (isLate && !(cpuMs - work.startCpuMs < minCpuMs)) return kill(child, new TaskKilled('timeout'))
    const isHanging = cpuMs === work.lastCpuMs
    if (isHanging || elapsedMs >= OVERLOAD_FACTOR * timeoutMs) return kill(child, createBusy())
    // Slow, but not hanging. A second try would need the CPU time again.
    work.lastCpuMs = cpuMs
    const remainingMs = (isLate ? OVERLOAD_FACTOR : 1) * timeoutMs - elapsedMs
    work.timer = setTimeout(() => checkProgress(child), Math.min(CHECK_INTERVAL_MS, remainingMs))
  }

  /** Its exit comes later: no job may get it meanwhile. */
  function kill(child: ChildProcess, reason: Error = new TaskKilled('died')) {
    removeIdle(child)
    release(child)?.reject(reason)
    child.kill('SIGKILL')
    startJobs()
  }

  function cancel(job: PoolJob) {
    queue.remove(job)
    for (const [child, work] of busy) if (work.job === job) send(child, 'cancel')
  }

  function createBusy() {
    const seconds = Math.ceil((averageMs * (queue.size() + 1)) / processes / 1000)
    return new Busy(Math.min(MAX_RETRY_AFTER, seconds))
  }

  function refuse(job: PoolJob) {
    queue.remove(job)
    job.settle()
    job.reject(createBusy())
  }

  /** Resolves with the answer of the process. Fails with BUSY, a TaskKilled, or the reason of the signal. */
  async function run<Answer>(task: Task, options: TaskOptions): Promise<Answer> {
    const { job, promise } = createJob<Answer>(task, options, { refuse, cancel })
    if (queue.size() === 0) freeAt = performance.now()
    queue.add(job)
    startJobs()
    for (const refused of queue.listRefused(job)) refuse(refused)
    return promise
  }

  function runAgain(job: PoolJob, changes: Partial<TaskOptions>) {
    run(job.task, { ...job, ...changes }).then(job.resolve, job.reject)
  }

  async function close() {
    isClosed = true
    clearInterval(preemptTimer)
    for (const job of queue.list()) {
      queue.remove(job)
      job.settle()
      job.reject(new InternalError())
    }
    for (const child of [...idle.keys(), ...busy.keys()]) kill(child, new InternalError())
  }

  return {
    run,
    /** Announces a job until the result is disposed. Throws BUSY if the job would be refused, before it is prepared. */
    announce(client: GroupPath): Disposable {
      const announced = queue.announce(client)
      if (!announced) throw createBusy()
      return announced
    },
    close,
    status: () => ({ running: busy.size, queued: queue.size(), processes }),
    health: () => ({
      /** How long jobs have waited without any process becoming free. */
      blockedMs: queue.size() === 0 ? 0 : performance.now() - freeAt,
      hasFailedToStart,
    }),
  }
}
