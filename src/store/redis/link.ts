import { createClient, ErrorReply } from '@redis/client'
import type { Log } from '../store.ts'
import { StoreTrouble, unavailable } from '../unavailable.ts'
import { within } from '../within.ts'

/** Far above a healthy round trip; below the second in which a count must be on a disk. */
const ANSWER_MS = 700
const CONNECT_MS = 2000
/** A connection that is silent for so long, pings included, is dead. */
const SILENCE_MS = 5000
const PING_MS = 2000
const MOST_WAITING = 10_000
/** The version of the keys and what they hold; a change that an older service would misread raises it. */
const LAYOUT = 1

export type RedisClient = ReturnType<typeof connectTo>

export interface RedisLink {
  /** Rejects at once while Redis is away, and within 0.7 s where it hangs; nothing is queued for later. */
  run<T>(work: (client: RedisClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What Redis or the network says, and what it means; the original may hold addresses. */
const meanings: [RegExp, string][] = [
  [/^OOM/, 'Redis is out of memory and refuses writes'],
  [/^(WRONGPASS|NOAUTH|NOPERM)|invalid password|no password is set/i, 'Redis refuses the name or password'],
  [/^LOADING/, 'Redis is still loading its data'],
  [/^(READONLY|MASTERDOWN|NOREPLICAS|MISCONF|CLUSTERDOWN|TRYAGAIN)/, 'Redis refuses writes at the moment'],
  [/^(MOVED|ASK|CROSSSLOT) /, 'Redis runs as a cluster; STORE_URL must name one node or a proxy'],
  [/ECONNREFUSED/, 'Redis refuses the connection'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name of Redis cannot be resolved'],
  [/ECONNRESET|EPIPE|socket closed/i, 'Redis closed the connection'],
  [/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i, 'Redis does not answer'],
  [/queue is full/, 'too many calls wait for Redis'],
  [/certificate|SSL|TLS/i, 'the TLS connection to Redis cannot be made'],
]

function meaningOf(error: unknown): StoreTrouble {
  if (error instanceof StoreTrouble) return error
  const { message = '', code = '', name = '' } = error as { message?: string; code?: string; name?: string }
  const meaning = meanings.find(([pattern]) => pattern.test(message) || pattern.test(code) || pattern.test(name))
  return new StoreTrouble(meaning?.[1] ?? `Redis failed: ${error instanceof ErrorReply ? message : code || name}`)
}

const connectTo = (url: string) =>
  createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_WAITING,
    pingInterval: PING_MS,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      // Jitter, so that many nodes do not all come back in the same moment.
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000) * (0.75 + Math.random() / 2),
    },
  })

export function linkRedis(url: string, { prefix, log }: { prefix: string; log: Log }): RedisLink {
  let trouble: StoreTrouble | undefined
  let checked: RedisClient | undefined
  let closed = false
  const firstOutcome = Promise.withResolvers<void>()
  let client = start()

  function start(): RedisClient {
    const fresh = connectTo(url)
    fresh.once('ready', () => firstOutcome.resolve())
    fresh.on('error', (error) => note(meaningOf(error)))
    fresh.connect().catch((error) => note(meaningOf(error)))
    return fresh
  }

  function note(next: StoreTrouble) {
    if (!closed && next.message !== trouble?.message) log.warn({ trouble: next.message }, 'Redis is away')
    trouble = next
    firstOutcome.resolve()
  }

  /** Drops a connection that hangs, with all that waits on it, so that later calls fail at once. */
  function replace(hung: RedisClient) {
    if (hung !== client || closed) return
    hung.destroy()
    client = start()
  }

  /** Each new connection first looks whether a newer version of the service has written there. */
  async function checkLayout(fresh: RedisClient) {
    const key = `${prefix}layout`
    const found = Number(await fresh.get(key))
    if (found > LAYOUT) {
      throw new StoreTrouble(
        `Redis holds layout ${found}, but this version of the service knows layout ${LAYOUT} at most; nothing was changed`,
      )
    }
    if (found === 0) await fresh.set(key, String(LAYOUT))
    checked = fresh
  }

  return {
    async run(work) {
      // While the very first connection is on its way, a call waits for how it goes.
      if (!client.isReady && !trouble) await within(ANSWER_MS, firstOutcome.promise, () => undefined)
      const used = client
      if (!used.isReady) throw unavailable(trouble ?? new StoreTrouble('Redis is not connected yet'))
      try {
        const answer = used === checked ? work(used) : checkLayout(used).then(() => work(used))
        const result = await within(ANSWER_MS, answer, () => {
          replace(used)
          throw new StoreTrouble('Redis does not answer')
        })
        if (trouble) log.info({}, 'Redis is back')
        trouble = undefined
        return result
      } catch (error) {
        const meaning = meaningOf(error)
        // A command that Redis refuses is its caller's to tell; the connection works.
        if (!(error instanceof ErrorReply)) note(meaning)
        throw unavailable(meaning)
      }
    },
    async close() {
      closed = true
      client.destroy()
    },
  }
}
