import { ErrorReply } from '@redis/client'
import { withTimeout } from '../../concurrency/index.ts'
import { createRecentProblem } from '../../logging/index.ts'
import { StoreError, StoreRejection, toUnavailable } from '../health.ts'
import type { DriverOptions } from '../store.ts'
import { PREFIX } from './keyspace.ts'
import { createRedisClient, type RedisAddress, type RedisClient } from './node-redis.ts'

/** Far above a healthy round trip. */
const REPLY_TIMEOUT_MS = 700
/** Minimum time between two new clients for sentinels or a cluster. A new client looks up the current master. */
const RECONNECT_INTERVAL_MS = 500
/** Doubled after each failed attempt, up to this: the library takes up to 240 ms of CPU time to ask sentinels. */
const MAX_RECONNECT_INTERVAL_MS = 4000
const CONNECT_TIMEOUT_MS = 3000
/** An outage has ended if no call fails for this long: if a node of a cluster is down, calls of the others succeed. */
const OUTAGE_END_MS = 2000
/** A call that Redis rejected is reported for this long. */
const REJECTION_MS = 60_000
/** The version of the keys and values. Raise it for a change that an older service would misread. */
const LAYOUT = 1

export type RedisConnection = ReturnType<typeof connectRedis>

export function connectRedis(address: RedisAddress, options: Pick<DriverOptions, 'log' | 'replyTimeoutMs'>) {
  const { log, replyTimeoutMs = REPLY_TIMEOUT_MS } = options
  let failure: StoreError | undefined
  let failedAt = 0
  /** Each reason is logged once per outage, even if reasons alternate. */
  const logged = new Set<string>()
  const rejection = createRecentProblem(REJECTION_MS)
  let checkedClient: RedisClient | undefined
  let closed = false
  let attempts = 0
  let reconnectIntervalMs = RECONNECT_INTERVAL_MS
  let reconnectTimer: NodeJS.Timeout | undefined
  const firstOutcome = Promise.withResolvers<void>()
  let client = start()

  function start(): RedisClient {
    const next = createRedisClient(address, (error) => recordFailure(describeError(error)), attempts++)
    const connecting = next.connect()
    // The client of a single server reconnects by itself, without end.
    const outcome =
      address.kind === 'single' ? connecting : withTimeout(CONNECT_TIMEOUT_MS, connecting, failWithTimeout)
    outcome.then(
      () => {
        reconnectIntervalMs = RECONNECT_INTERVAL_MS
        firstOutcome.resolve()
      },
      (error) => {
        recordFailure(describeError(error))
        if (address.kind !== 'single') scheduleReconnect(next)
        reconnectIntervalMs = Math.min(2 * reconnectIntervalMs, MAX_RECONNECT_INTERVAL_MS)
      },
    )
    return next
  }

  function recordFailure(next: StoreError) {
    if (!closed && !logged.has(next.message)) log.warn({ reason: next.message }, 'Redis is unavailable')
    logged.add(next.message)
    failure = next
    failedAt = performance.now()
    firstOutcome.resolve()
  }

  function recordRejection({ message }: StoreRejection) {
    if (rejection.message() !== message) log.warn({ reason: message }, 'Redis rejected a call')
    rejection.report(message)
  }

  /** Drops a hanging client and everything that waits for it, so that later calls fail at once. */
  function replace(bad: RedisClient) {
    if (bad !== client || closed) return
    clearTimeout(reconnectTimer)
    reconnectTimer = undefined
    bad.destroy()
    client = start()
  }

  function scheduleReconnect(bad: RedisClient) {
    if (bad !== client || closed) return
    reconnectTimer ??= setTimeout(() => replace(bad), reconnectIntervalMs * (0.75 + Math.random() / 2))
  }

  /** Runs once per client, and refuses data of a newer version of the service. */
  async function checkLayout(current: RedisClient) {
    const key = `${PREFIX}layout`
    const found = Number(await current.commands.get(key))
    if (found > LAYOUT)
      throw new StoreError(
        `Redis holds data of layout ${found}, but this version of the service supports at most layout ${LAYOUT}; ` +
          'nothing was changed',
      )
    if (found === 0) await current.commands.set(key, String(LAYOUT))
    checkedClient = current
  }

  return {
    /** Rejects at once while Redis is unavailable, and after `replyTimeoutMs` if it hangs. Queues nothing. */
    async run<T>(work: (commands: RedisClient['commands'], buffers: RedisClient['buffers']) => Promise<T>) {
      // Calls during the very first connection attempt wait for its outcome.
      if (!client.isReady && !failure) await withTimeout(replyTimeoutMs, firstOutcome.promise, () => undefined)
      const current = client
      if (!current.isReady) throw toUnavailable(failure ?? new StoreError('Redis is not connected yet'))
      const call = async () => {
        if (current !== checkedClient) await checkLayout(current)
        return work(current.commands, current.buffers)
      }
      try {
        const result = await withTimeout(replyTimeoutMs, call(), () => {
          replace(current)
          return failWithTimeout()
        })
        if (failure && performance.now() - failedAt > OUTAGE_END_MS) {
          log.info({}, 'Redis is available again')
          logged.clear()
          failure = undefined
        }
        return result
      } catch (error) {
        const reason = describeError(error)
        if (reason instanceof StoreRejection) recordRejection(reason)
        // An error reply is a problem of this command; the connection works.
        if (!(error instanceof ErrorReply)) recordFailure(reason)
        // The server was a master and is a replica now. A new connection to its name may reach the new master.
        const isReplica = error instanceof ErrorReply && /^(READONLY|MASTERDOWN)/.test(withoutScript(error.message))
        const isBroken = !(error instanceof ErrorReply) && address.kind !== 'single'
        if (isReplica || isBroken) scheduleReconnect(current)
        throw toUnavailable(reason)
      }
    },
    /** Call it when Redis works again after a failure: what it rejected meanwhile is no problem any more. */
    forgetRejection: rejection.forget,
    /** Why Redis rejected a call in the last minute, although it works. */
    rejection: rejection.message,
    async close() {
      closed = true
      clearTimeout(reconnectTimer)
      client.destroy()
    },
  }
}

const failWithTimeout = (): never => {
  throw new StoreError('Redis does not reply')
}

/** Redis 6 writes "ERR Error running script (call to f_…): @user_script: 1: -" before the error of a call in a script. */
const withoutScript = (message: string) => message.replace(/^ERR Error running script .*@user_script: ?\d+: -?/, '')

/** Redis 6, 7.0 and 7.2 differ in the errors of a call in a script. */
const NO_PERMISSION = /^NOPERM|^(ERR )?The user executing the script can't|^ERR ACL failure in script/

/** Public messages for errors of Redis and of the network. The original messages may contain addresses. */
const descriptions: [RegExp, string][] = [
  [/^OOM/, 'Redis is out of memory and rejects writes'],
  [/^(WRONGPASS|NOAUTH)|invalid password|no password is set/i, 'Redis rejects the user name or password'],
  [/^LOADING/, 'Redis is still loading its data'],
  [/^(READONLY|MASTERDOWN|NOREPLICAS|MISCONF|CLUSTERDOWN|TRYAGAIN|BUSY)/, 'Redis rejects writes at the moment'],
  [/^(MOVED|ASK|CROSSSLOT) /, 'Redis runs as a cluster; STORE_URL must begin with redis-cluster://'],
  [/cluster support disabled/, 'Redis does not run as a cluster; STORE_URL must begin with redis://'],
  [/RootNodesUnavailable|root nodes/i, 'no node of the Redis cluster replies'],
  [/sentinel|master node/i, 'no sentinel knows the address of the master'],
  [/max number of clients/, 'Redis accepts no more connections'],
  [/ECONNREFUSED/, 'Redis refuses the connection'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name of Redis cannot be resolved'],
  [/ECONNRESET|EPIPE|socket closed|disconnects client|client is (closed|offline)/i, 'Redis closed the connection'],
  [/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i, 'Redis does not reply'],
  [/queue is full/, 'too many calls wait for Redis'],
  [/certificate|SSL|TLS/i, 'the TLS connection to Redis failed'],
]

export function describeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { message: text = '', code = '', name = '' } = error as { message?: string; code?: string; name?: string }
  const message = withoutScript(text)
  if (NO_PERMISSION.test(message))
    return new StoreRejection('the Redis user lacks permission for a required command or key')
  const found = descriptions.find(([pattern]) => pattern.test(message) || pattern.test(code) || pattern.test(name))
  if (found) return new StoreError(found[1])
  if (!(error instanceof ErrorReply)) return new StoreError(`Redis failed: ${code || name}`)
  return new StoreRejection(`Redis rejects a call, perhaps because another program has written our keys: ${message}`)
}
