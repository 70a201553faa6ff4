import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { openSharedResultCache, type SharedResultCache } from '../../../src/platform/store/index.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { startCluster } from '../../kit/redis-cluster.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until } from '../../kit/until.ts'

const MiB = 1024 * 1024
const HOUR_MS = 3_600_000

/** On a busy machine an answer may take its time; what the bound does has a test of its own. */
async function open(t: TestContext, url: string, { maxBytes = 64 * MiB, timeoutMs = 1000 } = {}) {
  const log = rememberingLog()
  const pictures = openSharedResultCache(url, { maxBytes, log, timeoutMs, retryMs: 50 })
  assert.ok(pictures)
  t.after(() => pictures.close())
  // The connection is on its way: the first answer waits for it.
  await pictures.get('nothing')
  await connected(pictures)
  return { pictures, log }
}

const connected = (pictures: SharedResultCache) => until(() => !pictures.status().isUnavailable, 10_000)

const keyOf = async (redis: TestRedis, name: string) =>
  new RegExp(`\\{menagerie:\\d+\\}:result:${name}`).exec(await redis.command(`KEYS *result:${name}`))?.[0]

const usedMemory = async (redis: TestRedis) => Number(/used_memory:(\d+)/.exec(await redis.command('INFO memory'))?.[1])

test('without Redis there is nothing to share', () => {
  assert.equal(openSharedResultCache('', { maxBytes: MiB, log: rememberingLog() }), undefined)
})

test('what one node keeps another one has, byte for byte, until its time is over', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const [one, two] = [(await open(t, redis.url)).pictures, (await open(t, redis.url)).pictures]
  const bytes = randomBytes(300_000)
  await one.set('a', bytes, HOUR_MS)
  await one.set('short', bytes, 40)
  assert.deepEqual(await two.get('a'), bytes)
  await until(async () => (await two.get('short')) === undefined)
  const { hits, invalid, stored } = { ...two.status(), stored: one.status().stored }
  assert.ok(hits >= 1 && invalid === 0 && stored === 2)
  await one.set('a', Buffer.from('other'), HOUR_MS)
  assert.equal(String(await two.get('a')), 'other')
})

test('rubbish, cut and exchanged values are not taken for pictures', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { pictures } = await open(t, redis.url)
  for (const name of ['cut', 'turned', 'moved', 'typed']) await pictures.set(name, randomBytes(5000), HOUR_MS)
  const key = Object.fromEntries(
    await Promise.all(
      ['cut', 'turned', 'moved', 'typed'].map(async (name) => [name, await keyOf(redis, name)] as const),
    ),
  )
  await redis.command(`EVAL "redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[1]), 1, 3000))" 1 ${key.cut}`)
  await redis.command(`SETRANGE ${key.turned} 2000 rubbish`)
  await redis.command(`COPY ${key.cut} ${key.moved} REPLACE`)
  await redis.command(`DEL ${key.typed}`)
  await redis.command(`LPUSH ${key.typed} x`)
  for (const name of ['cut', 'turned', 'moved', 'typed']) assert.equal(await pictures.get(name), undefined, name)
  assert.deepEqual([pictures.status().invalid, pictures.status().isUnavailable], [4, false])
  await pictures.set('typed', Buffer.from('again'), HOUR_MS)
  assert.equal(String(await pictures.get('typed')), 'again')
})

test('the share is never exceeded: what was not used for longest goes first', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const maxBytes = 16 * MiB
  const { pictures } = await open(t, redis.url, { maxBytes })
  const before = await usedMemory(redis)
  await pictures.set('dear', randomBytes(50_000), HOUR_MS)
  for (let n = 0; n < 600; n++) {
    await pictures.set(`picture ${n}`, randomBytes(50_000), HOUR_MS)
    assert.ok(await pictures.get('dear'), `used all the time, and gone after ${n}`)
  }
  const { bytes } = pictures.status()
  assert.ok(bytes > maxBytes / 2 && bytes <= maxBytes, `${bytes}`)
  assert.equal(await pictures.get('picture 0'), undefined)
  assert.ok(await pictures.get('picture 599'))
  const taken = (await usedMemory(redis)) - before
  assert.ok(taken < maxBytes * 1.3, `${taken} bytes of Redis for ${maxBytes}`)
})

test('what has ended makes room before anything else goes, and nothing is left in the end', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { pictures } = await open(t, redis.url, { maxBytes: 16 * MiB })
  for (let n = 0; n < 100; n++) await pictures.set(`short ${n}`, randomBytes(10_000), 30)
  await until(async () => (await redis.command('KEYS *result:short*')) === '*0\r\n')
  for (let n = 0; n < 200; n++) await pictures.set(`tiny ${n}`, Buffer.from('x'), HOUR_MS)
  assert.ok(pictures.status().bytes < 200_000, `${pictures.status().bytes}`)
  const lasting = async () =>
    Number(/:(\d+)/.exec(await redis.command('PTTL {menagerie:0}:results:used'))?.[1]) / HOUR_MS
  const afterAnHour = await lasting()
  assert.ok(afterAnHour > 1 && afterAnHour <= 25, 'the index outlives what it knows, and ends by itself')
  for (let n = 0; n < 50; n++) await pictures.set(`long ${n}`, Buffer.from('x'), 100 * HOUR_MS)
  for (let n = 0; n < 50; n++) await pictures.set(`soon over ${n}`, Buffer.from('x'), HOUR_MS)
  assert.ok((await lasting()) > 100, 'also when what came last is over before')
})

test('a picture that is too large is left out', needsRedis, async (t) => {
  const { pictures } = await open(t, (await startRedis(t)).url, { maxBytes: 16 * MiB })
  await pictures.set('large', Buffer.alloc(MiB / 4 + 1), HOUR_MS)
  await pictures.set('fits', Buffer.alloc(MiB / 4), HOUR_MS)
  assert.equal(await pictures.get('large'), undefined)
  assert.equal((await pictures.get('fits'))?.length, MiB / 4)
  assert.equal(pictures.status().skipped, 1)
})

test('a cluster holds pictures on every node', needsRedis, async (t) => {
  const { url, nodes } = await startCluster(t)
  const { pictures } = await open(t, url)
  for (let n = 0; n < 60; n++) await pictures.set(`picture ${n}`, Buffer.from(String(n)), HOUR_MS)
  for (let n = 0; n < 60; n++) assert.equal(String(await pictures.get(`picture ${n}`)), String(n))
  for (const node of nodes) assert.doesNotMatch(await node.command('KEYS *result:*'), /^\*0/)
})

for (const [how, away, back] of [
  ['killed', 'kill', 'start'],
  ['paused', 'hang', 'goOn'],
] as const) {
  test(
    `Redis ${how}: nobody waits for longer than the bound, nothing fails, and it comes back`,
    needsRedis,
    async (t) => {
      const redis = await startRedis(t)
      t.after(() => redis.goOn())
      const { pictures, log } = await open(t, redis.url, { timeoutMs: 100 })
      await redis[away]()
      const begun = performance.now()
      for (let n = 0; n < 50; n++) {
        assert.equal(await pictures.get('a'), undefined)
        await pictures.set('a', Buffer.from('a'), HOUR_MS)
      }
      assert.ok(performance.now() - begun < 2500, 'one of fifty waited, if any')
      assert.ok(pictures.status().isUnavailable)
      await redis[back]()
      await connected(pictures)
      await pictures.set('a', Buffer.from('a'), HOUR_MS)
      assert.equal(String(await pictures.get('a')), 'a')
      assert.ok(log.lines.length <= 4, 'a line a change')
    },
  )
}

test('Redis that is slow is done without, and one without memory still tells what it has', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const proxy = await startSlowProxy(t, redis.port)
  const { pictures } = await open(t, `redis://127.0.0.1:${proxy.port}`, { timeoutMs: 100 })
  await pictures.set('a', Buffer.from('a'), HOUR_MS)
  proxy.delayMs = 2000
  const begun = performance.now()
  assert.equal(await pictures.get('a'), undefined)
  assert.ok(performance.now() - begun < 1900)
  proxy.delayMs = 0
  await connected(pictures)
  await redis.command('CONFIG SET maxmemory 1')
  await pictures.set('b', Buffer.from('b'), HOUR_MS)
  assert.equal(await pictures.get('b'), undefined)
  assert.equal(String(await pictures.get('a')), 'a')
  assert.equal(pictures.status().isUnavailable, false)
})
