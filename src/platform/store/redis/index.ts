import { createClient } from '@redis/client'
import { parseStoreUrl } from '../../../config/store-url.ts'
import { readRegularFile, writeAtomically } from '../../files/index.ts'
import { createRecentProblem } from '../../logging/index.ts'
import { createHealthCheck, toUnavailable } from '../health.ts'
import type { DriverOptions, Lease, LeaseRequest, Leases, Store } from '../store.ts'
import { createRedisBans, createRedisStrikes } from './bans.ts'
import { connectRedis, describeError, type RedisConnection } from './connection.ts'
import { createRedisAdoption, createRedisDownloads, createRedisUsage, usageKeyOf } from './counts.ts'
import { createRedisClients, createRedisTokens } from './credentials.ts'
import { choosePartition, createRedisContext, PREFIX, partitions, probeKeys, stateKeys } from './keyspace.ts'
import type { RedisAddress } from './node-redis.ts'

export { openRedisContent } from './content.ts'
export { openRedisResultCache } from './result-cache.ts'

/**
 * Deletes all state, then sets the given markers. First raises every revision, so that other nodes notice, and makes
 * them read the complete list of bans. ARGV[1] is the key of the markers, which is also one of the KEYS.
 */
const CLEAR = `
  for i = 1, 3 do redis.call('INCR', KEYS[i]) end
  redis.call('SET', KEYS[4], redis.call('GET', KEYS[3]))
  for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end
  for i = 2, #ARGV, 2 do redis.call('HSET', ARGV[1], ARGV[i], ARGV[i + 1]) end`

/** Without ARGV[3], the marker must not exist; HGET then returns false. */
const REPLACE_MARKER = `
  if redis.call('HGET', KEYS[1], ARGV[1]) ~= (ARGV[3] or false) then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  return 1`

const revisionKeys = ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten']

const LOST = 'Redis lost data, or was restored from an older state. Check tokens, client keys and counts'

/** Where the counter of `probeKeys` is saved, so that a loss of data while no node runs is noticed at the next start. */
type ProbePlace = { readonly file: string; readonly storeName: string } | undefined

export function openRedis(address: RedisAddress, options: DriverOptions & { savedProbe?: ProbePlace }): Store {
  const { log, clock, maxAutomaticRecords, replyTimeoutMs, savedProbe: place } = options
  const redis = connectRedis(address, { log, replyTimeoutMs })
  const context = createRedisContext(redis, { clock, log })
  const usage = createRedisUsage(context)
  const downloads = createRedisDownloads(context, () => reportLoss())
  const markersKey = `${PREFIX}markers`
  const lost = createRecentProblem()
  const reportLoss = () => {
    lost.report(LOST)
    log.warn({}, LOST)
  }
  let hasFailed = false
  const savedProbe = createSavedProbe(place)
  let lastProbe: number | undefined
  const health = createHealthCheck('redis', log, lost, async () => {
    // Before the probe: another worker may save a higher number while it is under way.
    lastProbe ??= await savedProbe.read()
    const { count, warning } = await probeKeys(context).catch((error) => {
      hasFailed = true
      throw error
    })
    if (count <= lastProbe || (await downloads.hasLostBatch())) {
      reportLoss()
      // Other workers of this node that start now must notice it, too.
      savedProbe.postpone()
    }
    lastProbe = count
    savedProbe.save(count)
    if (hasFailed) redis.forgetRejection()
    hasFailed = false
    return warning ?? redis.rejection()
  })
  return {
    driver: 'redis',
    leases: createRedisLeases(redis),
    downloads,
    adoption: createRedisAdoption(context),
    usage,
    clients: createRedisClients(context),
    tokens: createRedisTokens(context),
    bans: createRedisBans(context, maxAutomaticRecords),
    strikes: createRedisStrikes(context, maxAutomaticRecords),
    markers: {
      get: async (name) => (await context.readField('markers', name)) ?? undefined,
      set: async (name, value) => void (await redis.run((commands) => commands.hSet(markersKey, name, value))),
      replace: async (name, expected, value) => {
        const args = [name, value, ...(expected === undefined ? [] : [expected])]
        return (await context.evaluate(REPLACE_MARKER, ['markers'], args)) === 1
      },
      remove: async (name) => void (await redis.run((commands) => commands.hDel(markersKey, name))),
    },
    health,
    clear: async (markers = {}) => {
      const usageKeys = (await usage.days()).map(usageKeyOf)
      const args = [markersKey, ...Object.entries(markers).flat()]
      await context.evaluate(CLEAR, [...revisionKeys, ...stateKeys, ...usageKeys], args)
    },
    close: redis.close,
  }
}

const SAVE_INTERVAL_MS = 60_000

function createSavedProbe(place: ProbePlace) {
  let savedAt = Number.NEGATIVE_INFINITY
  return {
    /** Resolves to 0 if there is none, or if it is of another Redis. */
    async read(): Promise<number> {
      const text = place && (await readRegularFile(place.file).catch(() => undefined))?.toString()
      return text?.endsWith(` ${place?.storeName}`) ? Number.parseInt(text, 10) : 0
    },
    postpone(): void {
      savedAt = performance.now()
    },
    save(count: number): void {
      if (!place || performance.now() - savedAt < SAVE_INTERVAL_MS) return
      savedAt = performance.now()
      // Problems with the data folder are reported by the parts that depend on it.
      void writeAtomically(place.file, `${count} ${place.storeName}`).catch(() => {})
    },
  }
}

const CONNECT_TIMEOUT_MS = 2000

export type RedisInspection = NonNullable<Awaited<ReturnType<typeof inspectRedis>>>

/** Undefined for sentinels and clusters, where each server would have to be inspected. */
export async function inspectRedis(url: string) {
  const address = parseStoreUrl(url)
  if (address.kind !== 'single') return undefined
  const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const
  const client = createClient({ url: address.url, socket }).on('error', () => {})
  try {
    await client.connect()
    const [info, [seconds, micros]] = [await client.info(), await client.time()]
    const readField = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
    const aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - Date.now()
    const start = performance.now()
    await client.ping()
    const latencyMs = performance.now() - start
    // Hosted Redis services often forbid CONFIG.
    const { save: snapshots } = await client.configGet('save').catch(() => ({ save: undefined }))
    const isReadOnlyReplica = readField('role') === 'slave' && readField('slave_read_only') === '1'
    return {
      version: readField('redis_version'),
      /** The server that this one is a read-only replica of. */
      master: isReadOnlyReplica ? `${readField('master_host')}:${readField('master_port')}` : undefined,
      /** What Redis evicts when its memory is full, for example "noeviction". */
      policy: readField('maxmemory_policy'),
      /** 0: no limit. */
      maxBytes: Number(readField('maxmemory')),
      usedBytes: Number(readField('used_memory')),
      /** Whether the data survives a restart of Redis; undefined if Redis forbids CONFIG GET. */
      persistent: readField('aof_enabled') === '1' || (snapshots === undefined ? undefined : snapshots !== ''),
      /** How far the clock of Redis is ahead of this machine's clock. */
      aheadMs,
      latencyMs,
    }
  } catch (error) {
    throw toUnavailable(describeError(error))
  } finally {
    client.destroy()
  }
}

/** A key holds the time at which the bucket is full again, and expires at that time. */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local window, msPerRequest = tonumber(ARGV[1]), tonumber(ARGV[2])
  local reply = {}
  for i, key in ipairs(KEYS) do
    local spent, needed, ahead = unpack(ARGV, 3 * i, 3 * i + 2)
    -- Bounded, because a former larger limit or a clock jump may have left a later time.
    local fullAt = math.min(tonumber(redis.call('GET', key) or '0') or 0, now + 2 * window)
    fullAt = math.max(now, math.max(now, fullAt) + spent * msPerRequest)
    local free = math.floor((now + window - fullAt) / msPerRequest + 0.001)
    local granted = math.max(0, math.min(free, tonumber(needed)))
    -- At most an eighth is leased ahead, because it is not available to the other nodes.
    granted = granted + math.max(0, math.min(tonumber(ahead), math.floor((free - granted) / 8)))
    fullAt = fullAt + granted * msPerRequest
    local ttl = math.ceil(fullAt - now)
    if ttl > 0 then redis.call('SET', key, string.format('%.4f', fullAt), 'PX', ttl)
    else redis.call('DEL', key) end
    reply[2 * i - 1] = granted
    reply[2 * i] = string.format('%.4f', (now + window - fullAt) / msPerRequest)
  end
  return reply`

/** Leases per script, which takes Redis about one millisecond. */
const CHUNK = 250

function createRedisLeases(redis: RedisConnection): Leases {
  return {
    async take({ name, count, seconds }, leaseRequests) {
      const leases: Lease[] = []
      const windowMs = seconds * 1000

      const takeChunk = async (partition: number, chunk: readonly { request: LeaseRequest; index: number }[]) => {
        const keys = chunk.map(({ request }) => `${partitions[partition]}limit:${name}:${request.client}`)
        const args = chunk.flatMap(({ request }) => [request.spent, request.needed, request.ahead])
        const reply = (await redis.run((commands) =>
          commands.eval(TAKE, { keys, arguments: [windowMs, windowMs / count, ...args].map(String) }),
        )) as (number | string)[]
        chunk.forEach(({ index }, i) => {
          leases[index] = { granted: Number(reply[2 * i]), left: Number(reply[2 * i + 1]) }
        })
      }

      const indexed = leaseRequests.map((request, index) => ({ request, index }))
      const calls: Promise<void>[] = []
      for (const [partition, all] of Map.groupBy(indexed, ({ request }) => choosePartition(request.client))) {
        for (let start = 0; start < all.length; start += CHUNK) {
          calls.push(takeChunk(partition, all.slice(start, start + CHUNK)))
        }
      }
      await Promise.all(calls)
      return leases
    },
  }
}
