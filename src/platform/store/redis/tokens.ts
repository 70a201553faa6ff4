import type { TokenRecord, Tokens } from '../store.ts'
import { compareByAge, hasFields, RAISE_REVISION, type RedisContext } from './keyspace.ts'

const KEYS = ['tokens', 'tokens:used', 'tokens:revision']

const BEGIN = `
  local tokens, used, revision = unpack(KEYS)`

const PUT = `${BEGIN} ${RAISE_REVISION}
  for i = 2, #ARGV, 2 do redis.call('HSET', tokens, ARGV[i], ARGV[i + 1]) end`

const REMOVE = `${BEGIN}
  if redis.call('HDEL', tokens, ARGV[1]) == 0 then return 0 end
  redis.call('HDEL', used, ARGV[1])
  ${RAISE_REVISION}
  return 1`

const MARK_USED = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end`

const hasTokenFields = hasFields<TokenRecord>({ id: 'string', label: 'string', hash: 'string', createdAt: 'number' })
const isToken = (value: unknown): value is TokenRecord => hasTokenFields(value) && Array.isArray(value.scopes)

export function createRedisTokens(context: RedisContext): Tokens {
  const { evaluate, evaluateInChunks } = context
  const readRecords = context.createRecordReader('tokens', isToken)

  return {
    put: (records) => evaluateInChunks(PUT, KEYS, records, (record) => [record.id, JSON.stringify(record)]),
    remove: async (id) => (await evaluate(REMOVE, KEYS, [id])) === 1,
    async list() {
      const used = await context.readHash('tokens:used')
      const records = (await readRecords()).sort(compareByAge)
      return records.map((record) => ({ ...record, lastUsedAt: Number(used.get(record.id)) || record.lastUsedAt }))
    },
    markUsed: async (id, at) => void (await evaluate(MARK_USED, KEYS, [id, at])),
    revision: () => context.readRevision('tokens'),
  }
}
