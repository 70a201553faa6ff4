import { Worker } from 'node:worker_threads'
import { within } from '../../concurrency/index.ts'
import type { Log } from '../../logging/index.ts'
import { rememberHealth } from '../health.ts'
import type { Bans, Clients, Clock, Downloads, State, Store, Strikes, Tokens } from '../store.ts'
import { StoreTrouble, unavailable } from '../unavailable.ts'
import type { Answer, Call } from './worker.ts'

/** Longer than SQLite waits for a lock, so that its own words arrive first. */
const ANSWER_MS = 3000
/** Calls that wait for the disk; far more than a healthy one ever lets gather. */
const MAX_WAITING = 1000

type Names<Part> = Record<keyof Part, true>

const calls: { [Part in keyof State]: Names<State[Part]> } = {
  downloads: { add: true, lastNumber: true, summary: true, rows: true, writers: true } satisfies Names<Downloads>,
  clients: { ask: true, decide: true, find: true, list: true, put: true, revision: true } satisfies Names<Clients>,
  tokens: { put: true, remove: true, list: true, used: true, revision: true } satisfies Names<Tokens>,
  bans: { put: true, lift: true, list: true, changes: true } satisfies Names<Bans>,
  strikes: { add: true, clear: true, list: true, put: true } satisfies Names<Strikes>,
}

export function openSqlite(file: string, { log, clock }: { log: Log; clock: Clock }): Store {
  const thread = startThread(file, clock, log)
  const part = <Name extends keyof State>(name: Name) =>
    Object.fromEntries(
      Object.keys(calls[name]).map((method) => [method, (...args: unknown[]) => thread.call(name, method, args)]),
    ) as unknown as State[Name]

  return {
    driver: 'sqlite',
    downloads: part('downloads'),
    clients: part('clients'),
    tokens: part('tokens'),
    bans: part('bans'),
    strikes: part('strikes'),
    health: rememberHealth('sqlite', log, () => thread.call('store', 'probe', [])),
    clear: async () => void (await thread.call('store', 'clear', [])),
    close: thread.close,
  }
}

type Waiting = { resolve(result: unknown): void; reject(error: unknown): void; timer: NodeJS.Timeout }

function startThread(file: string, clock: Clock, log: Log) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { file } })
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  let gone: StoreTrouble | undefined

  const settle = (id: number, finish: (waiter: Waiting) => void) => {
    const waiter = waiting.get(id)
    if (!waiter) return
    clearTimeout(waiter.timer)
    waiting.delete(id)
    finish(waiter)
  }
  const refuse = (id: number, why: StoreTrouble) => settle(id, ({ reject }) => reject(unavailable(why)))

  worker.on('message', ({ id, result, trouble, replaced, bug }: Answer) => {
    if (replaced) log.error({ trouble }, 'the database was taken away')
    if (trouble !== undefined) refuse(id, new StoreTrouble(trouble))
    else settle(id, ({ resolve, reject }) => (bug === undefined ? resolve(result) : reject(bug)))
  })
  const end = (why: string) => {
    gone = new StoreTrouble(why)
    for (const id of [...waiting.keys()]) refuse(id, gone)
  }
  worker.on('error', (error: Error) => end(`the thread of the database stopped: ${error.name}`))
  worker.on('exit', () => end('the store is closed'))

  return {
    call(part: string, method: string, args: unknown[]): Promise<unknown> {
      if (gone) return Promise.reject(unavailable(gone))
      if (waiting.size >= MAX_WAITING) {
        return Promise.reject(unavailable(new StoreTrouble('too many calls wait for the database')))
      }
      const id = nextId++
      return new Promise((resolve, reject) => {
        const late = new StoreTrouble('the database does not answer in time')
        waiting.set(id, { resolve, reject, timer: setTimeout(() => refuse(id, late), ANSWER_MS) })
        worker.postMessage({ id, part, method, args, now: clock() } satisfies Call)
      })
    },
    close(): Promise<void> {
      if (gone) return Promise.resolve()
      worker.postMessage('close')
      const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      // A disk that never answers must not keep the service from stopping.
      return within(ANSWER_MS, exit, () => void worker.terminate())
    },
  }
}
