import type { ClientRecord, Clients } from '../store.ts'
import { evaluate, inChunks, type Linked, PREFIX, RAISE, readRevision } from './part.ts'
import { byAge, createReader, readRecord, whole } from './records.ts'

const KEYS = ['clients', 'clients:open', 'clients:revision']

const BEGIN = `
  local clients, open, revision = unpack(KEYS)`

const ASK = `${BEGIN}
  if redis.call('SCARD', open) >= tonumber(ARGV[3]) then return 0 end
  redis.call('HSET', clients, ARGV[1], ARGV[2])
  redis.call('SADD', open, ARGV[1])
  ${RAISE}
  return 1`

const PUT = `${BEGIN} ${RAISE}
  for i = 1, #ARGV, 3 do
    redis.call('HSET', clients, ARGV[i], ARGV[i + 1])
    redis.call(ARGV[i + 2] == 'asked' and 'SADD' or 'SREM', open, ARGV[i])
  end`

/** Only where nobody else decided since the record was read. */
const REPLACE = `${BEGIN}
  if redis.call('HGET', clients, ARGV[1]) ~= ARGV[2] then return 0 end
  redis.call('HSET', clients, ARGV[1], ARGV[3])
  redis.call(ARGV[4] == 'asked' and 'SADD' or 'SREM', open, ARGV[1])
  ${RAISE}
  return 1`

const texts = { id: 'string', name: 'string', contact: 'string', reason: 'string', state: 'string' } as const
const isClient = whole<ClientRecord>({ ...texts, createdAt: 'number' })

export function clientsOn({ link, log }: Linked): Clients {
  const readRecords = createReader(link, 'clients', isClient, log)
  const read = (id: string) => link.run((client) => client.hGet(`${PREFIX}clients`, id))

  return {
    async ask(record, mostOpen) {
      const args = [record.id, JSON.stringify(record), mostOpen]
      return (await link.run((client) => evaluate(client, ASK, KEYS, args))) === 1
    },
    async decide(id, from, decision) {
      for (;;) {
        const text = await read(id)
        const record = readRecord(text, isClient)
        if (!text || !record || !from.includes(record.state)) return undefined
        const decided = { ...record, ...decision }
        const args = [id, text, JSON.stringify(decided), decided.state]
        if ((await link.run((client) => evaluate(client, REPLACE, KEYS, args))) === 1) return decided
      }
    },
    find: async (id) => readRecord(await read(id), isClient),
    list: async () => (await readRecords()).sort(byAge),
    put: (records) =>
      inChunks(records, (chunk) => {
        const args = chunk.flatMap((record) => [record.id, JSON.stringify(record), record.state])
        return link.run((client) => evaluate(client, PUT, KEYS, args))
      }),
    revision: () => readRevision(link, 'clients'),
  }
}
