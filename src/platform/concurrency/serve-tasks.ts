// Tasks of a process pool, and the side of the pool that runs them: in a child process.
import { constants, getPriority, setPriority } from 'node:os'
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { createCollector, readMessages, sendMessage } from './start-program.ts'
import type { GroupPath } from './turns.ts'

/** Jobs that take longer queue again when their time is known: networks with quick ones must not wait for them. */
export const QUICK_MS = 30

export interface QueuedJob {
  /** The client and its networks take turns. */
  readonly client: GroupPath
  /** Bytes that the job holds while it waits. */
  readonly heldBytes?: number
  /** Memory that the job takes while it runs. */
  readonly estimatedBytes: number
  /** CPU time that the job takes, if it is known. */
  readonly estimatedMs?: number
  /** A further part of a job that was admitted before. It runs before jobs that its client has not started yet. */
  readonly isContinued?: boolean
  /** How many times its process was ended so that another job could start. Default: 0. */
  readonly preemptions?: number
}

export interface TaskOptions extends QueuedJob {
  /** On the clock of `performance.now`. A job without a process by then fails with BUSY. */
  readonly waitUntil: number
  /** After this time the process is killed. */
  readonly timeoutMs: number
  /**
   * A process that used less CPU time by then had to wait for it: it gets up to three times `timeoutMs`, then the job
   * fails with BUSY. A process that uses none for five seconds is killed at once. Default: half of `timeoutMs`.
   */
  readonly minCpuMs?: number
  /** A process that announces more bytes is killed. */
  readonly maxAnswerBytes: number
  readonly signal?: AbortSignal | undefined
  /** The process of the first attempt died when it started. */
  readonly isRepeated?: boolean
}

export interface Task {
  /** Sent once: a process keeps them for a second task with the same bytes, if that is the next one. */
  readonly bytes: Uint8Array
}

/** A task in the queue, or in a process. */
export interface PoolJob extends TaskOptions {
  readonly task: Task
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
  stopWaiting: () => void
  /** Stops waiting and removes the listener from the caller's signal. */
  settle: () => void
}

interface JobEvents {
  /** It has no process in time. */
  refuse(job: PoolJob): void
  /** Its caller aborted it. */
  cancel(job: PoolJob): void
}

export function createJob<Answer>(task: Task, options: TaskOptions, { refuse, cancel }: JobEvents) {
  const { signal, waitUntil } = options
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => refuse(job), Math.max(0, waitUntil - performance.now()))
  const job: PoolJob = {
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
  return { job, promise }
}

/** A task whose process was killed or died. */
export class TaskKilled extends Error {
  readonly reason: 'timeout' | 'died'

  constructor(reason: TaskKilled['reason']) {
    super(`The process of the task ended: ${reason}.`)
    this.reason = reason
  }
}

const WATCH_INTERVAL_MS = 20
/**
 * The process is replaced after this many tasks, so that a slow leak in native code stays small; a fast one ends it by
 * `maxIdleBytes`. A start takes as much CPU time as 30 small photos.
 */
const MAX_TASKS = 5000

/** A task, whose bytes follow unless they are those of the task before. */
export type TaskRequest = { readonly task: object } | 'cancel'

/** The first one has no value: the process can run tasks. If the value has bytes, they follow. */
export interface TaskAnswer {
  readonly value?: unknown
  /** The process ends after this answer. */
  readonly isLast: boolean
}

export interface TaskLimits {
  /** Memory beyond what the process had when it was ready. */
  maxBytes: number
  /** CPU time of all threads. */
  maxCpuMs: number
  /** The same for one turn of the task: then it should queue again. Default: no limit. */
  maxTurnMs?: number
}

interface ServeTasksOptions<Task, Answer> {
  run(task: Task, limits: TaskLimits, isCancelled: () => boolean): Promise<Answer>
  /** The limits of a task at its start. It may change them when it knows more. */
  readonly limits: TaskLimits
  /** The process ends if it holds more memory than this after a task, counted from when it was ready. */
  readonly maxIdleBytes: number
  /** The answer to a task that exceeds a limit. */
  readonly buildLimitAnswer: (limit: keyof TaskLimits) => Answer
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Ends the process at once: an ordinary exit would wait for native code. */
const end = () => process.kill(process.pid, 'SIGKILL')

/** Answers the tasks of a pool, one at a time. Ends the process if a task exceeds its limits, or the pool is gone. */
export function serveTasks<Task extends { readonly bytes: Uint8Array }, Answer>({
  run,
  limits: initial,
  maxIdleBytes,
  buildLimitAnswer,
}: ServeTasksOptions<Task, Answer>): void {
  const bytesWhenReady = process.memoryUsage.rss()
  const countBytes = () => process.memoryUsage.rss() - bytesWhenReady
  const collectGarbage = createCollector()
  let tasks = 0
  let bytes: Uint8Array | undefined
  let isCancelled = false

  function answer(value: Answer, isLast: boolean): void {
    const { bytes, ...rest } = Object(value) as { bytes?: Uint8Array }
    const data: TaskAnswer = { value: bytes ? rest : value, isLast }
    sendMessage(process.stdout, data, bytes, () => isLast && end())
  }

  /** While native code runs in another thread, the event loop is free to watch it. */
  function watch(limits: TaskLimits): NodeJS.Timeout {
    const cpuAtStart = cpuMs()
    const findExceeded = (): keyof TaskLimits | undefined => {
      const usedMs = cpuMs() - cpuAtStart
      if (usedMs > limits.maxCpuMs) return 'maxCpuMs'
      if (countBytes() > limits.maxBytes) return 'maxBytes'
      return usedMs > (limits.maxTurnMs ?? Number.POSITIVE_INFINITY) ? 'maxTurnMs' : undefined
    }
    return setInterval(() => {
      const exceeded = findExceeded()
      if (exceeded) answer(buildLimitAnswer(exceeded), true)
    }, WATCH_INTERVAL_MS)
  }

  async function handleTask(task: Task) {
    isCancelled = false
    const limits = { ...initial }
    const watching = watch(limits)
    const value = await run(task, limits, () => isCancelled)
    clearInterval(watching)
    // Node frees native buffers that the task released in the next turn of the event loop.
    await setImmediate()
    if (countBytes() > maxIdleBytes) collectGarbage()
    answer(value, ++tasks >= MAX_TASKS || countBytes() > maxIdleBytes)
  }

  function handleRequest(request: TaskRequest, sentBytes: Buffer | undefined) {
    if (request === 'cancel') {
      isCancelled = true
      return
    }
    bytes = sentBytes ?? bytes
    void handleTask({ ...request.task, bytes } as Task)
  }

  // The pool is trusted.
  readMessages(process.stdin, () => Number.POSITIVE_INFINITY, handleRequest)
  // A terminal sends these to all its processes. The pool decides: a service that stops completes its requests first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // The pool is gone.
  process.stdin.on('end', end).on('error', end)
  process.stdout.on('error', end)
  lowerPriority()
  sendMessage(process.stdout, { isLast: false } satisfies TaskAnswer)
}

/**
 * Lowers the priority below that of the process that answers requests. A priority that is already lower stays: raising it
 * needs a privilege.
 */
function lowerPriority(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL)
  } catch {
    // A sandbox may forbid it.
  }
}
