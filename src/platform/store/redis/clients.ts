import type { ClientRecord, Clients } from '../store.ts'
import { compareByAge, hasFields, parseRecord, RAISE_REVISION, type RedisContext } from './keyspace.ts'

const KEYS = ['clients', 'clients:open', 'clients:revision']

const BEGIN = `
  local clients, open, revision = unpack(KEYS)`

const ADD_REQUEST = `${BEGIN}
  if redis.call('SCARD', open) >= tonumber(ARGV[3]) then return 0 end
  redis.call('HSET', clients, ARGV[1], ARGV[2])
  redis.call('SADD', open, ARGV[1])
  ${RAISE_REVISION}
  return 1`

const PUT = `${BEGIN} ${RAISE_REVISION}
  for i = 2, #ARGV, 3 do
    redis.call('HSET', clients, ARGV[i], ARGV[i + 1])
    redis.call(ARGV[i + 2] == 'asked' and 'SADD' or 'SREM', open, ARGV[i])
  end`

/** Only if the record has not changed since it was read. */
const REPLACE = `${BEGIN}
  if redis.call('HGET', clients, ARGV[1]) ~= ARGV[2] then return 0 end
  redis.call('HSET', clients, ARGV[1], ARGV[3])
  redis.call(ARGV[4] == 'asked' and 'SADD' or 'SREM', open, ARGV[1])
  ${RAISE_REVISION}
  return 1`

const texts = { id: 'string', name: 'string', contact: 'string', reason: 'string', state: 'string' } as const
const isClient = hasFields<ClientRecord>({ ...texts, createdAt: 'number' })

export function createRedisClients(context: RedisContext): Clients {
  const { evaluate, evaluateInChunks } = context
  const readRecords = context.createRecordReader('clients', isClient)
  const readText = (id: string) => context.readField('clients', id)

  return {
    addRequest: async (record, maxPending) =>
      (await evaluate(ADD_REQUEST, KEYS, [record.id, JSON.stringify(record), maxPending])) === 1,
    async decide(id, from, decision) {
      for (;;) {
        const text = await readText(id)
        const record = parseRecord(text, isClient)
        if (!text || !record || !from.includes(record.state)) return undefined
        const decided = { ...record, ...decision }
        const args = [id, text, JSON.stringify(decided), decided.state]
        if ((await evaluate(REPLACE, KEYS, args)) === 1) return decided
      }
    },
    find: async (id) => parseRecord(await readText(id), isClient),
    list: async () => (await readRecords()).sort(compareByAge),
    put: (records) =>
      evaluateInChunks(PUT, KEYS, records, (record) => [record.id, JSON.stringify(record), record.state]),
    revision: () => context.readRevision('clients'),
  }
}
