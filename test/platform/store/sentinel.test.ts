import { describe, type TestContext, test } from 'node:test'
import { type Clock, openStore } from '../../../src/platform/store/index.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis } from '../../kit/redis.ts'
import { startSentinels } from '../../kit/redis-sentinel.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { storeContract } from './contract.ts'
import { bansContract } from './contract-bans.ts'

if (needsRedis.skip) test('sentinels', needsRedis, () => {})
else
  describe('a master that sentinels know', () => {
    const sentinels = forSuite((scope) => startSentinels(scope))
    const used = new WeakSet<TestContext>()

    async function open(t: TestContext, clock: Clock) {
      if (!used.has(t)) await sentinels().master.command('FLUSHALL')
      used.add(t)
      const store = openStore(sentinels().url, { dataDir: '', log: rememberingLog(), clock })
      t.after(() => store.close())
      await until(async () => (await store.health()).ok, 10_000)
      return store
    }

    storeContract('sentinels', { skip: false }, open)
    bansContract('sentinels', { skip: false }, open)
  })
