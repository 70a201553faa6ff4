import { type Adoption, type AdoptionDay, MAX_ADOPTION_DAYS } from '../store.ts'
import { BATCH_KEYS, CLAIM_BATCH, toBatchArguments } from './downloads.ts'
import type { RedisContext } from './keyspace.ts'

const DAY_MS = 86_400_000
const DAY_LENGTH = '2026-12-01'.length
/** Hashes by day: the estimate, and the HyperLogLog. A field of the third one is a day, a space and a version. */
const [DAYS, SKETCHES, CHECKS] = ['adoption:days', 'adoption:sketches', 'adoption:checks']
/** Only inside the script: Redis merges keys, not fields of a hash. */
const MERGED = ['adoption:merged', 'adoption:incoming']

/** The key of the salt expires at the end of its day. */
const SALT = `
  local salt = redis.call('GET', KEYS[1])
  if salt then return salt end
  if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return nil end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return ARGV[2]`

const ADD = `
  ${CLAIM_BATCH}
  local days, sketches, checks, merged, incoming = unpack(KEYS, 3)
  local day, maxDays, sketch = unpack(ARGV, 5, 7)
  for i = 8, #ARGV, 2 do redis.call('HINCRBY', checks, day .. ' ' .. ARGV[i], ARGV[i + 1]) end
  local isNewDay = redis.call('HSETNX', days, day, 0) == 1
  if sketch ~= '' then
    redis.call('SET', merged, redis.call('HGET', sketches, day) or sketch)
    redis.call('SET', incoming, sketch)
    redis.call('PFMERGE', merged, incoming)
    redis.call('HSET', days, day, redis.call('PFCOUNT', merged))
    redis.call('HSET', sketches, day, redis.call('GET', merged))
    redis.call('DEL', merged, incoming)
  end
  if not isNewDay then return 1 end
  local all, isOld = redis.call('HKEYS', days), {}
  table.sort(all)
  for i = 1, #all - maxDays do
    isOld[all[i]] = true
    redis.call('HDEL', days, all[i])
    redis.call('HDEL', sketches, all[i])
  end
  if #all <= tonumber(maxDays) then return 1 end
  for _, field in ipairs(redis.call('HKEYS', checks)) do
    if isOld[field:sub(1, ${DAY_LENGTH})] then redis.call('HDEL', checks, field) end
  end
  return 1`

export function createRedisAdoption({ clock, evaluate, readHash, readBytes }: RedisContext): Adoption {
  return {
    async salt(day, proposal) {
      const ttlMs = Math.min(Math.max(Date.parse(day) + DAY_MS - clock(), 1), DAY_MS)
      const salt = await evaluate(SALT, [`adoption:salt:${day}`, SKETCHES], [day, proposal, ttlMs])
      return salt === null ? undefined : String(salt)
    },
    async add(batch) {
      const { day, versions, sketch = '' } = batch
      const args = [day, MAX_ADOPTION_DAYS, sketch, ...Object.entries(versions).flat()]
      const keys = [...BATCH_KEYS, DAYS, SKETCHES, CHECKS, ...MERGED]
      return (await evaluate(ADD, keys, [...toBatchArguments(batch, clock()), ...args])) === 1
    },
    async days(first) {
      const [estimates, checks] = [await readHash(DAYS), await readHash(CHECKS)]
      const days = new Map<string, AdoptionDay>()
      for (const day of [...estimates.keys()].filter((day) => day >= first).sort()) {
        days.set(day, { day, installations: Number(estimates.get(day)), versions: {} })
      }
      for (const [field, count] of checks) {
        const versions = days.get(field.slice(0, DAY_LENGTH))?.versions
        if (versions) versions[field.slice(DAY_LENGTH + 1)] = Number(count)
      }
      return [...days.values()]
    },
    sketch: async (day) => (await readBytes(SKETCHES, day)) ?? undefined,
  }
}
