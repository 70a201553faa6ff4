import { DROPPED_AT_ONCE, MAX_KEPT, type Strike, type Strikes } from '../store.ts'
import { ENDED_BY, evaluate, inChunks, type Linked, readHash } from './part.ts'

const KEYS = ['strikes', 'strikes:ends']

const FORGET = `${ENDED_BY}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', endedBy, 'LIMIT', 0, 500)) do
    redis.call('HDEL', KEYS[1], ended)
    redis.call('ZREM', KEYS[2], ended)
  end`

const ADD = `${FORGET}
  local now, key, points, expiresAt = unpack(ARGV)
  local ends = redis.call('ZSCORE', KEYS[2], key)
  if ends and tonumber(ends) <= tonumber(now) then redis.call('HDEL', KEYS[1], key) end
  redis.call('ZADD', KEYS[2], expiresAt, key)
  local score = redis.call('HINCRBY', KEYS[1], key, points)
  if redis.call('ZCARD', KEYS[2]) > ${MAX_KEPT} then
    local dropped = redis.call('ZPOPMIN', KEYS[2], ${DROPPED_AT_ONCE})
    for i = 1, #dropped, 2 do redis.call('HDEL', KEYS[1], dropped[i]) end
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

export function strikesOn({ link, clock }: Linked): Strikes {
  return {
    add: async (key, points, expiresAt) =>
      Number(await link.run((client) => evaluate(client, ADD, KEYS, [clock(), key, points, expiresAt]))),
    clear: async (key) => void (await link.run((client) => evaluate(client, CLEAR, KEYS, [key]))),
    async list() {
      const scores = await readHash(link, 'strikes')
      const ends = (await link.run((client) => evaluate(client, LIST, KEYS, [clock()]))) as string[]
      const strikes: Strike[] = []
      for (let index = 0; index < ends.length; index += 2) {
        const [key = '', end] = ends.slice(index, index + 2)
        strikes.push({ key, score: Number(scores.get(key)), expiresAt: Number(end) })
      }
      return strikes.sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    put: (strikes) =>
      inChunks(strikes, (chunk) => {
        const args = chunk.flatMap(({ key, score, expiresAt }) => [key, score, expiresAt])
        return link.run((client) => evaluate(client, PUT, KEYS, args))
      }),
  }
}
