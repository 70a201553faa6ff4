/** What a value costs beside its own bytes: its name four times, and the entries of the index. */
export const OVERHEAD_BYTES = 512

/** Most values that one script takes away: a few milliseconds of Redis. */
const MAX_FORGOTTEN = 500

/**
 * Keeps one value and an index beside it: who was used when, who ends when, how large each is, and the sum. What has ended
 * leaves the index first, then the least recently used leave Redis until there is room.
 */
export const KEEP = `
  local used, ends, sizes, total = unpack(KEYS, 2)
  local name, value, size, ttl, room, prefix, indexTtl = unpack(ARGV)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function forget(other)
    if other ~= name then redis.call('UNLINK', prefix .. other) end
    local bytes = redis.call('HGET', sizes, other)
    if bytes then redis.call('DECRBY', total, bytes) end
    redis.call('HDEL', sizes, other)
    redis.call('ZREM', used, other)
    redis.call('ZREM', ends, other)
  end
  -- First of all: Redis refuses it where it has no memory left, but no longer once a script has written.
  redis.call('SET', KEYS[1], value, 'PX', ttl)
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, ${MAX_FORGOTTEN})) do forget(ended) end
  forget(name)
  local held = tonumber(redis.call('GET', total) or '0')
  for _ = 1, ${MAX_FORGOTTEN} do
    if held + size <= tonumber(room) then break end
    local oldest = redis.call('ZRANGE', used, 0, 0)[1]
    if not oldest then
      -- Redis itself took a part of the index away.
      redis.call('DEL', total, sizes, ends)
      held = 0
      break
    end
    forget(oldest)
    held = tonumber(redis.call('GET', total) or '0')
  end
  if held + size > tonumber(room) then
    redis.call('UNLINK', KEYS[1])
    return held
  end
  redis.call('ZADD', used, now, name)
  redis.call('ZADD', ends, now + ttl, name)
  redis.call('HSET', sizes, name, size)
  redis.call('INCRBY', total, size)
  -- The index outlives every value in it.
  for i = 2, #KEYS do
    if redis.call('PTTL', KEYS[i]) < tonumber(indexTtl) then redis.call('PEXPIRE', KEYS[i], indexTtl) end
  end
  return held + size`

/** Names that were used just now. */
export const TOUCH = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, name in ipairs(ARGV) do redis.call('ZADD', KEYS[1], 'XX', now, name) end`
