import { listLastDays, summarizeDownloads } from '../download-counts.ts'
import { type DownloadBatch, type DownloadRow, type Downloads, WRITER_TTL_MS } from '../store.ts'
import { parseRecord, type RedisContext } from './keyspace.ts'

/** Lua: ends the script if the number of the batch is not new. */
export const CLAIM_BATCH = `
  local writers, seen = KEYS[1], KEYS[2]
  local writer, number, now, forgetBefore = unpack(ARGV, 1, 4)
  local last = tonumber(redis.call('HGET', writers, writer) or '0')
  if tonumber(number) <= last then return 0 end
  if last == 0 then
    for _, old in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', forgetBefore, 'LIMIT', 0, 100)) do
      redis.call('HDEL', writers, old)
      redis.call('ZREM', seen, old)
    end
  end
  redis.call('HSET', writers, writer, number)
  redis.call('ZADD', seen, now, writer)`

export const BATCH_KEYS = ['downloads:writers', 'downloads:seen']

export const toBatchArguments = ({ writer, number }: Pick<DownloadBatch, 'writer' | 'number'>, now: number) => [
  writer,
  number,
  now,
  now - WRITER_TTL_MS,
]

/** Stores each count three times, so that the summary does not have to add up years of days. */
const ADD = `
  ${CLAIM_BATCH}
  local rows, versions, days = unpack(KEYS, 3)
  for i = 5, #ARGV, 4 do
    redis.call('HINCRBY', rows, ARGV[i], ARGV[i + 3])
    redis.call('HINCRBY', versions, ARGV[i + 1], ARGV[i + 3])
    redis.call('HINCRBY', days, ARGV[i + 2], ARGV[i + 3])
  end
  return 1`

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

export function createRedisDownloads({ clock, evaluate, readHash, readFields }: RedisContext): Downloads {
  return {
    add: async (batch) =>
      (await evaluate(ADD, KEYS, [...toBatchArguments(batch, clock()), ...batch.rows.flatMap(toArguments)])) === 1,
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
      const sortKey = ({ application, version, day }: DownloadRow) => `${day}\n${application}\n${version}`
      return rows.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    },
    writers: async () =>
      [...(await readHash('downloads:writers'))].map(([writer, number]) => ({ writer, number: Number(number) })),
  }
}
