import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { createCounter, openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { freePort, needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'
import { token } from './contract.ts'

async function open(t: TestContext, url: string) {
  const log = rememberingLog()
  const store = openStore(url, { dataDir: '', log })
  const counter = createCounter(store.downloads, { folder: await temporaryFolder(t), log, flushIntervalMs: 50 })
  t.after(() => counter.close())
  t.after(() => store.close())
  return { store, log, counter }
}

const isOk = (store: Store) => async () => (await store.health()).ok
const isAway = (store: Store, why: RegExp) => async () => why.test((await store.health()).message)

/** How long a call took to be refused. */
async function refusedIn(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await assert.rejects(call, StoreUnavailable)
  return performance.now() - start
}

test('Redis that refuses connections: calls fail at once, and work when it is there', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.kill()
  const { store, counter, log } = await open(t, redis.url)
  counter.count('launcher', '1.0.0')
  await until(isAway(store, /^Redis refuses the connection$/))
  assert.ok((await refusedIn(() => store.tokens.list())) < 900)
  await redis.start()
  await until(isOk(store))
  await until(() => counter.status().waiting === 0)
  assert.equal((await store.downloads.summary(1)).total, 1)
  assert.ok(log.lines.length < 20, 'a line a change, not a line an attempt')
})

test('Redis that hangs: calls fail within a second, later ones at once, and it recovers', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store, counter } = await open(t, redis.url)
  await until(isOk(store))
  redis.hang()
  t.after(() => redis.goOn())
  assert.ok((await refusedIn(() => store.tokens.list())) < 2000)
  assert.ok((await refusedIn(() => store.tokens.list())) < 900)
  for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
  await sleep(300)
  assert.equal(counter.status().waiting, 100)
  redis.goOn()
  await until(() => counter.status().waiting === 0)
  await sleep(100)
  assert.equal((await store.downloads.summary(1)).total, 100)
})

test('Redis that is killed under load and comes back: no count is lost or doubled', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store, counter } = await open(t, redis.url)
  await until(isOk(store))
  await redis.kill()
  let counted = 0
  const load = setInterval(() => {
    counter.count('launcher', '1.0.0')
    counted += 1
  }, 2)
  t.after(() => clearInterval(load))
  await sleep(300)
  await redis.start()
  await until(isOk(store))
  await sleep(100)
  clearInterval(load)
  await until(() => counter.status().waiting === 0)
  assert.equal((await store.downloads.summary(1)).total, counted)
})

test('Redis without memory: reads go on, writes are refused with that reason, counts wait', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store, counter } = await open(t, redis.url)
  await until(isOk(store))
  await store.tokens.put([token('a')])
  await redis.command('CONFIG SET maxmemory 1')
  await redis.command('CONFIG SET maxmemory-policy noeviction')
  counter.count('launcher', '1.0.0')
  await until(isAway(store, /^Redis is out of memory and rejects writes$/))
  assert.equal((await store.tokens.list()).length, 1)
  await assert.rejects(store.tokens.put([token('b')]), StoreUnavailable)
  await until(() => counter.status().trouble === 'Redis is out of memory and rejects writes')
  await redis.command('CONFIG SET maxmemory 0')
  await until(() => counter.status().waiting === 0)
  await until(isOk(store))
  assert.equal((await store.tokens.list()).length, 1)
})

test('Redis that wants another password: the reason is told, no secret is', needsRedis, async (t) => {
  const redis = await startRedis(t, '--requirepass', 'right-secret')
  const url = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}`
  const { store, log } = await open(t, url('wrong-secret'))
  await until(isAway(store, /^Redis rejects the user name or password$/))
  assert.ok(!JSON.stringify(log.lines).includes('secret'))
  const right = await open(t, url('right-secret'))
  await until(isOk(right.store))
  const none = await open(t, redis.url)
  await until(isAway(none.store, /^Redis rejects the user name or password$/))
})

test('what cannot be reached is named without an address', needsRedis, async (t) => {
  const port = await freePort()
  const { store, log } = await open(t, `redis://localhost:${port}`)
  await until(isAway(store, /^Redis refuses the connection$/))
  const resolving = await open(t, 'redis://no-such-host.invalid:6379')
  await until(isAway(resolving.store, /^the host name of Redis cannot be resolved$/))
  assert.ok(!/127\.0|::1|localhost|invalid/.test(JSON.stringify([log.lines, resolving.log.lines])))
})

test('Redis that a newer version has written to is refused, and left as it is', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.command('SET {menagerie}:layout 7')
  const { store } = await open(t, redis.url)
  await until(isAway(store, /layout 7.*at most layout 1; nothing was changed/))
  await assert.rejects(store.tokens.put([token('a')]), StoreUnavailable)
  assert.match(await redis.command('DBSIZE'), /^:1\r\n/)
})

test('a script that Redis has forgotten, and a replica that was made the master', needsRedis, async (t) => {
  const [first, second] = [await startRedis(t), await startRedis(t)]
  await second.command(`REPLICAOF 127.0.0.1 ${first.port}`)
  const { store, counter } = await open(t, second.url)
  await until(isAway(store, /^Redis rejects writes at the moment$/))
  counter.count('launcher', '1.0.0')
  await second.command('REPLICAOF NO ONE')
  await second.command('SCRIPT FLUSH')
  await until(() => counter.status().waiting === 0)
  assert.equal((await store.downloads.summary(1)).total, 1)
})
