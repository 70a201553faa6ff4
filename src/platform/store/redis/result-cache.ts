import { crc32 } from 'node:zlib'
import { ErrorReply } from '@redis/client'
import { withTimeout } from '../../concurrency/index.ts'
import { type Log, silentLog } from '../../logging/index.ts'
import { connectRedis } from './connection.ts'
import { choosePartition, partitions } from './keyspace.ts'
import type { RedisAddress } from './node-redis.ts'

export interface ResultCacheOptions {
  /** For all values together; each partition gets a sixteenth. */
  readonly maxBytes: number
  readonly log: Log
  /** The longest time that a filter request waits for Redis. */
  readonly timeoutMs?: number
  /** How often an unavailable Redis is tried again. */
  readonly retryMs?: number
}

const TIMEOUT_MS = 150
const RETRY_MS = 250
/** For writes of large results over a slow network; no request waits for them. */
const WRITE_TIMEOUT_MS = 3000
/** Larger results cost more to transfer than to compute. Also at most a quarter of a partition. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024
/** Results that are being sent: a slow Redis must not fill the memory. */
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024
const TOUCH_INTERVAL_MS = 100
const DAY_MS = 86_400_000

/** The cost of a result beside its bytes and its names: the index entries. */
const OVERHEAD_BYTES = 512
const COPIES_OF_NAME = 4

/** Results that one script deletes at most: a few milliseconds of Redis. */
const MAX_DELETED = 500

/**
 * Stores one value and updates the index: last use, end and size of each value, and the sum of the sizes. Removes ended
 * values from the index first, then evicts the least recently used values until there is space.
 */
const STORE = `
  local used, ends, sizes, total = unpack(KEYS, 2)
  local name, value, size, ttl, maxBytes, prefix, indexTtl = unpack(ARGV)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function remove(other)
    if other ~= name then redis.call('UNLINK', prefix .. other) end
    local bytes = redis.call('HGET', sizes, other)
    if bytes then redis.call('DECRBY', total, bytes) end
    redis.call('HDEL', sizes, other)
    redis.call('ZREM', used, other)
    redis.call('ZREM', ends, other)
  end
  -- This must be the first write: without free memory Redis rejects only the first write of a script.
  redis.call('SET', KEYS[1], value, 'PX', ttl)
  for _, ended in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, ${MAX_DELETED})) do remove(ended) end
  remove(name)
  local held = tonumber(redis.call('GET', total) or '0')
  for _ = 1, ${MAX_DELETED} do
    if held + size <= tonumber(maxBytes) then break end
    local oldest = redis.call('ZRANGE', used, 0, 0)[1]
    if not oldest then
      -- Redis itself has evicted a part of the index.
      redis.call('DEL', total, sizes, ends)
      held = 0
      break
    end
    remove(oldest)
    held = tonumber(redis.call('GET', total) or '0')
  end
  if held + size > tonumber(maxBytes) then
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

/** Updates the last use of values. */
const TOUCH = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, name in ipairs(ARGV) do redis.call('ZADD', KEYS[1], 'XX', now, name) end`

/** Change it with the format of the values: values with another tag are ignored. */
const FORMAT_TAG = Buffer.from('MNG1')
const HEADER_BYTES = FORMAT_TAG.length + 4

const computeChecksum = (name: string, bytes: Buffer) => crc32(bytes, crc32(name))

/** Adds a header with a checksum over name and bytes, which detects damaged and swapped values. */
function addChecksum(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  FORMAT_TAG.copy(header)
  header.writeUInt32BE(computeChecksum(name, bytes), FORMAT_TAG.length)
  return Buffer.concat([header, bytes])
}

/** Undefined if the value was not written under this name, or was changed. */
function verifyChecksum(name: string, value: Buffer): Buffer | undefined {
  if (value.length < HEADER_BYTES || !value.subarray(0, FORMAT_TAG.length).equals(FORMAT_TAG)) return undefined
  const bytes = value.subarray(HEADER_BYTES)
  return value.readUInt32BE(FORMAT_TAG.length) === computeChecksum(name, bytes) ? bytes : undefined
}

function buildKeys(name: string) {
  const partition = choosePartition(name)
  const prefix = `${partitions[partition]}result:`
  const index = ['used', 'ends', 'sizes', 'bytes'].map((part) => `${partitions[partition]}results:${part}`)
  return { partition, prefix, key: prefix + name, index }
}

/**
 * The cache of filter results that all nodes share. Lost results are computed again. No method rejects. It uses a separate
 * connection, so that large values do not delay the state.
 */
export function openRedisResultCache(address: RedisAddress, options: ResultCacheOptions) {
  const { maxBytes, log, timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS } = options
  const partitionBytes = Math.floor(maxBytes / partitions.length)
  const maxResultBytes = Math.min(MAX_RESULT_BYTES, Math.floor(partitionBytes / 4))
  const redis = connectRedis(address, { log: silentLog, replyTimeoutMs: WRITE_TIMEOUT_MS })
  /** Bytes in each partition, according to its last reply. */
  const usedBytes = partitions.map(() => 0)
  /** `timeouts`: reads while Redis was unavailable or slow. `invalid`: values that this service did not write. */
  const counts = { hits: 0, misses: 0, timeouts: 0, invalid: 0, stored: 0, skipped: 0 }
  let isUnavailable = false
  let retryTimer: NodeJS.Timeout | undefined
  const touched = new Map<string, Set<string>>()
  let touchTimer: NodeJS.Timeout | undefined
  let closed = false
  let inFlightBytes = 0

  const recordAvailability = (unavailable: boolean) => {
    if (unavailable !== isUnavailable) {
      if (unavailable) log.warn({}, 'the shared result cache is unavailable; this node continues without it')
      else log.info({}, 'the shared result cache is available again')
    }
    isUnavailable = unavailable
    clearTimeout(retryTimer)
    if (unavailable && !closed) retryTimer = setTimeout(() => readInTime(buildKeys('').key), retryMs).unref()
  }

  const read = (key: string) =>
    redis.run((_, buffers) =>
      buffers.getRange(key, 0, maxResultBytes + HEADER_BYTES - 1).catch((error) => {
        // Another program has written a value of another type.
        if (error instanceof ErrorReply && error.message.startsWith('WRONGTYPE')) return Buffer.from('?')
        throw error
      }),
    )

  /** Undefined if there is no answer in time. */
  const readInTime = async (key: string): Promise<Buffer | null | undefined> => {
    const value = await withTimeout(timeoutMs, read(key), () => undefined).catch(() => undefined)
    recordAvailability(value === undefined)
    return value
  }

  /** Collects names and sends them together: Redis need not know at once, and a call costs more than a name. */
  const touch = (name: string, [used = '']: string[]) => {
    touched.set(used, (touched.get(used) ?? new Set()).add(name))
    touchTimer ??= setTimeout(() => {
      touchTimer = undefined
      for (const [key, names] of touched) {
        redis.run((commands) => commands.eval(TOUCH, { keys: [key], arguments: [...names] })).catch(() => {})
      }
      touched.clear()
    }, TOUCH_INTERVAL_MS).unref()
  }

  return {
    /** Resolves to undefined if there is no result, or if Redis does not answer in time. */
    async get(name: string): Promise<Buffer | undefined> {
      const { key, index } = buildKeys(name)
      const value = isUnavailable ? undefined : await readInTime(key)
      const bytes = value?.length ? verifyChecksum(name, value) : undefined
      if (value === undefined) counts.timeouts++
      else if (!value?.length) counts.misses++
      else if (!bytes) counts.invalid++
      else {
        counts.hits++
        touch(name, index)
      }
      return bytes
    },

    /** May skip the result: too large, no space, or Redis is unavailable. */
    async set(name: string, bytes: Buffer, ttlMs: number): Promise<void> {
      const size = bytes.length + HEADER_BYTES + OVERHEAD_BYTES + COPIES_OF_NAME * name.length
      if (isUnavailable || bytes.length > maxResultBytes || inFlightBytes + size > MAX_IN_FLIGHT_BYTES) {
        counts.skipped++
        return
      }
      const { partition, prefix, key, index } = buildKeys(name)
      const ttl = Math.max(1, Math.ceil(ttlMs))
      const numbers = [size, ttl, partitionBytes].map(String)
      inFlightBytes += size
      try {
        const held = await redis.run((commands) =>
          commands.eval(STORE, {
            keys: [key, ...index],
            arguments: [name, addChecksum(name, bytes), ...numbers, prefix, String(ttl + DAY_MS)],
          }),
        )
        usedBytes[partition] = Number(held)
        counts.stored++
      } catch {
        counts.skipped++
      } finally {
        inFlightBytes -= size
      }
    },

    problem: () => (isUnavailable ? 'the shared result cache does not reply in time' : undefined),
    status: () => ({ ...counts, isUnavailable, bytes: usedBytes.reduce((sum, bytes) => sum + bytes, 0) }),
    async close() {
      clearTimeout(retryTimer)
      clearTimeout(touchTimer)
      closed = true
      await redis.close()
    },
  }
}
