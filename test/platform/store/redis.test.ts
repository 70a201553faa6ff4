import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type Clock, openStore, type Store } from '../../../src/platform/store/index.ts'
import { choosePartition, partitions } from '../../../src/platform/store/redis/keyspace.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'
import { NOW, type OpenStore, testStoreContract } from './contract.ts'
import { testAdoptionContract } from './contract-adoption.ts'
import { checkCopy, MAX_AUTOMATIC_RECORDS, testBansContract, testLimitsContract } from './contract-bans.ts'
import { startCluster } from './redis-cluster.ts'
import { startSentinels } from './redis-sentinel.ts'

interface Deployment {
  readonly url: string
  readonly masters: readonly TestRedis[]
}

/** Creates a user with no more rights than docs/scaling.md names. Returns the URL with its name and password. */
async function limitRights(url: string, servers: readonly TestRedis[], isCluster = false): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', 'scaling.md'), 'utf8')
  const [, rights, ofCluster] = /`(~\{menagerie\* [^`]+)`, and in a cluster\s+`([^`]+)`/.exec(text) ?? []
  const line = `ACL SETUSER menagerie on >secret ${rights} ${isCluster ? ofCluster : ''}`
  for (const server of servers) assert.match(await server.command(line), /OK/)
  return url.replace('//', '//menagerie:secret@')
}

const deployments = {
  server: async (scope: Scope): Promise<Deployment> => {
    const redis = await startRedis(scope)
    return { url: await limitRights(redis.url, [redis]), masters: [redis] }
  },
  sentinels: async (scope: Scope): Promise<Deployment> => {
    const { url, master } = await startSentinels(scope)
    return { url: await limitRights(url, [master]), masters: [master] }
  },
  cluster: async (scope: Scope): Promise<Deployment> => {
    const { url, nodes } = await startCluster(scope)
    return { url: await limitRights(url, nodes, true), masters: nodes }
  },
}

/** All tests of a suite share two stores, because connecting takes longer than most of the tests. */
function shareStores(startDeployment: (scope: Scope) => Promise<Deployment>) {
  let clock: Clock = Date.now
  const suite = forSuite(async (scope) => {
    const deployment = await startDeployment(scope)
    const openShared = async () => {
      const store = await openStore(deployment.url, {
        dataDir: '',
        log: createTestLog(),
        clock: () => clock(),
        maxAutomaticRecords: MAX_AUTOMATIC_RECORDS,
        ...PATIENT,
      })
      scope.after(() => store.close())
      return store
    }
    const stores = [await openShared(), await openShared()]
    for (const store of stores) await until(async () => (await store.health()).ok, 10_000)
    return { ...deployment, stores }
  })
  const opened = new WeakMap<TestContext, Store[]>()
  const open: OpenStore = async (t, testClock) => {
    const unused = opened.get(t) ?? [...suite().stores]
    if (!opened.has(t)) for (const master of suite().masters) await master.command('FLUSHALL')
    opened.set(t, unused)
    clock = testClock
    const store = unused.shift()
    assert.ok(store, 'a test opens at most two stores')
    return store
  }
  return { suite, open }
}

// The deployments start at the same time; the tests of each run one after the other.
describe('Redis', { ...needsRedis, concurrency: true }, () => {
  describe('one server', { concurrency: false }, () => {
    const { open } = shareStores(deployments.server)
    testStoreContract('Redis', open)
    testAdoptionContract('Redis', open)
    testBansContract('Redis', open)
    testLimitsContract('Redis', open)

    test('everything can be copied from SQLite to Redis and back', async (t) => {
      const dataDir = await temporaryFolder(t)
      const sqlite = await openStore('', { dataDir, log: createTestLog(), clock: () => NOW, ...PATIENT })
      t.after(() => sqlite.close())
      const redis = await open(t, () => NOW)
      await checkCopy(sqlite, redis)
      await Promise.all([sqlite.clear(), redis.clear()])
      await checkCopy(redis, sqlite)
    })
  })

  describe('sentinels', { concurrency: false }, () => {
    const { open } = shareStores(deployments.sentinels)
    testStoreContract('sentinels', open)
    testBansContract('sentinels', open)
  })

  describe('a cluster of three masters', { concurrency: false }, () => {
    const { suite, open } = shareStores(deployments.cluster)
    testStoreContract('cluster', open)
    testAdoptionContract('cluster', open)
    testBansContract('cluster', open)

    test('the partitions are spread evenly over the slots, and clients over the partitions', async () => {
      const slots: number[] = []
      for (const name of partitions) {
        const reply = await suite().masters[0]?.command(`CLUSTER KEYSLOT ${name}x`)
        slots.push(Number(/:(\d+)/.exec(reply ?? '')?.[1]))
      }
      const sixteenths = slots.map((slot) => Math.floor(slot / 1024))
      assert.deepEqual(sixteenths, [...partitions.keys()])
      const clients = Array.from({ length: 1600 }, (_, n) => choosePartition(`192.0.${n >> 8}.${n & 255}`))
      assert.ok([...Map.groupBy(clients, (n) => n).values()].every(({ length }) => length > 50))
    })

    test('rate limit buckets are leased on all nodes of the cluster', async (t) => {
      const store = await open(t, Date.now)
      const requests = Array.from({ length: 100 }, (_, n) => {
        return { client: `192.0.2.${n}`, spent: 0, needed: 3, ahead: 0 }
      })
      const leases = await store.leases?.take({ name: 'requests', count: 2, seconds: 60 }, requests)
      assert.deepEqual(new Set(leases?.map(({ granted }) => granted)), new Set([2]))
      for (const node of suite().masters) assert.match(await node.command('DBSIZE'), /^:[1-9]/)
    })
  })
})
