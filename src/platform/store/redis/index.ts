import { createHealthCheck } from '../health.ts'
import type { DriverOptions, Store } from '../store.ts'
import { createRedisAdoption } from './adoption.ts'
import { createRedisBans, createRedisStrikes } from './bans.ts'
import { connectRedis } from './connection.ts'
import { createRedisClients, createRedisTokens } from './credentials.ts'
import { createRedisDownloads } from './downloads.ts'
import { createRedisContext, PREFIX, probeKeys, stateKeys } from './keyspace.ts'
import { createRedisLeases } from './leases.ts'
import type { RedisAddress } from './node-redis.ts'

export { openRedisContent } from './content.ts'
export { inspectRedis } from './inspect.ts'
export { openRedisResultCache } from './result-cache.ts'

/** Raises every revision, so that other nodes notice, and makes them read the complete list of bans. */
const CLEAR = `
  for i = 1, 3 do redis.call('INCR', KEYS[i]) end
  redis.call('SET', KEYS[4], redis.call('GET', KEYS[3]))
  for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end`

const revisionKeys = ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten']

export function openRedis(address: RedisAddress, options: DriverOptions): Store {
  const { log, clock, maxAutomaticRecords, replyTimeoutMs } = options
  const redis = connectRedis(address, { log, replyTimeoutMs })
  const context = createRedisContext(redis, { clock, log })
  const markersKey = `${PREFIX}markers`
  return {
    driver: 'redis',
    leases: createRedisLeases(redis),
    downloads: createRedisDownloads(context),
    adoption: createRedisAdoption(context),
    clients: createRedisClients(context),
    tokens: createRedisTokens(context),
    bans: createRedisBans(context, maxAutomaticRecords),
    strikes: createRedisStrikes(context, maxAutomaticRecords),
    markers: {
      get: async (name) => (await context.readField('markers', name)) ?? undefined,
      set: async (name, value) => void (await redis.run((commands) => commands.hSet(markersKey, name, value))),
      remove: async (name) => void (await redis.run((commands) => commands.hDel(markersKey, name))),
    },
    health: createHealthCheck('redis', log, () => probeKeys(context)),
    clear: async () => void (await context.evaluate(CLEAR, [...revisionKeys, ...stateKeys], [])),
    close: redis.close,
  }
}
