// The worker's side: joins the primary that started it.
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLineSender, type LineSender } from './line-sender.ts'
import { ANSWER_WITHIN_MS, answerFrom, COUNTS, type Member } from './member.ts'
import type { Part, ShutdownOptions, ToPrimary, ToWorker } from './messages.ts'
import { createQuestions } from './questions.ts'

/** The primary waits for the others for less; after this the primary itself is too busy to count on. */
const ASK_WAITS_MS = 2 * ANSWER_WITHIN_MS
const LEAVE_WAITS_MS = 5000

export interface Joined extends Member {
  readonly host: string
  readonly port: number
  readonly log: LineSender
  /** Shows something to the person who started the service. */
  tell(text: string): void
  ready(url: string): void
  /** Settles when this process shall stop: asked by the primary, or because the primary is gone. */
  readonly dismissed: Promise<ShutdownOptions>
  /**
   * Lets go of the primary; the process then ends by itself. Call it when the server is closed. A busy primary may have
   * dealt a connection to this worker before it heard of that, and a worker that is gone cannot hand it back: so it waits
   * for a word of the primary, which comes after everything that was dealt. Before that it is asked for its last counts.
   */
  leave(): Promise<void>
}

export const isWorker = () => cluster.isWorker

export async function joinPrimary(): Promise<Joined> {
  const { worker } = cluster
  if (!worker) throw new Error('only a process that the supervisor started can join it')
  const answers = new Map<string, () => unknown>()
  const questions = createQuestions<readonly unknown[]>()
  const part = Promise.withResolvers<Part>()
  const dismissed = Promise.withResolvers<ShutdownOptions>()
  const released = Promise.withResolvers<void>()
  /** Shown again where the primary is too busy to tell: a total that falls reads as a restart of the service. */
  let lastTotal: readonly unknown[] = []
  // A primary that is gone cannot be told anything; `dismissed` tells that it is.
  const send = (message: ToPrimary, sent = () => {}) => {
    if (process.connected) process.send?.(message, sent)
    else sent()
  }
  const log = createLineSender((lines, sent) => send({ kind: 'lines', lines }, sent))

  const hear: { [Kind in ToWorker['kind']]: (message: Extract<ToWorker, { kind: Kind }>) => void } = {
    part: (message) => part.resolve(message.part),
    stop: ({ farewell }) => dismissed.resolve(farewell),
    'log-problem': ({ problem }) => log.note(problem),
    ask: async ({ id, about }) => send({ kind: 'answer', id, answer: await answerFrom(answers, about) }),
    count: async ({ id }) => send({ kind: 'counted', id, counts: await answerFrom(answers, COUNTS) }),
    answers: (message) => questions.answered(message.id, message.answers),
    leave: () => released.resolve(),
  }
  // The primary may be of another version, and say what is unknown here.
  process.on('message', (message: ToWorker) => hear[message.kind]?.(message as never))
  worker.once('disconnect', () => {
    // Node would end the process here and now: requests under way would be cut, and counts lost.
    worker.exitedAfterDisconnect = true
    dismissed.resolve({ graceMs: 0, lingerMs: 0 })
    released.resolve()
  })
  send({ kind: 'hello' })
  const { number, workers, host, port, startedAt } = await part.promise

  return {
    number,
    workers,
    isLead: number === 1,
    startedAt: new Date(startedAt),
    host,
    port,
    log,
    answer: (about, give) => void answers.set(about, give),
    async askAll(about) {
      const [own, others] = await Promise.all([
        answerFrom(answers, about),
        questions.put(ASK_WAITS_MS, [], (id) => send({ kind: 'ask', id, about })),
      ])
      return [own, ...others].filter((answer) => answer !== undefined && answer !== null)
    },
    counts: (give) => void answers.set(COUNTS, give),
    async total() {
      lastTotal = await questions.put(ASK_WAITS_MS, lastTotal, (id) => send({ kind: 'total', id }))
      return lastTotal
    },
    tell: (text) => send({ kind: 'tell', text }),
    ready: (url) => send({ kind: 'ready', url }),
    dismissed: dismissed.promise,
    async leave() {
      worker.exitedAfterDisconnect = true
      if (process.connected) {
        send({ kind: 'leaving' })
        await Promise.race([released.promise, sleep(LEAVE_WAITS_MS, undefined, { ref: false })])
      }
      if (process.connected) process.disconnect?.()
    },
  }
}
