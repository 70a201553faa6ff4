import { type Ban, type Bans, DROPPED_AT_ONCE, GUARD, KEEP_LIFTED_MS, MAX_KEPT } from '../store.ts'
import { ENDED_BY, evaluate, inChunks, type Linked, RAISE } from './part.ts'
import { createReader, readRecord, whole } from './records.ts'

const KEYS = ['bans', 'bans:revisions', 'bans:ends', 'bans:revision', 'bans:forgotten', 'bans:guard']

/**
 * A lifted ban leaves the hash but keeps its revision for a while, so that other nodes learn of it.
 * What the guard banned is in a list of its own, by end: the first are dropped when there are too many.
 */
const BEGIN = `
  local bans, revisions, ends, revision, forgotten, guard = unpack(KEYS)
  ${ENDED_BY}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', endedBy, 'LIMIT', 0, 500)) do
    if redis.call('HDEL', bans, ended) == 0 then
      local lifted = redis.call('ZSCORE', revisions, ended)
      if lifted and tonumber(lifted) > tonumber(redis.call('GET', forgotten) or '0') then
        redis.call('SET', forgotten, string.format('%.0f', lifted))
      end
    end
    redis.call('ZREM', revisions, ended)
    redis.call('ZREM', ends, ended)
    redis.call('ZREM', guard, ended)
  end
  ${RAISE}`

const PUT = `${BEGIN}
  for i = 2, #ARGV, 4 do
    redis.call('HSET', bans, ARGV[i], ARGV[i + 1])
    redis.call('ZADD', revisions, nextRevision, ARGV[i])
    redis.call('ZADD', ends, ARGV[i + 2], ARGV[i])
    redis.call('ZREM', guard, ARGV[i])
    if ARGV[i + 3] == '${GUARD}' then redis.call('ZADD', guard, ARGV[i + 2], ARGV[i]) end
  end
  if redis.call('ZCARD', guard) <= ${MAX_KEPT} then return end
  for _, dropped in ipairs(redis.call('ZRANGE', guard, 0, ${DROPPED_AT_ONCE} - 1)) do
    redis.call('HDEL', bans, dropped)
    for _, list in ipairs({ revisions, ends, guard }) do redis.call('ZREM', list, dropped) end
  end
  redis.call('SET', forgotten, nextRevision)`

/** Told to the nodes also where it is not here: they may know of a ban that Redis has lost. */
const LIFT = `${BEGIN}
  local lifted = redis.call('HDEL', bans, ARGV[2])
  redis.call('ZADD', revisions, nextRevision, ARGV[2])
  redis.call('ZADD', ends, ARGV[3], ARGV[2])
  redis.call('ZREM', guard, ARGV[2])
  return lifted`

/** The common answer, nothing new, reads two numbers. */
const CHANGES = `
  local bans, revisions, ends, revision, forgotten = unpack(KEYS)
  local since = tonumber(ARGV[1])
  local current = redis.call('GET', revision) or '0'
  if since < math.max(1, tonumber(redis.call('GET', forgotten) or '0')) or since > tonumber(current) then
    return { current, 'complete' }
  end
  local answer = { current, 'some' }
  for _, address in ipairs(redis.call('ZRANGEBYSCORE', revisions, '(' .. ARGV[1], '+inf')) do
    answer[#answer + 1] = address
    answer[#answer + 1] = redis.call('HGET', bans, address) or ''
  end
  return answer`

const isBan = whole<Ban>({ address: 'string', reason: 'string', by: 'string', at: 'number', until: 'number' })

export function bansOn({ link, clock, log }: Linked): Bans {
  const readBans = createReader(link, 'bans', isBan, log)
  const live = async () => {
    const bans = await readBans()
    const now = clock()
    return bans.filter(({ until }) => until > now).sort((a, b) => a.at - b.at || (a.address < b.address ? -1 : 1))
  }

  return {
    put: (bans) =>
      inChunks(bans, (chunk) => {
        const args = chunk.flatMap((ban) => [ban.address, JSON.stringify(ban), ban.until, ban.by])
        return link.run((client) => evaluate(client, PUT, KEYS, [clock(), ...args]))
      }),
    async lift(address) {
      const now = clock()
      const args = [now, address, now + KEEP_LIFTED_MS]
      return (await link.run((client) => evaluate(client, LIFT, KEYS, args))) === 1
    },
    list: live,
    async changes(since) {
      const answer = (await link.run((client) => evaluate(client, CHANGES, KEYS, [since]))) as string[]
      const [current, extent, ...pairs] = answer
      const revision = Number(current)
      if (extent === 'complete') return { revision, complete: true, put: await live(), lifted: [] }
      const put: Ban[] = []
      const lifted: string[] = []
      for (let index = 0; index < pairs.length; index += 2) {
        const [address = '', text = ''] = pairs.slice(index, index + 2)
        const ban = readRecord(text, isBan)
        if (ban) put.push(ban)
        else lifted.push(address)
      }
      const now = clock()
      return { revision, complete: false, put: put.filter(({ until }) => until > now), lifted }
    },
  }
}
