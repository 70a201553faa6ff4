import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { openSharedResultCache } from '../../../src/platform/store/index.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { forSuite } from '../../kit/scope.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until, within } from '../../kit/until.ts'
import { startCluster } from './redis-cluster.ts'
import { startSentinels } from './redis-sentinel.ts'

const MiB = 1024 * 1024
const HOUR_MS = 3_600_000

/** The timeout is long, because the machine may stop for seconds; the tests of the timeout itself set their own. */
async function open(t: TestContext, url: string, { maxBytes = 64 * MiB, timeoutMs = 20_000 } = {}) {
  const log = createTestLog()
  const cache = await openSharedResultCache(url, '', { maxBytes, log, timeoutMs, retryMs: 50 })
  assert.ok(cache)
  t.after(() => cache.close())
  // The first read waits for the connection.
  await cache.get('nothing')
  await until(() => !cache.status().isUnavailable, 10_000)
  return { cache, log }
}

const findKey = async (redis: TestRedis, name: string) =>
  new RegExp(`\\{menagerie:\\d+\\}:result:${name}`).exec(await redis.command(`KEYS *result:${name}`))?.[0]

const readUsedMemory = async (redis: TestRedis) =>
  Number(/used_memory:(\d+)/.exec(await redis.command('INFO memory'))?.[1])

describe('the shared result cache', needsRedis, () => {
  const server = forSuite(startRedis)

  async function openEmpty(t: TestContext, options?: Parameters<typeof open>[2]) {
    const redis = server()
    await redis.command('FLUSHALL')
    return { redis, ...(await open(t, redis.url, options)) }
  }

  test('a result of one node is available on another, byte for byte, until it expires', async (t) => {
    const { redis, cache: first } = await openEmpty(t)
    const { cache: second } = await open(t, redis.url)
    const bytes = randomBytes(300_000)
    await first.set('a', bytes, HOUR_MS)
    await first.set('short', bytes, 40)
    assert.deepEqual(await second.get('a'), bytes)
    await until(async () => (await second.get('short')) === undefined)
    assert.equal(first.status().stored, 2)
    assert.ok(second.status().hits >= 1 && second.status().invalid === 0)
    await first.set('a', Buffer.from('other'), HOUR_MS)
    assert.equal(String(await second.get('a')), 'other')
  })

  test('truncated, changed and swapped values are ignored', async (t) => {
    const { redis, cache } = await openEmpty(t)
    const names = ['truncated', 'changed', 'swapped', 'list']
    for (const name of names) await cache.set(name, randomBytes(5000), HOUR_MS)
    const keys: Record<string, string | undefined> = {}
    for (const name of names) keys[name] = await findKey(redis, name)
    const truncate = `"redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[1]), 1, 3000))"`
    await redis.command(`EVAL ${truncate} 1 ${keys.truncated}`)
    await redis.command(`SETRANGE ${keys.changed} 2000 garbage`)
    await redis.command(`COPY ${keys.truncated} ${keys.swapped} REPLACE`)
    await redis.command(`DEL ${keys.list}`)
    await redis.command(`LPUSH ${keys.list} x`)
    for (const name of names) assert.equal(await cache.get(name), undefined, name)
    assert.deepEqual([cache.status().invalid, cache.status().isUnavailable], [4, false])
    await cache.set('list', Buffer.from('again'), HOUR_MS)
    assert.equal(String(await cache.get('list')), 'again')
  })

  test('the size limit is never exceeded: the least recently used results are evicted', async (t) => {
    const maxBytes = 16 * MiB
    const { redis, cache } = await openEmpty(t, { maxBytes })
    const before = await readUsedMemory(redis)
    await cache.set('favourite', randomBytes(50_000), HOUR_MS)
    for (let n = 0; n < 600; n++) {
      await cache.set(`result ${n}`, randomBytes(50_000), HOUR_MS)
      assert.ok(await cache.get('favourite'), `used all the time, but evicted after ${n}`)
    }
    const { bytes } = cache.status()
    assert.ok(bytes > maxBytes / 2 && bytes <= maxBytes, `${bytes}`)
    assert.equal(await cache.get('result 0'), undefined)
    assert.ok(await cache.get('result 599'))
    const used = (await readUsedMemory(redis)) - before
    assert.ok(used < maxBytes * 1.3, `${used} bytes of Redis for ${maxBytes}`)
  })

  test('tiny results with long names do not exceed it either', async (t) => {
    const maxBytes = 4 * MiB
    const { redis, cache } = await openEmpty(t, { maxBytes })
    const before = await readUsedMemory(redis)
    const name = `result:${'0'.repeat(105)}/blur:5+greyscale/webp//`
    for (let n = 0; n < 10_000; n += 200)
      await Promise.all(Array.from({ length: 200 }, (_, i) => cache.set(`${name}${n + i}`, randomBytes(60), HOUR_MS)))
    const used = (await readUsedMemory(redis)) - before
    assert.ok(used < maxBytes * 1.3, `${used} bytes of Redis for ${maxBytes}`)
  })

  test('expired results leave the index first, and the index itself expires', async (t) => {
    const { redis, cache } = await openEmpty(t, { maxBytes: 16 * MiB })
    for (let n = 0; n < 100; n++) await cache.set(`short ${n}`, randomBytes(10_000), 30)
    await until(async () => (await redis.command('KEYS *result:short*')) === '*0\r\n')
    for (let n = 0; n < 200; n++) await cache.set(`tiny ${n}`, Buffer.from('x'), HOUR_MS)
    assert.ok(cache.status().bytes < 200_000, `${cache.status().bytes}`)
    const readIndexHours = async () =>
      Number(/:(\d+)/.exec(await redis.command('PTTL {menagerie:0}:results:used'))?.[1]) / HOUR_MS
    const hours = await readIndexHours()
    assert.ok(hours > 1 && hours <= 25, 'the index outlives its results by a day')
    for (let n = 0; n < 50; n++) await cache.set(`long ${n}`, Buffer.from('x'), 100 * HOUR_MS)
    for (let n = 0; n < 50; n++) await cache.set(`short again ${n}`, Buffer.from('x'), HOUR_MS)
    assert.ok((await readIndexHours()) > 100, 'a short result does not shorten the life of the index')
  })

  test('a result that is too large is skipped', async (t) => {
    const { cache } = await openEmpty(t, { maxBytes: 16 * MiB })
    await cache.set('large', Buffer.alloc(MiB / 4 + 1), HOUR_MS)
    await cache.set('fits', Buffer.alloc(MiB / 4), HOUR_MS)
    assert.equal(await cache.get('large'), undefined)
    assert.equal((await cache.get('fits'))?.length, MiB / 4)
    assert.equal(cache.status().skipped, 1)
  })
})

describe('the shared result cache with other deployments and faults', { ...needsRedis, concurrency: 3 }, () => {
  test('a cluster stores results on every node', async (t) => {
    const { url, nodes } = await startCluster(t)
    const { cache } = await open(t, url)
    for (let n = 0; n < 60; n++) await cache.set(`result ${n}`, Buffer.from(String(n)), HOUR_MS)
    for (let n = 0; n < 60; n++) assert.equal(String(await cache.get(`result ${n}`)), String(n))
    for (const node of nodes) assert.doesNotMatch(await node.command('KEYS *result:*'), /^\*0/)
  })

  test('large results are stored at a master that sentinels know', async (t) => {
    const { cache } = await open(t, (await startSentinels(t)).url)
    const bytes = randomBytes(300_000)
    await cache.set('a', bytes, HOUR_MS)
    assert.deepEqual(await cache.get('a'), bytes)
  })

  for (const [state, stop, restart] of [
    ['killed', 'kill', 'start'],
    ['paused', 'pause', 'resume'],
  ] as const) {
    test(`Redis is ${state}: no call fails or exceeds the timeout, and the cache recovers`, async (t) => {
      const redis = await startRedis(t)
      t.after(() => redis.resume())
      const { cache, log } = await open(t, redis.url, { timeoutMs: 400 })
      await redis[stop]()
      // At most one of fifty calls waits.
      await within(2500, async () => {
        for (let n = 0; n < 50; n++) {
          assert.equal(await cache.get('a'), undefined)
          await cache.set('a', Buffer.from('a'), HOUR_MS)
        }
      })
      assert.ok(cache.status().isUnavailable)
      await redis[restart]()
      await until(async () => {
        await cache.set('a', Buffer.from('a'), HOUR_MS)
        return String(await cache.get('a')) === 'a'
      })
      assert.ok(log.lines.length <= 4, 'logs one line per change')
    })
  }

  test('a slow Redis is not waited for, and a full Redis still returns its results', async (t) => {
    const redis = await startRedis(t)
    const proxy = await startSlowProxy(t, redis.port)
    const { cache } = await open(t, `redis://127.0.0.1:${proxy.port}`, { timeoutMs: 400 })
    await cache.set('a', Buffer.from('a'), HOUR_MS)
    proxy.delayMs = 2000
    assert.equal(await within(1900, () => cache.get('a')), undefined)
    proxy.delayMs = 0
    await until(() => !cache.status().isUnavailable, 10_000)
    await redis.command('CONFIG SET maxmemory 1')
    await cache.set('b', Buffer.from('b'), HOUR_MS)
    assert.equal(await cache.get('b'), undefined)
    await until(async () => String(await cache.get('a')) === 'a')
    assert.equal(cache.status().isUnavailable, false)
  })
})
