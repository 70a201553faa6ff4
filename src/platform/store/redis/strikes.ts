import type { Strikes } from '../store.ts'
import { type RedisContext, SET_ENDED_BY, toPairs } from './keyspace.ts'

const KEYS = ['strikes', 'strikes:ends']

const DELETE_EXPIRED = `${SET_ENDED_BY}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', endedBy, 'LIMIT', 0, 500)) do
    redis.call('HDEL', KEYS[1], ended)
    redis.call('ZREM', KEYS[2], ended)
  end`

const buildAdd = (maxStrikes: number) => `${DELETE_EXPIRED}
  local now, key, points, expiresAt = unpack(ARGV)
  local ends = redis.call('ZSCORE', KEYS[2], key)
  if ends and tonumber(ends) <= tonumber(now) then redis.call('HDEL', KEYS[1], key) end
  redis.call('ZADD', KEYS[2], expiresAt, key)
  local score = redis.call('HINCRBY', KEYS[1], key, points)
  if redis.call('ZCARD', KEYS[2]) > ${maxStrikes} then
    local evicted = redis.call('ZPOPMIN', KEYS[2], ${maxStrikes / 10})
    for i = 1, #evicted, 2 do redis.call('HDEL', KEYS[1], evicted[i]) end
  end
  return score`

const PUT = `
  for i = 2, #ARGV, 3 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], ARGV[i])
  end`

const CLEAR = `
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`

const LIST = `return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES')`

export function createRedisStrikes(context: RedisContext, maxStrikes: number): Strikes {
  const { clock, evaluate, evaluateInChunks, readHash } = context
  const addScript = buildAdd(maxStrikes)
  return {
    add: async (key, points, expiresAt) => Number(await evaluate(addScript, KEYS, [clock(), key, points, expiresAt])),
    clear: async (key) => void (await evaluate(CLEAR, KEYS, [key])),
    async list() {
      const scores = await readHash('strikes')
      const ends = (await evaluate(LIST, KEYS, [clock()])) as string[]
      return toPairs(ends)
        .map(([key, end]) => ({ key, score: Number(scores.get(key)), expiresAt: Number(end) }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    put: (strikes) => evaluateInChunks(PUT, KEYS, strikes, ({ key, score, expiresAt }) => [key, score, expiresAt]),
  }
}
