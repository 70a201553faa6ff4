import type { Ban, Bans, Strikes } from '../store.ts'
import { BANNED_AUTOMATICALLY, ENDED_BAN_TTL_MS, LIFTED_BAN_TTL_MS } from '../store.ts'
import { hasFields, parseRecord, RAISE_REVISION, type RedisContext, SET_LATEST_END, toPairs } from './keyspace.ts'

const BAN_KEYS = [
  'bans',
  'bans:revisions',
  'bans:ends',
  'bans:revision',
  'bans:forgotten',
  'bans:automatic',
  'bans:log',
]
/** Revisions in the log. */
const MAX_LOGGED = 1000

/**
 * A ban that has ended is kept for a while, because the clocks may have been ahead. A lifted ban is removed from the
 * hash but keeps its revision for a while, so that other nodes see the change. Automatic bans are also in a sorted set
 * by end: its first entries are evicted when there are too many. The log has the latest revisions: a node that knows another
 * one knows bans that Redis has lost.
 */
const BEGIN = `
  local bans, revisions, ends, revision, forgotten, automatic, log = unpack(KEYS)
  ${SET_LATEST_END}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', latestEnd - ${ENDED_BAN_TTL_MS}, 'LIMIT', 0, 500)) do
    if redis.call('HDEL', bans, ended) == 0 then
      local lifted = redis.call('ZSCORE', revisions, ended)
      if lifted and tonumber(lifted) > tonumber(redis.call('GET', forgotten) or '0') then
        redis.call('SET', forgotten, string.format('%.0f', lifted))
      end
    end
    redis.call('ZREM', revisions, ended)
    redis.call('ZREM', ends, ended)
    redis.call('ZREM', automatic, ended)
  end
  local previous = redis.call('GET', revision)
  ${RAISE_REVISION}
  for _, logged in ipairs({ nextRevision, previous or nil }) do redis.call('ZADD', log, logged, logged) end
  redis.call('ZREMRANGEBYRANK', log, 0, -${MAX_LOGGED + 1})`

const buildPut = (maxAutomatic: number) => `${BEGIN}
  for i = 2, #ARGV, 4 do
    redis.call('HSET', bans, ARGV[i], ARGV[i + 1])
    redis.call('ZADD', revisions, nextRevision, ARGV[i])
    redis.call('ZADD', ends, ARGV[i + 2], ARGV[i])
    redis.call('ZREM', automatic, ARGV[i])
    if ARGV[i + 3] == '${BANNED_AUTOMATICALLY}' then redis.call('ZADD', automatic, ARGV[i + 2], ARGV[i]) end
  end
  if redis.call('ZCARD', automatic) <= ${maxAutomatic} then return end
  for _, evicted in ipairs(redis.call('ZRANGE', automatic, 0, ${maxAutomatic / 10 - 1})) do
    redis.call('HDEL', bans, evicted)
    for _, list in ipairs({ revisions, ends, automatic }) do redis.call('ZREM', list, evicted) end
  end
  redis.call('SET', forgotten, nextRevision)`

/** Records the lift even for an unknown address: other nodes may know a ban that Redis has lost. */
const LIFT = `${BEGIN}
  local isActive = tonumber(redis.call('ZSCORE', ends, ARGV[2]) or '0') > tonumber(ARGV[1])
  local removed = redis.call('HDEL', bans, ARGV[2])
  redis.call('ZADD', revisions, nextRevision, ARGV[2])
  redis.call('ZADD', ends, ARGV[3], ARGV[2])
  redis.call('ZREM', automatic, ARGV[2])
  return isActive and removed or 0`

/** The common case, no changes, reads only two numbers. Revision 0 means that Redis has lost the one of this node. */
const CHANGES = `
  local bans, revisions, ends, revision, forgotten, _, log = unpack(KEYS)
  local since = tonumber(ARGV[1])
  local current = redis.call('GET', revision) or '0'
  if since > 0 and ARGV[1] ~= current and not redis.call('ZSCORE', log, ARGV[1]) then
    local oldest = redis.call('ZRANGE', log, 0, 0)[1]
    if redis.call('ZCARD', log) < ${MAX_LOGGED} or since > tonumber(oldest) then return { '0', 'complete' } end
  end
  if since < math.max(1, tonumber(redis.call('GET', forgotten) or '0')) or since > tonumber(current) then
    return { current, 'complete' }
  end
  local reply = { current, 'some' }
  for _, address in ipairs(redis.call('ZRANGEBYSCORE', revisions, '(' .. ARGV[1], '+inf')) do
    reply[#reply + 1] = address
    reply[#reply + 1] = redis.call('HGET', bans, address) or ''
  end
  return reply`

const isBan = hasFields<Ban>({ address: 'string', reason: 'string', by: 'string', at: 'number', until: 'number' })

export function createRedisBans(context: RedisContext, maxAutomatic: number): Bans {
  const { clock, evaluate, evaluateInChunks } = context
  const putScript = buildPut(maxAutomatic)
  const readBans = context.createRecordReader('bans', isBan)
  const listActive = async () => {
    const bans = await readBans()
    const now = clock()
    return bans.filter(({ until }) => until > now).sort((a, b) => a.at - b.at || (a.address < b.address ? -1 : 1))
  }

  return {
    put: (bans) =>
      evaluateInChunks(putScript, BAN_KEYS, bans, (ban) => [ban.address, JSON.stringify(ban), ban.until, ban.by]),
    async lift(address) {
      const now = clock()
      // Deleted ENDED_BAN_TTL_MS after its end, like bans.
      return (await evaluate(LIFT, BAN_KEYS, [now, address, now + LIFTED_BAN_TTL_MS - ENDED_BAN_TTL_MS])) === 1
    },
    list: listActive,
    async changes(since) {
      const [current, extent, ...flat] = (await evaluate(CHANGES, BAN_KEYS, [since])) as string[]
      const revision = Number(current)
      if (extent === 'complete') return { revision, complete: true, put: await listActive(), lifted: [] }
      const changed = toPairs(flat).map(([address, text]) => ({ address, ban: parseRecord(text, isBan) }))
      const now = clock()
      return {
        revision,
        complete: false,
        put: changed.flatMap(({ ban }) => (ban && ban.until > now ? [ban] : [])),
        lifted: changed.flatMap(({ address, ban }) => (ban ? [] : [address])),
      }
    },
  }
}

const STRIKE_KEYS = ['strikes', 'strikes:ends']

const DELETE_EXPIRED = `${SET_LATEST_END}
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', latestEnd, 'LIMIT', 0, 500)) do
    redis.call('HDEL', KEYS[1], ended)
    redis.call('ZREM', KEYS[2], ended)
  end`

const buildAddStrike = (maxStrikes: number) => `${DELETE_EXPIRED}
  local now, key, points, expiresAt, apartMs = unpack(ARGV)
  local ends = redis.call('ZSCORE', KEYS[2], key)
  if ends and tonumber(ends) <= tonumber(now) then redis.call('HDEL', KEYS[1], key) end
  redis.call('ZADD', KEYS[2], expiresAt, key)
  local isApart = math.abs(expiresAt - (ends or 0)) >= tonumber(apartMs)
  local score = redis.call('HINCRBY', KEYS[1], key, isApart and points or 0)
  if redis.call('ZCARD', KEYS[2]) > ${maxStrikes} then
    local evicted = redis.call('ZPOPMIN', KEYS[2], ${maxStrikes / 10})
    for i = 1, #evicted, 2 do redis.call('HDEL', KEYS[1], evicted[i]) end
  end
  return score`

const PUT_STRIKES = `
  for i = 2, #ARGV, 3 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], ARGV[i])
  end`

const CLEAR_STRIKE = `
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])`

const LIST_STRIKES = `return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'WITHSCORES')`

export function createRedisStrikes(context: RedisContext, maxStrikes: number): Strikes {
  const { clock, evaluate, evaluateInChunks, readHash } = context
  const addScript = buildAddStrike(maxStrikes)
  return {
    add: async (key, points, expiresAt, apartMs = 0) =>
      Number(await evaluate(addScript, STRIKE_KEYS, [clock(), key, points, expiresAt, apartMs])),
    clear: async (key) => void (await evaluate(CLEAR_STRIKE, STRIKE_KEYS, [key])),
    async list() {
      const scores = await readHash('strikes')
      const ends = (await evaluate(LIST_STRIKES, STRIKE_KEYS, [clock()])) as string[]
      return toPairs(ends)
        .filter(([key]) => scores.has(key)) // Others were added since the scores were read.
        .map(([key, end]) => ({ key, score: Number(scores.get(key)), expiresAt: Number(end) }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    put: (strikes) =>
      evaluateInChunks(PUT_STRIKES, STRIKE_KEYS, strikes, ({ key, score, expiresAt }) => [key, score, expiresAt]),
  }
}
