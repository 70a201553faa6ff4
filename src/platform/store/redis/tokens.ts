import type { TokenRecord, Tokens } from '../store.ts'
import { evaluate, inChunks, type Linked, RAISE, readHash, readRevision } from './part.ts'
import { byAge, createReader, whole } from './records.ts'

const KEYS = ['tokens', 'tokens:used', 'tokens:revision']

const BEGIN = `
  local tokens, used, revision = unpack(KEYS)`

const PUT = `${BEGIN} ${RAISE}
  for i = 1, #ARGV, 2 do redis.call('HSET', tokens, ARGV[i], ARGV[i + 1]) end`

const REMOVE = `${BEGIN}
  if redis.call('HDEL', tokens, ARGV[1]) == 0 then return 0 end
  redis.call('HDEL', used, ARGV[1])
  ${RAISE}
  return 1`

const USED = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end`

const hasFields = whole<TokenRecord>({ id: 'string', label: 'string', hash: 'string', createdAt: 'number' })
const isToken = (value: unknown): value is TokenRecord => hasFields(value) && Array.isArray(value.scopes)

export function tokensOn({ link, log }: Linked): Tokens {
  const readRecords = createReader(link, 'tokens', isToken, log)

  return {
    put: (records) =>
      inChunks(records, (chunk) => {
        const args = chunk.flatMap((record) => [record.id, JSON.stringify(record)])
        return link.run((client) => evaluate(client, PUT, KEYS, args))
      }),
    remove: async (id) => (await link.run((client) => evaluate(client, REMOVE, KEYS, [id]))) === 1,
    async list() {
      const used = await readHash(link, 'tokens:used')
      const records = (await readRecords()).sort(byAge)
      return records.map((record) => ({ ...record, lastUsedAt: Number(used.get(record.id)) || record.lastUsedAt }))
    },
    used: async (id, at) => void (await link.run((client) => evaluate(client, USED, KEYS, [id, at]))),
    revision: () => readRevision(link, 'tokens'),
  }
}
