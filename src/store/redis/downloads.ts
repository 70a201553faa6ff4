import { type DownloadRow, type Downloads, FORGET_WRITER_MS } from '../store.ts'
import { lastDays, summarize } from '../summary.ts'
import { evaluate, type Linked, PREFIX, readHash } from './part.ts'

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
      const totals = [...(await readHash(link, 'downloads:versions'))].map(([field, count]) => {
        const [application, version] = JSON.parse(field) as [string, string]
        return { application, version, count: Number(count) }
      })
      return summarize(totals, wanted, (day) => Number(counts[wanted.indexOf(day)] ?? 0))
    },
    async rows() {
      const rows = [...(await readHash(link, 'downloads:rows'))].map(([field, count]) => {
        const [application, version, day] = JSON.parse(field) as [string, string, string]
        return { application, version, day, count: Number(count) }
      })
      const order = ({ application, version, day }: DownloadRow) => `${day}\n${application}\n${version}`
      return rows.sort((a, b) => (order(a) < order(b) ? -1 : 1))
    },
    writers: async () =>
      [...(await readHash(link, 'downloads:writers'))].map(([writer, number]) => ({ writer, number: Number(number) })),
  }
}
