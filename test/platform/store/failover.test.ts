import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createCounter, openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, type TestRedis } from '../../kit/redis.ts'
import { startCluster } from '../../kit/redis-cluster.ts'
import { startSentinels } from '../../kit/redis-sentinel.ts'
import { until } from '../../kit/until.ts'
import { ban, token } from './contract.ts'

const BANNED = { at: Date.now(), until: Date.now() + 3_600_000 }

async function open(t: TestContext, url: string) {
  const log = rememberingLog()
  const store = openStore(url, { dataDir: '', log })
  const counter = createCounter(store.downloads, { folder: await temporaryFolder(t), log, flushIntervalMs: 50 })
  t.after(() => store.close())
  t.after(() => counter.close())
  await until(async () => (await store.health()).ok, 10_000)
  return { store, counter, log }
}

const offset = async (redis: TestRedis) =>
  Number(/master_repl_offset:(\d+)/.exec(await redis.command('INFO replication'))?.[1])

/** Counts while the master is killed and another takes over, and tells what is missing in the end. */
async function countThroughFailover(t: TestContext, url: string, master: TestRedis, replica: TestRedis) {
  const { store, counter, log } = await open(t, url)
  await store.bans.put([ban('192.0.2.1', BANNED)])
  await store.tokens.put([token('a')])
  let counted = 0
  const load = setInterval(() => {
    counter.count('launcher', '1.0.0')
    counted += 1
  }, 2)
  t.after(() => clearInterval(load))
  await until(() => counted > 100)
  await until(async () => (await offset(master)) === (await offset(replica)))
  await master.kill()
  const atKill = counted
  await until(async () => !(await store.health()).ok || (await isThere(store)), 10_000)
  await until(async () => (await store.health()).ok, 30_000)
  await until(() => counted > atKill + 100)
  clearInterval(load)
  await until(() => counter.status().waiting === 0, 20_000)
  const { total } = await store.downloads.summary(1)
  t.diagnostic(`${counted} counted, ${counted - total} lost with the master`)
  assert.ok(total <= counted, 'none is counted twice')
  // What the master had taken and not handed on yet when it was killed: a batch of 50 ms, twice at most.
  assert.ok(counted - total <= 100, `${counted - total} lost`)
  assert.deepEqual(
    (await store.bans.list()).map(({ address }) => address),
    ['192.0.2.1'],
  )
  assert.equal((await store.tokens.list()).length, 1)
  assert.ok(log.lines.length < 15, 'a line a change, not a line an attempt')
}

const isThere = (store: Store) =>
  store.tokens.list().then(
    () => true,
    () => false,
  )

test('sentinels: the master is killed, counting goes on at the next one, bans hold', needsRedis, async (t) => {
  const sentinels = await startSentinels(t)
  assert.equal(await sentinels.masterPort(), sentinels.master.port)
  await countThroughFailover(t, sentinels.url, sentinels.master, sentinels.replica)
  assert.equal(await sentinels.masterPort(), sentinels.replica.port)
})

test('cluster: the master of the store is killed, its replica takes over, bans hold', needsRedis, async (t) => {
  const { url, nodes } = await startCluster(t, { replicas: true })
  // The slot of {menagerie} is 6268: the second third.
  const [master, replica] = [nodes[1], nodes[4]]
  assert.ok(master && replica)
  await countThroughFailover(t, url, master, replica)
})

test('sentinels or a cluster that are away are named without an address', async (t) => {
  const messages = {
    'redis-sentinel://127.0.0.1:1,127.0.0.1:2/house': 'no sentinel knows the address of the master',
    'redis-cluster://127.0.0.1:1,127.0.0.1:2': 'no node of the Redis cluster answers',
  }
  for (const [url, message] of Object.entries(messages)) {
    const log = rememberingLog()
    const store = openStore(url, { dataDir: '', log })
    t.after(() => store.close())
    await until(async () => (await store.health()).message === message, 10_000)
    assert.ok(!JSON.stringify(log.lines).includes('127.0'))
  }
})
