import type { QueuedJob } from './fair-queue.ts'

export interface TaskOptions extends QueuedJob {
  /** On the clock of `performance.now`. A job without a process by then fails with BUSY. */
  readonly waitUntil: number
  /** After this time the process is killed. */
  readonly timeoutMs: number
  /** A process that used less CPU time by then had to wait for it: the job fails with BUSY. Default: half of `timeoutMs`. */
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

/** A task whose process was killed or died. */
export class TaskKilled extends Error {
  readonly reason: 'timeout' | 'died'

  constructor(reason: TaskKilled['reason']) {
    super(`The process of the task ended: ${reason}.`)
    this.reason = reason
  }
}
