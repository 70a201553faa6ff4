import { setTimeout as sleep } from 'node:timers/promises'
import type { LineSink } from '../logging/index.ts'

/** What a process of the service knows of the others on its machine, and what it may ask them. */
export interface Member {
  /** 1 to `workers`. */
  readonly number: number
  readonly workers: number
  /** Does what only one may do: writes generated files, updates the blocking list, keeps the memory of pictures. */
  readonly isLead: boolean
  /** When the service was started, which may be before this process was. */
  readonly startedAt: Date
  /** Where log lines go, where files of its own are not the place. */
  readonly log?: LineSink
  /** Makes this process answer a kind of question; the answer must be plain JSON. */
  answer(about: string, give: () => unknown): void
  /** The answers of all processes, this one first; who does not answer in time is left out. */
  askAll(about: string): Promise<unknown[]>
  /** What this process counted since its start: plain JSON that only grows. It outlives the process. */
  counts(give: () => unknown): void
  /** What all processes counted, one after the other; those that ended are in it. */
  total(): Promise<readonly unknown[]>
}

type Answers = Map<string, () => unknown>

export const ANSWER_WITHIN_MS = 1000
/** Under this name the counts are among the answers. */
export const COUNTS = 'counts'

/** Undefined where this process has no answer to that, giving one failed, or it takes too long. */
export async function answerFrom(answers: Answers, about: string): Promise<unknown> {
  try {
    return await Promise.race([answers.get(about)?.(), sleep(ANSWER_WITHIN_MS, undefined, { ref: false })])
  } catch {
    return undefined
  }
}

/** The only process of the service. */
export function alone(): Member {
  const answers: Answers = new Map()
  const askAll = async (about: string) => [await answerFrom(answers, about)].filter((answer) => answer !== undefined)
  return {
    number: 1,
    workers: 1,
    isLead: true,
    startedAt: new Date(),
    answer: (about, give) => void answers.set(about, give),
    askAll,
    counts: (give) => void answers.set(COUNTS, give),
    total: () => askAll(COUNTS),
  }
}
