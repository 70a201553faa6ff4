import type { LineSink } from '../logging/index.ts'
import { ANSWER_WITHIN_MS } from './member.ts'
import type { ToPrimary } from './messages.ts'
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
}

/** Passes on what workers say: log lines to the file, words to the person, questions to the other workers. */
export function createSwitchboard({ everyone, lines, tell }: SwitchboardOptions) {
  const questions = createQuestions<unknown>()
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

  return {
    async hear(from: WorkerProcess, message: ToPrimary): Promise<void> {
      if (message.kind === 'lines') lines.write(message.lines)
      else if (message.kind === 'tell') tellPerson(message.text)
      else if (message.kind === 'answer') questions.answered(message.id, message.answer)
      else if (message.kind === 'ask') {
        from.send({ kind: 'answers', id: message.id, answers: await askOthers(from, message.about) })
      }
    },
    /** For a worker that came after the problem. */
    greet: (worker: WorkerProcess) => {
      if (problem) worker.send({ kind: 'log-problem', problem })
    },
    close: () => clearInterval(look),
  }
}
