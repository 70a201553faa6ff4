import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSharedPictures } from '../../../src/platform/store/index.ts'
import { slotOf } from '../../../src/platform/store/redis/slot.ts'
import { createValueReaders } from '../../../src/platform/store/redis/value-readers.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { startCluster } from '../../kit/redis-cluster.ts'
import { startSentinels } from '../../kit/redis-sentinel.ts'
import { until } from '../../kit/until.ts'

const ORDINARY = Buffer.from('the ordinary way')

/** Readers of the first server, until they are told of another. */
function open(t: TestContext, first: TestRedis) {
  const told = { port: first.port, ordinary: 0 }
  const readers = createValueReaders({
    nodeOf: () => ({ host: '127.0.0.1', port: told.port }),
    greeting: [],
    otherwise: async () => {
      told.ordinary++
      return ORDINARY
    },
  })
  t.after(() => readers.destroy())
  const read = async (key: string) => String(await readers.readBytes(key, 1000))
  return { told, readers, read }
}

test('the first asks the ordinary way, later ones the reader, and what Redis refuses both', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.command('SET a 1')
  await redis.command('LPUSH list x')
  const { told, read } = open(t, redis)
  assert.equal(await read('a'), String(ORDINARY))
  await until(async () => (await read('a')) === '1')
  const before = told.ordinary
  assert.deepEqual(await Promise.all(['a', 'a', 'none'].map(read)), ['1', '1', ''])
  assert.equal(told.ordinary, before)
  assert.equal(await read('list'), String(ORDINARY), 'which knows what the error means')
})

test('a server that dies is asked the ordinary way, and read again when it is back', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.command('SET a 1')
  const { read } = open(t, redis)
  await until(async () => (await read('a')) === '1')
  await redis.kill()
  for (let n = 0; n < 3; n++) assert.equal(await read('a'), String(ORDINARY))
  await redis.start()
  await redis.command('SET a 2')
  await until(async () => (await read('a')) === '2', 10_000)
})

test('what waits while the connection is cut is asked the ordinary way', needsRedis, async (t) => {
  const redis = await startRedis(t)
  t.after(() => redis.goOn())
  await redis.command('SET a 1')
  const { readers, read } = open(t, redis)
  await until(async () => (await read('a')) === '1')
  redis.hang()
  const waiting = read('a')
  readers.destroy()
  assert.equal(await waiting, String(ORDINARY))
  assert.equal(await read('a'), String(ORDINARY), 'nothing is opened any more')
})

test('a key that moved is read where it is now', needsRedis, async (t) => {
  const [one, two] = [await startRedis(t), await startRedis(t)]
  await one.command('SET a 1')
  await two.command('SET a 2')
  const { told, read } = open(t, one)
  await until(async () => (await read('a')) === '1')
  told.port = two.port
  await until(async () => (await read('a')) === '2')
})

test('the slot of a key is what Redis says', needsRedis, async (t) => {
  const { nodes } = await startCluster(t)
  for (const key of ['a', 'ключ', '{menagerie:62}:picture:x', 'x{}y', '{a}{b}', 'x{a', 'y}{a}']) {
    assert.equal(`:${slotOf(key)}\r\n`, await nodes[0]?.command(`CLUSTER KEYSLOT "${key}"`), key)
  }
})

const readsOf = (redis: TestRedis) => redis.command('CLIENT LIST').then((list) => /cmd=getrange .*resp=2/.test(list))

for (const [what, start] of [
  [
    'one server',
    async (t: TestContext) => {
      const redis = await startRedis(t)
      return { url: `${redis.url}/2`, nodes: [redis] }
    },
  ],
  ['a cluster', startCluster],
  [
    'sentinels',
    async (t: TestContext) => {
      const { url, master } = await startSentinels(t)
      return { url, nodes: [master] }
    },
  ],
] as const) {
  test(`pictures are read by readers of their own: ${what}`, needsRedis, async (t) => {
    const { url, nodes } = await start(t)
    const pictures = openSharedPictures(url, {
      maxBytes: 64 * 2 ** 20,
      log: rememberingLog(),
      waitMs: 2000,
      retryMs: 50,
    })
    assert.ok(pictures)
    t.after(() => pictures.close())
    const bytes = Buffer.alloc(300_000, 'x')
    await until(async () => {
      await pictures.set('a', bytes, 60_000)
      return (await pictures.get('a'))?.equals(bytes) ?? false
    }, 10_000)
    await until(async () => {
      assert.ok((await pictures.get('a'))?.equals(bytes))
      return (await Promise.all(nodes.map(readsOf))).includes(true)
    }, 5000)
  })
}
