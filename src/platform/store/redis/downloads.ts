import { type DownloadRow, type Downloads, FORGET_WRITER_MS } from '../store.ts'
import { lastDays, summarize } from '../summary.ts'
import { evaluate, type Linked, PREFIX, readHash } from './part.ts'
import { readRecord } from './records.ts'

/** Each count three times, so that the summary is read without adding up years of days. */
const ADD = `
  local writers, seen, rows, versions, days = unpack(KEYS)
  local writer, number, after, now, forgetBefore = unpack(ARGV, 1, 5)
  local last = tonumber(redis.call('HGET', writers, writer) or '0')
  if tonumber(number) <= last or (after ~= '' and tonumber(after) ~= last) then return 0 end
  if last == 0 then
    for _, old in ipairs(redis.call('ZRANGEBYSCORE', seen, '-inf', forgetBefore, 'LIMIT', 0, 100)) do
      redis.call('HDEL', writers, old)
      redis.call('ZREM', seen, old)
    end
  end
  redis.call('HSET', writers, writer, number)
  redis.call('ZADD', seen, now, writer)
  for i = 6, #ARGV, 4 do
    redis.call('HINCRBY', rows, ARGV[i], ARGV[i + 3])
    redis.call('HINCRBY', versions, ARGV[i + 1], ARGV[i + 3])
    redis.call('HINCRBY', days, ARGV[i + 2], ARGV[i + 3])
  end
  return 1`

const KEYS = ['downloads:writers', 'downloads:seen', 'downloads:rows', 'downloads:versions', 'downloads:days']

const fieldsOf = ({ application, version, day, count }: DownloadRow) => [
  JSON.stringify([application, version, day]),
  JSON.stringify([application, version]),
  day,
  count,
]

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')

/** Counts by the names in their fields; without those that another program wrote there. */
const countsIn = (hash: ReadonlyMap<string, string>, length: number) =>
  [...hash]
    .map(([field, count]) => ({ names: readRecord(field, isNames) ?? [], count: Number(count) }))
    .filter(({ names, count }) => names.length === length && Number.isSafeInteger(count))

export function downloadsOn({ link, clock }: Linked): Downloads {
  return {
    async add({ writer, number, after, rows }) {
      const now = clock()
      const args = [writer, number, after ?? '', now, now - FORGET_WRITER_MS, ...rows.flatMap(fieldsOf)]
      return (await link.run((client) => evaluate(client, ADD, KEYS, args))) === 1
    },
    lastNumber: async (writer) =>
      Number((await link.run((client) => client.hGet(`${PREFIX}downloads:writers`, writer))) ?? 0),
    async summary(days) {
      const wanted = lastDays(clock(), days)
      const counts = await link.run((client) => client.hmGet(`${PREFIX}downloads:days`, wanted))
      const versions = countsIn(await readHash(link, 'downloads:versions'), 2)
      const totals = versions.map(({ names: [application = '', version = ''], count }) => ({
        application,
        version,
        count,
      }))
      return summarize(totals, wanted, (day) => Number(counts[wanted.indexOf(day)] ?? 0))
    },
    async rows() {
      const counts = countsIn(await readHash(link, 'downloads:rows'), 3)
      const rows = counts.map(({ names: [application = '', version = '', day = ''], count }) => ({
        ...{ application, version, day },
        count,
      }))
      const order = ({ application, version, day }: DownloadRow) => `${day}\n${application}\n${version}`
      return rows.sort((a, b) => (order(a) < order(b) ? -1 : 1))
    },
    writers: async () =>
      [...(await readHash(link, 'downloads:writers'))].map(([writer, number]) => ({ writer, number: Number(number) })),
  }
}
