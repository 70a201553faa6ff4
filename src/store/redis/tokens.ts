import type { TokenRecord, Tokens } from '../store.ts'
import { evaluate, inChunks, type Linked, readHash, readNumber, readRecords } from './part.ts'

const KEYS = ['tokens', 'tokens:used', 'tokens:revision']

const PUT = `
  for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('INCR', KEYS[3])`

const REMOVE = `
  if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('INCR', KEYS[3])
  return 1`

const USED = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end`

export function tokensOn({ link }: Linked): Tokens {
  return {
    put: (records) =>
      inChunks(records, (chunk) => {
        const args = chunk.flatMap((record) => [record.id, JSON.stringify(record)])
        return link.run((client) => evaluate(client, PUT, KEYS, args))
      }),
    remove: async (id) => (await link.run((client) => evaluate(client, REMOVE, KEYS, [id]))) === 1,
    async list() {
      const used = await readHash(link, 'tokens:used')
      const records = await readRecords<TokenRecord>(link, 'tokens')
      return records.map((record) => ({ ...record, lastUsedAt: Number(used.get(record.id)) || record.lastUsedAt }))
    },
    used: async (id, at) => void (await link.run((client) => evaluate(client, USED, KEYS, [id, at]))),
    revision: () => readNumber(link, 'tokens:revision'),
  }
}
