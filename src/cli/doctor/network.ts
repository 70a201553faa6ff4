// Checks of the address of the service, the proxies before it, its port, its webhooks and its store.
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../config/root.ts'
import { OperatorError } from '../../errors/index.ts'
import type { RedisInspection, Store } from '../../platform/store/index.ts'
import { formatCount, localUrl } from '../text.ts'
import { withStore } from '../with-services.ts'
import { type CheckContext, error, type Finding, type Findings, ok, orOk, warning } from './check.ts'

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)
const isEveryAddress = (cidr: string) => /\/0$/.test(cidr)

export function checkNetwork({ HOST, PUBLIC_URL, TRUST_PROXY, RATE_LIMIT }: Config): Findings {
  const isOpen = !isLoopback(HOST)
  const isPublic = isOpen || PUBLIC_URL !== ''
  const scope = isOpen ? 'Other machines can reach it' : 'Only this machine can reach it'
  const reach = PUBLIC_URL ? `Its public URL is ${PUBLIC_URL}` : scope
  return orOk(
    [
      TRUST_PROXY.some(isEveryAddress) &&
        error(
          'TRUST_PROXY trusts every address. Clients can forge their address, so limits and bans have no effect.',
          'TRUST_PROXY=<address of the proxy>',
        ),
      // The service does not speak TLS, so https implies a proxy.
      PUBLIC_URL.startsWith('https:') &&
        TRUST_PROXY.length === 0 &&
        error(
          'PUBLIC_URL is https, so there is a proxy, but TRUST_PROXY is empty. All clients share one limit and one ban.',
          `TRUST_PROXY=${isOpen ? '<address of the proxy>' : 'loopback'}`,
        ),
      isOpen &&
        PUBLIC_URL === '' &&
        TRUST_PROXY.length === 0 &&
        warning(
          `HOST ${HOST} accepts connections from the network, without TLS and for any host name.`,
          'Use a proxy with TLS: HOST=127.0.0.1, PUBLIC_URL=https://<your domain>, TRUST_PROXY=loopback',
        ),
      isPublic &&
        RATE_LIMIT === 'off' &&
        warning('RATE_LIMIT is off. One client can use all resources.', 'RATE_LIMIT=on'),
    ],
    `Listens on ${HOST}. ${reach}.`,
  )
}

/** A running service reports webhooks that fail, and `checkListenPort` shows what it reports. */
export async function checkWebhooks({ config, formatCommand }: CheckContext): Promise<Finding> {
  const { parseWebhook } = await import('../../features/notifications/index.ts')
  const labels = config.NOTIFY_URLS.map((url, index) => parseWebhook(url, index).label)
  if (labels.length === 0) return ok('NOTIFY_URLS is empty: nobody is notified of problems.')
  return ok(`Problems are sent to ${labels.join(', ')}. Try it: ${formatCommand('notify test')}`)
}

export const checkAppName = ({ APP_NAME }: Config): Finding =>
  APP_NAME === 'app'
    ? warning(
        'APP_NAME is still "app". It is part of the v5 paths. Launchers that use them stop working if you change it later.',
        'APP_NAME=<your product>',
      )
    : ok(`The v5 paths start with /api/v5/${APP_NAME}.`)

export async function checkListenPort({ config: { HOST, PORT }, signal }: CheckContext): Promise<Findings> {
  if (PORT === 0) return ok('PORT is 0: any free port is used.')
  const { checkPort, ListenError } = await import('../../http/kernel/connections.ts')
  try {
    await checkPort(HOST, PORT)
    return ok(`Port ${PORT} of ${HOST} is free.`)
  } catch (cause) {
    if (!(cause instanceof ListenError)) throw cause
    const { code } = cause.cause as NodeJS.ErrnoException
    return code === 'EADDRINUSE' ? checkListener(localUrl(HOST, PORT), PORT, signal) : error(cause.message)
  }
}

const REPLY_TIMEOUT_MS = 3000

async function checkListener(url: string, port: number, signal: AbortSignal): Promise<Findings> {
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)])
  const { version, node } = await fetchObject(`${url}/api/v1/version`, limited())
  if (typeof version !== 'string' || typeof node !== 'string')
    return error(`Another program uses port ${port}.`, `PORT=${port + 1}, or stop the other program`)
  const { readVersion } = await import('../../features/developer/index.ts')
  const own = (await readVersion(ROOT)).version
  return [
    checkReadiness(`Menagerie ${version} runs on ${url}`, await fetchReadiness(url, limited()), `curl ${url}/readyz`),
    version !== own &&
      warning(`The running service is version ${version}, but this program is ${own}.`, 'Restart the service'),
  ]
}

function checkReadiness(running: string, readiness: Awaited<ReturnType<typeof fetchReadiness>>, fix: string): Finding {
  const { state, problems = [] } = readiness ?? {}
  if (state === 'ok') return ok(`${running} and is ready.`)
  const reasons = problems.length > 0 ? ` (${problems.slice(0, 3).map(formatProblem).join('; ')})` : ''
  if (state === 'degraded') return warning(`${running}, but has problems${reasons}.`, fix)
  return error(`${running}, but is not ready${reasons}.`, fix)
}

/** Some requests wait for the store. On the same machine a call takes well under a millisecond. */
const SLOW_REPLY_MS = 20
const MAX_CLOCK_DIFFERENCE_MS = 5000

export async function checkStore(context: CheckContext): Promise<Findings> {
  const { sqliteFile, describeStoreError } = await import('../../platform/store/index.ts')
  const file = sqliteFile(context.config.STORE_URL, context.config.DATA_DIR)
  try {
    return file === undefined ? await checkRedis(context) : await checkSqlite(file, context)
  } catch (cause) {
    const problem = describeStoreError(cause)
    if (problem === undefined && !(cause instanceof OperatorError)) throw cause
    const text = problem === undefined ? (cause as OperatorError).message : `The store cannot be used: ${problem}.`
    return error(text, fixStore(file))
  }
}

const fixStore = (file: string | undefined) =>
  file === undefined
    ? 'Start Redis, or correct STORE_URL'
    : 'See "Back up and restore" in docs/operating.md, or set another STORE_URL'

async function checkSqlite(file: string, context: CheckContext): Promise<Findings> {
  const { inspectSqlite } = await import('../../platform/store/index.ts')
  const found = inspectSqlite(file)
  if (!found) return ok('The store is an SQLite file, which is created at the first start.')
  const { schema, newest, sqlite, tookMs } = found
  const name = `SQLite ${sqlite}, schema ${schema}`
  if (schema > newest)
    return error(
      `${name} belongs to a newer version of the service. This version supports up to schema ${newest}.`,
      'Run the newer version, or restore a backup from before the update',
    )
  // Opening the store would migrate it while an older service may be running.
  if (schema < newest) return ok(`${name}. The next start makes a copy and migrates it to schema ${newest}.`)
  return [
    ok(`${name}. SQLite's quick check found no damage (${tookMs.toFixed(1)} ms).`),
    ...(await withStore(context.config, (store) => checkRecords(store, context))),
  ]
}

async function checkRedis(context: CheckContext): Promise<Findings> {
  const { inspectRedis } = await import('../../platform/store/index.ts')
  const examined = await inspectRedis(context.config.STORE_URL)
  // Sentinels and clusters are not examined further.
  const server = examined ? checkRedisServer(examined) : [ok('Redis replies.')]
  // The first write would only repeat the reason, less precisely.
  if (examined && (examined.master !== undefined || isFull(examined))) return server
  return [...server, ...(await withStore(context.config, (store) => checkRedisRecords(store, context)))]
}

async function checkRedisRecords(store: Store, context: CheckContext) {
  const health = await store.health()
  const records = await checkRecords(store, context)
  return [!health.ok && error(`The store cannot be used: ${health.message}.`, 'See the log of Redis'), ...records]
}

/** Redis rejects writes instead of deleting records. */
const isFull = ({ maxBytes, usedBytes, policy }: RedisInspection) =>
  maxBytes > 0 && usedBytes > maxBytes && policy === 'noeviction'

export function checkRedisServer(redis: RedisInspection): (Finding | false)[] {
  const { version, master, policy, maxBytes, usedBytes, persistent, aheadMs, latencyMs } = redis
  return [
    ok(`Redis ${version} replies in ${latencyMs.toFixed(1)} ms.`),
    master !== undefined &&
      error(
        `Redis is a read-only replica of ${master}. Bans, keys, tokens and counts cannot be stored.`,
        `Set STORE_URL to the master, ${master}`,
      ),
    isFull(redis) &&
      error(
        `Redis is out of memory (${usedBytes} of ${maxBytes} bytes) and rejects writes.`,
        'redis-cli CONFIG SET maxmemory <bytes>, and the same in redis.conf',
      ),
    latencyMs > SLOW_REPLY_MS &&
      warning(
        `Redis is slow: a reply takes ${Math.round(latencyMs)} ms. Requests wait for it when keys, tokens and shared limits are read.`,
        'Use a Redis closer to this machine',
      ),
    maxBytes > 0 &&
      policy !== 'noeviction' &&
      error(
        `Redis deletes records when its memory is full (${policy}). Bans, keys and counts would be lost.`,
        'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf',
      ),
    persistent === false &&
      error(
        'Redis stores nothing on disk. A restart would lose tokens, keys, bans and counts.',
        'redis-cli CONFIG SET appendonly yes, and the same in redis.conf',
      ),
    Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS &&
      warning(
        `The clocks of Redis and this machine differ by ${Math.round(Math.abs(aheadMs) / 1000)} seconds.`,
        'timedatectl set-ntp true, on both machines',
      ),
  ]
}

async function checkRecords({ tokens, clients }: Store, { config, formatCommand }: CheckContext) {
  const now = Date.now()
  const validTokens = (await tokens.list()).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const states = (await clients.list()).map(({ state }) => state)
  const pending = states.filter((state) => state === 'pending').length
  return [
    validTokens.length > 0
      ? ok(`${formatCount(validTokens.length, 'valid operator token')}.`)
      : warning(
          'There is no valid operator token. Only a sign-in link that "serve" prints opens the dashboard.',
          formatCommand('token create dashboard --expires 90d'),
        ),
    pending > 0 &&
      warning(
        `${formatCount(pending, 'request')} for a client key ${pending === 1 ? 'is' : 'are'} pending.`,
        formatCommand('clients list --state pending'),
      ),
    config.V5_ACCESS === 'registered' &&
      pending === 0 &&
      !states.includes('granted') &&
      warning(
        'V5_ACCESS is "registered", but no client has a key. Nobody can use v5.',
        'Request a key on /v5-access and grant it, or set V5_ACCESS=open',
      ),
  ]
}

// The readiness of the service on this machine. Another program may use its port and reply with anything.

/** Resolves to an empty object if no JSON object arrives. */
async function fetchObject(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await (await fetch(url, { signal, redirect: 'manual' })).json()
    return body instanceof Object ? { ...body } : {}
  } catch {
    return {}
  }
}

/** Resolves to undefined if no Menagerie service replies at this URL. */
export async function fetchReadiness(url: string, signal: AbortSignal) {
  const { success, code, state, problems } = await fetchObject(`${url}/readyz`, signal)
  const list: object[] = Array.isArray(problems) ? problems.filter((problem) => problem instanceof Object) : []
  if (success === true && (state === 'ok' || state === 'degraded')) return { state, problems: list } as const
  return code === 'NOT_READY' ? ({ state: 'not ready', problems: list } as const) : undefined
}

export const formatProblem = ({ part, message }: { part?: unknown; message?: unknown }) => `${part}: ${message}`
