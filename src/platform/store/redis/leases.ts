import type { Lease, LeaseRequest, Leases } from '../store.ts'
import type { RedisConnection } from './connection.ts'
import { choosePartition, partitions } from './keyspace.ts'

/** A key holds the time at which the bucket is full again, and expires at that time. */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local window, each = tonumber(ARGV[1]), tonumber(ARGV[2])
  local reply = {}
  for i, key in ipairs(KEYS) do
    local spent, needed, ahead = unpack(ARGV, 3 * i, 3 * i + 2)
    -- Bounded, because a former larger limit or a clock jump may have left a later time.
    local fullAt = math.min(tonumber(redis.call('GET', key) or '0') or 0, now + 2 * window)
    fullAt = math.max(now, math.max(now, fullAt) + spent * each)
    local free = math.floor((now + window - fullAt) / each + 0.001)
    local granted = math.max(0, math.min(free, tonumber(needed)))
    -- At most an eighth is leased ahead, because it is not available to the other nodes.
    granted = granted + math.max(0, math.min(tonumber(ahead), math.floor((free - granted) / 8)))
    fullAt = fullAt + granted * each
    local ttl = math.ceil(fullAt - now)
    if ttl > 0 then redis.call('SET', key, string.format('%.4f', fullAt), 'PX', ttl)
    else redis.call('DEL', key) end
    reply[2 * i - 1] = granted
    reply[2 * i] = string.format('%.4f', (now + window - fullAt) / each)
  end
  return reply`

/** Leases per script: Redis works on it for about one millisecond. */
const CHUNK = 250

export function createRedisLeases(redis: RedisConnection): Leases {
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
