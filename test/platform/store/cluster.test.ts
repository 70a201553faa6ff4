import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Clock, openStore } from '../../../src/platform/store/index.ts'
import { choosePartition, partitions } from '../../../src/platform/store/redis/keyspace.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis } from '../../kit/redis.ts'
import { startCluster } from '../../kit/redis-cluster.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { storeContract } from './contract.ts'
import { bansContract } from './contract-bans.ts'

if (needsRedis.skip) test('a cluster', needsRedis, () => {})
else
  describe('a cluster of three', () => {
    const cluster = forSuite((scope) => startCluster(scope))
    const used = new WeakSet<TestContext>()

    async function open(t: TestContext, clock: Clock) {
      if (!used.has(t)) for (const node of cluster().nodes) await node.command('FLUSHALL')
      used.add(t)
      const store = openStore(cluster().url, { dataDir: '', log: rememberingLog(), clock })
      t.after(() => store.close())
      await until(async () => (await store.health()).ok, 10_000)
      return store
    }

    storeContract('cluster', { skip: false }, open)
    bansContract('cluster', { skip: false }, open)

    test('what grows with callers and pictures is spread evenly over the slots', async () => {
      const slots: number[] = []
      for (const name of partitions) {
        const told = await cluster().nodes[0]?.command(`CLUSTER KEYSLOT ${name}x`)
        slots.push(Number(/:(\d+)/.exec(told ?? '')?.[1]))
      }
      const sixteenths = slots.map((slot) => Math.floor(slot / 1024))
      assert.deepEqual(sixteenths, [...partitions.keys()])
      const callers = Array.from({ length: 1600 }, (_, n) => choosePartition(`192.0.${n >> 8}.${n & 255}`))
      assert.ok([...Map.groupBy(callers, (n) => n).values()].every(({ length }) => length > 50))
    })

    test('budgets of callers are leased on all nodes of the cluster', async (t) => {
      const store = await open(t, Date.now)
      const asks = Array.from({ length: 100 }, (_, n) => ({ client: `192.0.2.${n}`, spent: 0, needed: 3, ahead: 0 }))
      const leases = await store.leases?.take({ name: 'requests', requests: 2, seconds: 60 }, asks)
      assert.deepEqual(new Set(leases?.map(({ granted }) => granted)), new Set([2]))
      for (const node of cluster().nodes) assert.match(await node.command('DBSIZE'), /^:[1-9]/)
    })
  })
