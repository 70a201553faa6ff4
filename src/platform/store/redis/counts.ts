import type { NumberedBatch, Usage, UsageCounts, UsageRow } from '../counts.ts'
import { listLastDays, MAX_USAGE_DAYS, MAX_USAGE_NAMES, OTHER_USAGE, summarizeDownloads } from '../counts.ts'
import type { Adoption, AdoptionDay, DownloadRow, Downloads } from '../store.ts'
import { MAX_ADOPTION_DAYS, WRITER_TTL_MS } from '../store.ts'
import { parseRecord, type RedisContext } from './keyspace.ts'

/** Lua: ends the script if the number of the batch is not new. */
const CHECK_BATCH = `
  local writers, seen = KEYS[1], KEYS[2]
  local writer, number, now, forgetBefore = unpack(ARGV, 1, 4)
  local last = tonumber(redis.call('HGET', writers, writer) or '0')
  if tonumber(number) <= last then return 0 end`

/**
 * Lua: takes the number of the batch. If the script fails later, the batch is ignored when it arrives again. So calls that
 * Redis may reject, because of a value of another program or a missing permission, come before: an increment by 0 fails
 * like any other. No wrong clock may delete the number of a node whose batch may arrive twice.
 */
const CLAIM_BATCH = `
  local serverTime = redis.call('TIME')[1] * 1000
  if last == 0 then
    local latest = math.min(tonumber(forgetBefore), serverTime - ${WRITER_TTL_MS})
    for _, old in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', latest, 'LIMIT', 0, 100)) do
      redis.call('HDEL', writers, old)
      redis.call('ZREM', seen, old)
    end
  end
  redis.call('ZADD', seen, math.max(tonumber(now), serverTime), writer)
  redis.call('HSET', writers, writer, number)`

const BATCH_KEYS = ['downloads:writers', 'downloads:seen']
const toBatchArguments = ({ writer, number }: NumberedBatch, now: number) => [writer, number, now, now - WRITER_TTL_MS]

/**
 * Stores each count three times, so that the summary does not have to add up years of days. Returns 2 if Redis has lost
 * the batch before this one, as after a failover, or some of the keys, and 3 if it does not know the writer.
 */
const ADD_DOWNLOADS = `
  ${CHECK_BATCH}
  local found = redis.call('EXISTS', unpack(KEYS, 3))
  local function increment(isCheck)
    for i = 5, #ARGV, 4 do
      for n = 0, 2 do redis.call('HINCRBY', KEYS[3 + n], ARGV[i + n], isCheck and 0 or ARGV[i + 3]) end
    end
  end
  increment(true)
  ${CLAIM_BATCH}
  increment(false)
  local isLost = (found < 3 and last + found > 0) or (last > 0 and tonumber(number) > last + 1)
  return isLost and 2 or last == 0 and 3 or 1`

const KEYS = [...BATCH_KEYS, 'downloads:rows', 'downloads:versions', 'downloads:days']

const toArguments = ({ application, version, day, count }: DownloadRow) => [
  JSON.stringify([application, version, day]),
  JSON.stringify([application, version]),
  day,
  count,
]

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')
/** Parses the names in the fields, and skips fields that another program wrote. */
const parseCounts = (hash: ReadonlyMap<string, string>, length: number) =>
  [...hash]
    .map(([field, count]) => ({ names: parseRecord(field, isNames) ?? [], count: Number(count) }))
    .filter(({ names, count }) => names.length === length && Number.isSafeInteger(count))

const sortBy = <T>(all: T[], keyOf: (item: T) => string) => all.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

export function createRedisDownloads(context: RedisContext, onLost: () => void) {
  const { clock, evaluate, readHash, readField, readFields } = context
  let latest: (NumberedBatch & { readonly at: number }) | undefined
  /** The last batch that Redis confirmed. It forgets the writer after a while. */
  const confirmed = () => (latest && Math.abs(clock() - latest.at) < WRITER_TTL_MS / 2 ? latest : undefined)
  const downloads: Downloads = {
    async add(batch) {
      const args = [...toBatchArguments(batch, clock()), ...batch.rows.flatMap(toArguments)]
      const result = await evaluate(ADD_DOWNLOADS, KEYS, args)
      if (result === 2 || (result === 3 && confirmed()?.writer === batch.writer)) onLost()
      latest = { writer: batch.writer, number: batch.number, at: clock() }
      return result !== 0
    },
    async summary(days) {
      const dates = listLastDays(clock(), days)
      const counts = await readFields('downloads:days', dates)
      const versions = parseCounts(await readHash('downloads:versions'), 2)
      const totals = versions.map(({ names: [application = '', version = ''], count }) => {
        return { application, version, count }
      })
      return summarizeDownloads(totals, dates, (day) => Number(counts[dates.indexOf(day)] ?? 0))
    },
    async rows() {
      const counts = parseCounts(await readHash('downloads:rows'), 3)
      const rows = counts.map(({ names: [application = '', version = '', day = ''], count }) => {
        return { application, version, day, count }
      })
      return sortBy(rows, ({ application, version, day }) => `${day}\n${application}\n${version}`)
    },
    writers: async () =>
      [...(await readHash('downloads:writers'))].map(([writer, number]) => ({ writer, number: Number(number) })),
  }
  return {
    ...downloads,
    /** Whether Redis lost the last batch that it confirmed. No later batch may follow that would show it. */
    async hasLostBatch(): Promise<boolean> {
      const last = confirmed()
      const isLost = last && Number(await readField('downloads:writers', last.writer)) < last.number
      if (isLost) latest = undefined
      return isLost === true
    },
  }
}

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

const ADD_CHECKS = `
  ${CHECK_BATCH}
  local days, sketches, checks, merged, incoming = unpack(KEYS, 3)
  local day, maxDays, sketch = unpack(ARGV, 5, 7)
  for i = 8, #ARGV, 2 do redis.call('HINCRBY', checks, day .. ' ' .. ARGV[i], 0) end
  local isNewDay = redis.call('HSETNX', days, day, 0) == 1
  if sketch ~= '' then
    redis.call('SET', merged, redis.call('HGET', sketches, day) or sketch)
    redis.call('SET', incoming, sketch)
    -- A sketch that another program has damaged begins anew.
    if redis.pcall('PFMERGE', merged, incoming).err then redis.call('SET', merged, sketch) end
    redis.call('HSET', days, day, redis.call('PFCOUNT', merged))
    redis.call('HSET', sketches, day, redis.call('GET', merged))
    redis.call('DEL', merged, incoming)
  end
  ${CLAIM_BATCH}
  for i = 8, #ARGV, 2 do redis.call('HINCRBY', checks, day .. ' ' .. ARGV[i], ARGV[i + 1]) end
  if not isNewDay then return 1 end
  local all, isOld = redis.call('HKEYS', days), {}
  table.sort(all)
  for i = 1, #all - maxDays do
    isOld[all[i]] = true
    for _, hash in ipairs({ days, sketches }) do redis.call('HDEL', hash, all[i]) end
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
      return (await evaluate(ADD_CHECKS, keys, [...toBatchArguments(batch, clock()), ...args])) === 1
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

const USAGE_DAYS = 'usage:days'
/** One hash per day. A field is a dimension and a name; its value has the four counts. */
export const usageKeyOf = (day: string) => `usage:${day}`

/** A field that is only a dimension has the number of its names. */
const ADD_USAGE = `
  ${CHECK_BATCH}
  local days, usage, day, maxDays, maxNames, other = KEYS[3], KEYS[4], unpack(ARGV, 5, 8)
  for i = 9, #ARGV, 6 do redis.call('HINCRBY', usage, ARGV[i], 0) end
  local isNewDay = redis.call('SADD', days, day) == 1
  ${CLAIM_BATCH}
  local function read(field)
    local value = redis.call('HGET', usage, field)
    if value then return {value:match('^(%d+) (%d+) (%d+) (%d+)$')} end
  end
  for i = 9, #ARGV, 6 do
    local dimension, name = ARGV[i], ARGV[i + 1]
    local field = dimension .. ' ' .. name
    local counts = read(field)
    if not counts and name ~= other and tonumber(redis.call('HGET', usage, dimension) or '0') >= maxNames - 1 then
      field = dimension .. ' ' .. other
      counts = read(field)
    end
    if not counts then redis.call('HINCRBY', usage, dimension, 1) end
    local sums = {}
    for n = 1, 4 do sums[n] = string.format('%.0f', (counts and counts[n] or 0) + ARGV[i + 1 + n]) end
    redis.call('HSET', usage, field, table.concat(sums, ' '))
  end
  if not isNewDay then return 1 end
  local all = redis.call('SMEMBERS', days)
  table.sort(all)
  for i = 1, #all - maxDays do
    redis.call('SREM', days, all[i])
    redis.call('UNLINK', usage:sub(1, -1 - ${DAY_LENGTH}) .. all[i])
  end
  return 1`

export function createRedisUsage({ clock, evaluate, readHash, readSet }: RedisContext): Usage {
  return {
    async add(batch) {
      const { day, rows } = batch
      const args = rows.flatMap(({ dimension, name, counts }) => [dimension, name, ...counts])
      const limits = [day, MAX_USAGE_DAYS, MAX_USAGE_NAMES, OTHER_USAGE]
      const keys = [...BATCH_KEYS, USAGE_DAYS, usageKeyOf(day)]
      return (await evaluate(ADD_USAGE, keys, [...toBatchArguments(batch, clock()), ...limits, ...args])) === 1
    },
    days: async () => (await readSet(USAGE_DAYS)).sort(),
    async rows(day) {
      const rows = [...(await readHash(usageKeyOf(day)))].flatMap(([field, value]) => parseUsage(field, value))
      return sortBy(rows, ({ dimension, name }) => `${dimension}\n${name}`)
    },
  }
}

/** Skips the numbers of names. */
function parseUsage(field: string, value: string): UsageRow[] {
  const space = field.indexOf(' ')
  const counts = value.split(' ').map(Number)
  if (space === -1 || counts.length !== 4 || !counts.every(Number.isSafeInteger)) return []
  return [{ dimension: field.slice(0, space), name: field.slice(space + 1), counts: counts as unknown as UsageCounts }]
}
