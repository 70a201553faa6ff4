import type { ClientRecord, Clients } from '../store.ts'
import { evaluate, inChunks, type Linked, PREFIX, readNumber, readRecords } from './part.ts'

const KEYS = ['clients', 'clients:open', 'clients:revision']

const ASK = `
  if redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('SADD', KEYS[2], ARGV[1])
  redis.call('INCR', KEYS[3])
  return 1`

const PUT = `
  for i = 1, #ARGV, 3 do
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call(ARGV[i + 2] == 'asked' and 'SADD' or 'SREM', KEYS[2], ARGV[i])
  end
  redis.call('INCR', KEYS[3])`

/** Only where nobody else decided since the record was read. */
const REPLACE = `
  if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call(ARGV[4] == 'asked' and 'SADD' or 'SREM', KEYS[2], ARGV[1])
  redis.call('INCR', KEYS[3])
  return 1`

export function clientsOn({ link }: Linked): Clients {
  const read = (id: string) => link.run((client) => client.hGet(`${PREFIX}clients`, id))

  return {
    async ask(record, mostOpen) {
      const args = [record.id, JSON.stringify(record), mostOpen]
      return (await link.run((client) => evaluate(client, ASK, KEYS, args))) === 1
    },
    async decide(id, from, decision) {
      for (;;) {
        const text = await read(id)
        const record = text ? (JSON.parse(text) as ClientRecord) : undefined
        if (!text || !record || !from.includes(record.state)) return undefined
        const decided = { ...record, ...decision }
        const args = [id, text, JSON.stringify(decided), decided.state]
        if ((await link.run((client) => evaluate(client, REPLACE, KEYS, args))) === 1) return decided
      }
    },
    async find(id) {
      const text = await read(id)
      return text ? (JSON.parse(text) as ClientRecord) : undefined
    },
    list: () => readRecords<ClientRecord>(link, 'clients'),
    put: (records) =>
      inChunks(records, (chunk) => {
        const args = chunk.flatMap((record) => [record.id, JSON.stringify(record), record.state])
        return link.run((client) => evaluate(client, PUT, KEYS, args))
      }),
    revision: () => readNumber(link, 'clients:revision'),
  }
}
