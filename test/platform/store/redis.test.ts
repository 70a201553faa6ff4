import { type TestContext, test } from 'node:test'
import { type Clock, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { NOW, storeContract } from './contract.ts'
import { bansContract, provesCopy } from './contract-bans.ts'
import { boundsContract } from './contract-bounds.ts'

const servers = new WeakMap<TestContext, TestRedis>()

async function open(t: TestContext, clock: Clock) {
  const redis = servers.get(t) ?? (await startRedis(t))
  servers.set(t, redis)
  const store = openStore(redis.url, { dataDir: '', log: rememberingLog(), clock })
  t.after(() => store.close())
  return store
}

storeContract('Redis', needsRedis, open)
bansContract('Redis', needsRedis, open)
boundsContract('Redis', needsRedis, open)

test('an operator moves from SQLite to Redis and back', needsRedis, async (t) => {
  const dataDir = await temporaryFolder(t)
  const sqlite = openStore('', { dataDir, log: rememberingLog(), clock: () => NOW })
  t.after(() => sqlite.close())
  const redis = await open(t, () => NOW)
  await provesCopy(sqlite, redis)
  await Promise.all([sqlite.clear(), redis.clear()])
  await provesCopy(redis, sqlite)
})
