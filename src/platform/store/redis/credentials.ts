// Client keys and operator tokens.
import type { ClientRecord, Clients, TokenRecord, Tokens } from '../store.ts'
import { compareByAge, hasFields, parseRecord, RAISE_REVISION, type RedisContext } from './keyspace.ts'

// Each script raises the revision first: if Redis rejects that, no change is made that the nodes would not notice.

const CLIENT_KEYS = ['clients', 'clients:pending', 'clients:revision']

const BEGIN_CLIENTS = `
  local clients, pending, revision = unpack(KEYS)`

const ADD_REQUEST = `${BEGIN_CLIENTS}
  if redis.call('SCARD', pending) >= tonumber(ARGV[3]) then return 0 end
  ${RAISE_REVISION}
  redis.call('HSET', clients, ARGV[1], ARGV[2])
  redis.call('SADD', pending, ARGV[1])
  return 1`

const PUT_CLIENTS = `${BEGIN_CLIENTS} ${RAISE_REVISION}
  for i = 2, #ARGV, 3 do
    redis.call('HSET', clients, ARGV[i], ARGV[i + 1])
    redis.call(ARGV[i + 2] == 'pending' and 'SADD' or 'SREM', pending, ARGV[i])
  end`

/** Only if the record has not changed since it was read. */
const REPLACE = `${BEGIN_CLIENTS}
  if redis.call('HGET', clients, ARGV[1]) ~= ARGV[2] then return 0 end
  ${RAISE_REVISION}
  redis.call('HSET', clients, ARGV[1], ARGV[3])
  redis.call(ARGV[4] == 'pending' and 'SADD' or 'SREM', pending, ARGV[1])
  return 1`

const texts = { id: 'string', name: 'string', contact: 'string', reason: 'string', state: 'string' } as const
const isClient = hasFields<ClientRecord>({ ...texts, createdAt: 'number' })

export function createRedisClients(context: RedisContext): Clients {
  const { evaluate, evaluateInChunks } = context
  const readRecords = context.createRecordReader('clients', isClient)
  const readText = (id: string) => context.readField('clients', id)

  return {
    addRequest: async (record, maxPending) =>
      (await evaluate(ADD_REQUEST, CLIENT_KEYS, [record.id, JSON.stringify(record), maxPending])) === 1,
    async decide(id, from, decision) {
      for (;;) {
        const text = await readText(id)
        const record = parseRecord(text, isClient)
        if (!text || !record || !from.includes(record.state)) return undefined
        const decided = { ...record, ...decision }
        const args = [id, text, JSON.stringify(decided), decided.state]
        if ((await evaluate(REPLACE, CLIENT_KEYS, args)) === 1) return decided
      }
    },
    find: async (id) => parseRecord(await readText(id), isClient),
    list: async () => (await readRecords()).sort(compareByAge),
    put: (records) =>
      evaluateInChunks(PUT_CLIENTS, CLIENT_KEYS, records, (record) => [
        record.id,
        JSON.stringify(record),
        record.state,
      ]),
    revision: () => context.readRevision('clients'),
  }
}

const TOKEN_KEYS = ['tokens', 'tokens:used', 'tokens:revision']

const BEGIN_TOKENS = `
  local tokens, used, revision = unpack(KEYS)`

const PUT_TOKENS = `${BEGIN_TOKENS} ${RAISE_REVISION}
  for i = 2, #ARGV, 2 do redis.call('HSET', tokens, ARGV[i], ARGV[i + 1]) end`

const REMOVE = `${BEGIN_TOKENS}
  if redis.call('HEXISTS', tokens, ARGV[1]) == 0 then return 0 end
  ${RAISE_REVISION}
  redis.call('HDEL', tokens, ARGV[1])
  redis.call('HDEL', used, ARGV[1])
  return 1`

const MARK_USED = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end`

const hasTokenFields = hasFields<TokenRecord>({ id: 'string', label: 'string', hash: 'string', createdAt: 'number' })
const isToken = (value: unknown): value is TokenRecord => hasTokenFields(value) && Array.isArray(value.scopes)

export function createRedisTokens(context: RedisContext): Tokens {
  const { evaluate, evaluateInChunks } = context
  const readRecords = context.createRecordReader('tokens', isToken)

  return {
    put: (records) =>
      evaluateInChunks(PUT_TOKENS, TOKEN_KEYS, records, (record) => [record.id, JSON.stringify(record)]),
    remove: async (id) => (await evaluate(REMOVE, TOKEN_KEYS, [id])) === 1,
    async list() {
      const used = await context.readHash('tokens:used')
      const records = (await readRecords()).sort(compareByAge)
      return records.map((record) => ({ ...record, lastUsedAt: Number(used.get(record.id)) || record.lastUsedAt }))
    },
    markUsed: async (id, at) => void (await evaluate(MARK_USED, TOKEN_KEYS, [id, at])),
    revision: () => context.readRevision('tokens'),
  }
}
