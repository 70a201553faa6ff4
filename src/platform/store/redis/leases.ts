import type { Lease, LeaseAsk, Leases } from '../shared.ts'
import type { RedisLink } from './link.ts'
import { partitionOf, partitions } from './partitions.ts'

/** A key holds the moment at which its whole budget is there again, and goes when that has come. */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local window, each = tonumber(ARGV[1]), tonumber(ARGV[2])
  local answer = {}
  for i, key in ipairs(KEYS) do
    local spent, needed, ahead = unpack(ARGV, 3 * i, 3 * i + 2)
    -- Bounded, for what another budget or a jump of the clock has left there.
    local fullAt = math.min(tonumber(redis.call('GET', key) or '0') or 0, now + 2 * window)
    fullAt = math.max(now, math.max(now, fullAt) + spent * each)
    local free = math.floor((now + window - fullAt) / each + 0.001)
    local granted = math.max(0, math.min(free, tonumber(needed)))
    -- An eighth at most is held ahead: what one node holds is missing on the others.
    granted = granted + math.max(0, math.min(tonumber(ahead), math.floor((free - granted) / 8)))
    fullAt = fullAt + granted * each
    local lasting = math.ceil(fullAt - now)
    if lasting > 0 then redis.call('SET', key, string.format('%.4f', fullAt), 'PX', lasting)
    else redis.call('DEL', key) end
    answer[2 * i - 1] = granted
    answer[2 * i] = string.format('%.4f', (now + window - fullAt) / each)
  end
  return answer`

/** Of one script: Redis is busy with it for about a millisecond. */
const MAX_CONCURRENT = 250

interface Numbered {
  readonly ask: LeaseAsk
  readonly index: number
}

export function leasesOn(link: RedisLink): Leases {
  return {
    async take({ name, requests, seconds }, asks) {
      const answers: Lease[] = []
      const windowMs = seconds * 1000

      const takeSome = async (partition: number, some: readonly Numbered[]) => {
        const keys = some.map(({ ask }) => `${partitions[partition]}limit:${name}:${ask.caller}`)
        const args = some.flatMap(({ ask }) => [ask.spent, ask.needed, ask.ahead])
        const answer = (await link.run((client) =>
          client.eval(TAKE, { keys, arguments: [windowMs, windowMs / requests, ...args].map(String) }),
        )) as (number | string)[]
        some.forEach(({ index }, i) => {
          answers[index] = { granted: Number(answer[2 * i]), left: Number(answer[2 * i + 1]) }
        })
      }

      const numbered = asks.map((ask, index) => ({ ask, index }))
      const byPartition = Map.groupBy(numbered, ({ ask }) => partitionOf(ask.caller))
      const calls: Promise<void>[] = []
      for (const [partition, all] of byPartition) {
        for (let start = 0; start < all.length; start += MAX_CONCURRENT) {
          calls.push(takeSome(partition, all.slice(start, start + MAX_CONCURRENT)))
        }
      }
      await Promise.all(calls)
      return answers
    },
  }
}
