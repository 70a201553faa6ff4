import { ErrorReply } from '@redis/client'
import { within } from '../../concurrency/index.ts'
import type { Log } from '../../logging/index.ts'
import { StoreTrouble, unavailable } from '../unavailable.ts'
import { type Connection, connectionTo, type ReadBytes, type RedisAddress, type RedisCommands } from './connect.ts'
import { meaningOf } from './describe-error.ts'

/** Far above a healthy round trip; below the second in which a count must be on a disk. */
const ANSWER_MS = 700
/** A connection to sentinels or a cluster that fails is made anew, and learns who is the master now; not oftener. */
const RENEW_MS = 500
const GIVE_UP_MS = 3000
/** The version of the keys and what they hold; a change that an older service would misread raises it. */
const LAYOUT = 1

export interface RedisLink {
  /** Rejects at once while Redis is away, and within 0.7 s (`answerMs`) where it hangs; nothing is queued for later. */
  run<T>(work: (commands: RedisCommands, readBytes: ReadBytes) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface LinkOptions {
  readonly prefix: string
  readonly log: Log
  readonly answerMs?: number
}

export function linkRedis(address: RedisAddress, { prefix, log, answerMs = ANSWER_MS }: LinkOptions): RedisLink {
  let trouble: StoreTrouble | undefined
  /** Each reason is logged once until Redis is back, however they alternate. */
  const told = new Set<string>()
  let checked: Connection | undefined
  let closed = false
  let renewing: NodeJS.Timeout | undefined
  const firstOutcome = Promise.withResolvers<void>()
  let connection = start()

  function start(): Connection {
    const fresh = connectionTo(address, (error) => note(meaningOf(error)))
    const connecting = fresh.connect()
    // One server is connected to again and again by the client itself.
    const outcome = address.kind === 'single' ? connecting : within(GIVE_UP_MS, connecting, tooLate)
    outcome.then(
      () => firstOutcome.resolve(),
      (error) => {
        note(meaningOf(error))
        if (address.kind !== 'single') renewSoon(fresh)
      },
    )
    return fresh
  }

  function note(next: StoreTrouble) {
    if (!closed && !told.has(next.message)) log.warn({ trouble: next.message }, 'Redis is away')
    told.add(next.message)
    trouble = next
    firstOutcome.resolve()
  }

  /** Drops a connection that hangs, with all that waits on it, so that later calls fail at once. */
  function replace(bad: Connection) {
    if (bad !== connection || closed) return
    clearTimeout(renewing)
    renewing = undefined
    bad.destroy()
    connection = start()
  }

  function renewSoon(bad: Connection) {
    if (bad !== connection || closed) return
    renewing ??= setTimeout(() => replace(bad), RENEW_MS * (0.75 + Math.random() / 2))
  }

  /** Each new connection first looks whether a newer version of the service has written there. */
  async function checkLayout(fresh: Connection) {
    const key = `${prefix}layout`
    const found = Number(await fresh.commands.get(key))
    if (found > LAYOUT) {
      throw new StoreTrouble(
        `Redis holds layout ${found}, but this version of the service knows layout ${LAYOUT} at most; nothing was changed`,
      )
    }
    if (found === 0) await fresh.commands.set(key, String(LAYOUT))
    checked = fresh
  }

  return {
    async run(work) {
      // While the very first connection is on its way, a call waits for how it goes.
      if (!connection.isReady && !trouble) await within(answerMs, firstOutcome.promise, () => undefined)
      const used = connection
      if (!used.isReady) throw unavailable(trouble ?? new StoreTrouble('Redis is not connected yet'))
      const call = async () => {
        if (used !== checked) await checkLayout(used)
        return work(used.commands, used.readBytes)
      }
      try {
        const result = await within(answerMs, call(), () => {
          replace(used)
          return tooLate()
        })
        if (trouble) {
          log.info({}, 'Redis is back')
          told.clear()
          trouble = undefined
        }
        return result
      } catch (error) {
        const meaning = meaningOf(error)
        // A command that Redis refuses is its caller's to tell; the connection works.
        if (!(error instanceof ErrorReply)) note(meaning)
        // A master that was made a replica refuses, too.
        const isMoved = !(error instanceof ErrorReply) || error.message.startsWith('READONLY')
        if (isMoved && address.kind !== 'single') renewSoon(used)
        throw unavailable(meaning)
      }
    },
    async close() {
      closed = true
      clearTimeout(renewing)
      connection.destroy()
    },
  }
}

const tooLate = (): never => {
  throw new StoreTrouble('Redis does not answer')
}
