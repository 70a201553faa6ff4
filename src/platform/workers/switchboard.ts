import type { LineSink } from '../logging/index.ts'
import { createLedger, type Sum } from './ledger.ts'
import { ANSWER_WITHIN_MS } from './member.ts'
import type { Heard } from './messages.ts'
import { createQuestions } from './questions.ts'
import { tellOnce } from './told-once.ts'
import type { WorkerProcess } from './worker-process.ts'

/** As long as a worker has for its answer, and some more for the way. */
const ASK_WAITS_MS = 1.5 * ANSWER_WITHIN_MS
const LOOK_AT_LOG_MS = 1000

export interface SwitchboardOptions {
  /** All that run, also those that do not serve yet. */
  readonly everyone: ReadonlySet<WorkerProcess>
  /** The workers' log lines. */
  readonly lines: LineSink
  /** Shows something to the person who started the service. */
  tell(text: string): void
  /** How the counts of several workers become one. */
  readonly sum: Sum
}

/** Passes on what workers say: log lines to the file, words to the person, questions to the other workers. */
export function createSwitchboard({ everyone, lines, tell, sum }: SwitchboardOptions) {
  const questions = createQuestions<unknown>()
  const ledger = createLedger(sum)
  const tellPerson = tellOnce(tell)
  let problem: string | undefined

  const look = setInterval(() => {
    if (lines.problem() === problem) return
    problem = lines.problem()
    for (const worker of everyone) worker.send({ kind: 'log-problem', problem })
  }, LOOK_AT_LOG_MS)

  const askOthers = (from: WorkerProcess, about: string) =>
    Promise.all(
      [...everyone]
        .filter((worker) => worker !== from && worker.isReady())
        .map((worker) => questions.put(ASK_WAITS_MS, undefined, (id) => worker.send({ kind: 'ask', id, about }))),
    )

  /** Whoever is late is in the ledger with what is known of it. */
  const askCounts = (worker: WorkerProcess) =>
    questions.put(ASK_WAITS_MS, undefined, (id) => worker.send({ kind: 'count', id }))

  const hear: { [Kind in Heard['kind']]: (from: WorkerProcess, message: Extract<Heard, { kind: Kind }>) => unknown } = {
    lines: (_, message) => lines.write(message.lines),
    tell: (_, { text }) => tellPerson(text),
    answer: (_, { id, answer }) => questions.answered(id, answer),
    ask: async (from, { id, about }) => from.send({ kind: 'answers', id, answers: await askOthers(from, about) }),
    counted: (from, { id, counts }) => {
      ledger.note(from, counts)
      questions.answered(id, undefined)
    },
    total: async (from, { id }) => {
      await Promise.all([...everyone].filter((worker) => worker.isUp()).map(askCounts))
      from.send({ kind: 'answers', id, answers: ledger.all() })
    },
    leaving: async (from) => {
      await askCounts(from)
      from.send({ kind: 'leave' })
    },
  }

  return {
    askCounts,
    /** A worker may be of a newer version than the primary, and say what is unknown here. */
    hear: (from: WorkerProcess, message: Heard) => void hear[message.kind]?.(from, message as never),
    /** For a worker that came after the problem. */
    greet: (worker: WorkerProcess) => {
      if (problem) worker.send({ kind: 'log-problem', problem })
    },
    /** It ended; what it counted stays. */
    miss: ledger.close,
    close: () => clearInterval(look),
  }
}
