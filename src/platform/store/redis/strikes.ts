import { EVICTION_BATCH, MAX_AUTOMATIC_RECORDS, type Strike, type Strikes } from '../store.ts'
import { evaluate, type RedisContext, readHash, SET_ENDED_BY, writeInChunks } from './keyspace.ts'

const KEYS = ['strikes', 'strikes:ends']

const DELETE_EXPIRED = `${SET_ENDED_BY}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', endedBy, 'LIMIT', 0, 500)) do
    redis.call('HDEL', KEYS[1], ended)
    redis.call('ZREM', KEYS[2], ended)
  end`

const ADD = `${DELETE_EXPIRED}
  local now, key, points, expiresAt = unpack(ARGV)
  local ends = redis.call('ZSCORE', KEYS[2], key)
  if ends and tonumber(ends) <= tonumber(now) then redis.call('HDEL', KEYS[1], key) end
  redis.call('ZADD', KEYS[2], expiresAt, key)
  local score = redis.call('HINCRBY', KEYS[1], key, points)
  if redis.call('ZCARD', KEYS[2]) > ${MAX_AUTOMATIC_RECORDS} then
    local evicted = redis.call('ZPOPMIN', KEYS[2], ${EVICTION_BATCH})
    for i = 1, #evicted, 2 do redis.call('HDEL', KEYS[1], evicted[i]) end
  end
  return score`

const PUT = `
  for i = 1, #ARGV, 3 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], ARGV[i])
  end`

const CLEAR = `
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`

const LIST = `return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES')`

export function createRedisStrikes({ redis, clock }: RedisContext): Strikes {
  return {
    add: async (key, points, expiresAt) => Number(await evaluate(redis, ADD, KEYS, [clock(), key, points, expiresAt])),
    clear: async (key) => void (await evaluate(redis, CLEAR, KEYS, [key])),
    async list() {
      const scores = await readHash(redis, 'strikes')
      const ends = (await evaluate(redis, LIST, KEYS, [clock()])) as string[]
      const strikes: Strike[] = []
      for (let index = 0; index < ends.length; index += 2) {
        const [key = '', end] = ends.slice(index, index + 2)
        strikes.push({ key, score: Number(scores.get(key)), expiresAt: Number(end) })
      }
      return strikes.sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    put: (strikes) =>
      writeInChunks(strikes, (chunk) => {
        const args = chunk.flatMap(({ key, score, expiresAt }) => [key, score, expiresAt])
        return evaluate(redis, PUT, KEYS, args)
      }),
  }
}
