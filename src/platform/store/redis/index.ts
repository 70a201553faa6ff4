import type { Log } from '../../logging/index.ts'
import { createHealthCheck } from '../health.ts'
import type { Clock, Markers, Store } from '../store.ts'
import { createRedisBans } from './bans.ts'
import { createRedisClients } from './clients.ts'
import { connectRedis, type RedisConnection } from './connection.ts'
import { createRedisDownloads } from './downloads.ts'
import { evaluate, PREFIX, probeKeys, stateKeys } from './keyspace.ts'
import { createRedisLeases } from './leases.ts'
import type { RedisAddress } from './node-redis.ts'
import { createRedisStrikes } from './strikes.ts'
import { createRedisTokens } from './tokens.ts'

/** Raises every revision, so that other nodes notice, and makes them read the complete list of bans. */
const CLEAR = `
  for i = 1, 3 do redis.call('INCR', KEYS[i]) end
  redis.call('SET', KEYS[4], redis.call('GET', KEYS[3]))
  for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end`

const revisionKeys = ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten']

export function openRedis(address: RedisAddress, { log, clock }: { log: Log; clock: Clock }): Store {
  const redis = connectRedis(address, { prefix: PREFIX, log })
  const context = { redis, clock, log }
  return {
    driver: 'redis',
    leases: createRedisLeases(redis),
    downloads: createRedisDownloads(context),
    clients: createRedisClients(context),
    tokens: createRedisTokens(context),
    bans: createRedisBans(context),
    strikes: createRedisStrikes(context),
    markers: createRedisMarkers(redis),
    health: createHealthCheck('redis', log, () => probeKeys(redis)),
    clear: async () => void (await evaluate(redis, CLEAR, [...revisionKeys, ...stateKeys], [])),
    close: redis.close,
  }
}

function createRedisMarkers(redis: RedisConnection): Markers {
  const key = `${PREFIX}markers`
  return {
    get: async (name) => (await redis.run((commands) => commands.hGet(key, name))) ?? undefined,
    set: async (name, value) => void (await redis.run((commands) => commands.hSet(key, name, value))),
    remove: async (name) => void (await redis.run((commands) => commands.hDel(key, name))),
  }
}
