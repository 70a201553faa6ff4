// Redis loses data: it is flushed, restarts empty, or evicts single keys.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createBans, createClients, createTokens } from '../../../src/features/access/index.ts'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { copyStore, openDownloadCounter, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until, untilEqual } from '../../kit/until.ts'

const HOUR = 3_600_000
const keyRequest = { name: 'An app', contact: 'a@example.org', reason: 'to show animals' }

/** Two processes that use one Redis: a service, and the commands of its operator. */
async function openTwo(t: TestContext) {
  const redis = await startRedis(t)
  const open = async () => {
    const store = await openStore(redis.url, { dataDir: '', log: createTestLog() })
    t.after(() => store.close())
    await until(async () => (await store.health()).ok)
    const bans = createBans(store.bans, store.strikes, { exempt: [], log: createTestLog() })
    t.after(() => bans.close())
    return { store, bans, tokens: createTokens(store.tokens), clients: createClients(store.clients) }
  }
  return { redis, service: await open(), operator: await open() }
}

describe('Redis loses data', { ...needsRedis, concurrency: 2 }, () => {
  test('after Redis lost everything, old tokens are invalid and new tokens work', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    const leaked = await operator.tokens.create('leaked', ['read'], null)
    await until(async () => (await service.tokens.verify(leaked.secret)) !== undefined)
    await redis.command('FLUSHALL')
    const fresh = await operator.tokens.create('fresh', ['read'], null)
    await until(async () => (await service.tokens.verify(fresh.secret)) !== undefined)
    assert.equal(await service.tokens.verify(leaked.secret), undefined)
  })

  test('a Redis that lost everything is reported, also if there is one node without published content', async (t) => {
    const { redis, service } = await openTwo(t)
    assert.equal((await service.store.health()).incident, undefined)
    await redis.command('FLUSHALL')
    await until(async () => /Redis lost data/.test((await service.store.health()).incident ?? ''))
  })

  test('a Redis that lost only the last count, for example after a failover, is reported', async (t) => {
    const { redis, service } = await openTwo(t)
    const row = { application: 'launcher', version: '1.0.0', day: '2026-11-17', count: 1 }
    const add = (number: number) => service.store.downloads.add({ writer: 'a', number, rows: [row] })
    for (const number of [3, 4]) assert.ok(await add(number))
    assert.equal((await service.store.health()).incident, undefined)
    await redis.command('SAVE')
    assert.ok(await add(5))
    await redis.kill()
    await redis.start()
    await until(() => add(6).catch(() => false))
    assert.match((await service.store.health()).incident ?? '', /Redis lost data/)
  })

  test('a Redis that lost the first count of a process is reported, whether or not another one follows', async (t) => {
    for (const follows of [false, true]) {
      const { redis, service, operator } = await openTwo(t)
      const row = { application: 'launcher', version: '1.0.0', day: '2026-11-17', count: 1 }
      const add = (number: number) => service.store.downloads.add({ writer: 'a', number, rows: [row] })
      assert.ok(await add(3))
      await redis.command('DEL {menagerie}:downloads:writers')
      if (follows) assert.ok(await add(4))
      await until(async () => /Redis lost data/.test((await service.store.health()).incident ?? ''))
      assert.equal((await operator.store.health()).incident, undefined)
    }
  })

  test('counts that Redis lost after the processes had ended that counted them are reported', async (t) => {
    const { redis, service } = await openTwo(t)
    const folder = await temporaryFolder(t)
    const options = { folder, log: createTestLog(), flushIntervalMs: 20, checkIntervalMs: 20 }
    /** As two workers. */
    const count = async () => {
      const counters = [0, 1].map(() => openDownloadCounter(service.store.downloads, options))
      for (const counter of await Promise.all(counters)) {
        await counter.count('launcher', '1.0.0')
        await until(() => counter.status().waiting === 0)
        await counter.close()
      }
    }
    const openNext = async () => {
      const counter = await openDownloadCounter(service.store.downloads, options)
      t.after(() => counter.close())
      return counter
    }
    await count()
    await redis.command('SAVE')
    const next = await openNext()
    await next.close()
    assert.equal(next.status().damage, undefined)
    await count()
    await redis.kill()
    await redis.start()
    const { status } = await openNext()
    await until(() => /the store lost counts/.test(status().damage ?? ''))
    assert.equal((await service.store.downloads.summary(1)).total, 2)
  })

  test('counts that are gone because a backup was restored are not reported as lost', async (t) => {
    const { service, operator } = await openTwo(t)
    const options = { folder: await temporaryFolder(t), log: createTestLog(), checkIntervalMs: 20 }
    const count = async () => {
      const counter = await openDownloadCounter(service.store.downloads, options)
      await counter.count('launcher', '1.0.0')
      await counter.close()
      return counter.status()
    }
    await count()
    const backup = await openStore('', { dataDir: await temporaryFolder(t), log: createTestLog() })
    t.after(() => backup.close())
    await copyStore(operator.store, backup)
    await count()
    await copyStore(backup, operator.store, { force: true })
    assert.equal((await count()).damage, undefined)
    assert.equal((await service.store.downloads.summary(1)).total, 2)
    assert.equal((await service.store.health()).incident, undefined)
  })

  test('a Redis that lost data while no node ran is reported at the next start', async (t) => {
    const redis = await startRedis(t)
    const dataDir = await temporaryFolder(t)
    const open = async (url: string) => {
      const store = await openStore(url, { dataDir, log: createTestLog(), savesProbe: true })
      t.after(() => store.close())
      await until(async () => (await store.health()).ok)
      return { isLossReported: async () => /Redis lost data/.test((await store.health()).incident ?? ''), ...store }
    }
    const url = redis.url.replace('//', '//:secret@')
    await redis.command('CONFIG SET requirepass secret')
    const first = await open(url)
    await until(async () =>
      /^\d+ redis:\/\/127/.test(await readFile(join(dataDir, 'redis-probe'), 'utf8').catch(() => '')),
    )
    await first.close()
    // As after half an hour.
    await redis.command('AUTH secret\r\nINCRBY {menagerie}:probes 1000')
    const second = await open(url)
    await until(async () => /^1\d{3} /.test(await readFile(join(dataDir, 'redis-probe'), 'utf8')))
    assert.equal(await second.isLossReported(), false)
    await second.close()
    await redis.command('AUTH secret\r\nFLUSHALL')
    const third = await open(url)
    assert.equal(await third.isLossReported(), true)
    // Another worker of the same node, which starts after the next probe of this one.
    const { latencyMs } = await third.health()
    await until(async () => (await third.health()).latencyMs !== latencyMs)
    assert.equal(await (await open(url)).isLossReported(), true)
  })

  test('a probe that another worker saves while the first one of this worker is under way is no loss', async (t) => {
    const dataDir = await temporaryFolder(t)
    const proxy = await startSlowProxy(t, (await startRedis(t)).port)
    const url = `redis://127.0.0.1:${proxy.port}`
    const store = await openStore(url, { dataDir, log: createTestLog(), savesProbe: true })
    t.after(() => store.close())
    await until(() => succeeds(store.markers.get('connected')))
    proxy.rewrite = (reply) => {
      writeFileSync(join(dataDir, 'redis-probe'), `1000 ${url}`)
      return reply
    }
    assert.deepEqual([(await store.health()).ok, (await store.health()).incident], [true, undefined])
  })

  test('a token or key that Redis has evicted becomes invalid on all nodes', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    const { secret } = await operator.tokens.create('a', ['read'], null)
    const { id } = await operator.clients.submitRequest(keyRequest)
    const { key } = await operator.clients.grant(id)
    await until(async () => (await service.tokens.verify(secret)) !== undefined)
    await service.clients.authenticate(key, '/')
    await redis.command('DEL {menagerie}:tokens {menagerie}:clients')
    await until(async () => (await service.tokens.verify(secret)) === undefined)
    await until(() =>
      service.clients.authenticate(key, '/').then(
        () => false,
        (error) => error.code === 'CLIENT_KEY_INVALID',
      ),
    )
  })

  test('bans that Redis lost are written again by a node that knows them', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    await operator.bans.add('192.0.2.2', { reason: 'a test', by: 'operator', ms: HOUR })
    await until(() => service.bans.find('192.0.2.2') !== undefined)
    operator.bans.close()
    await redis.command('FLUSHALL')
    const addresses = async () => (await operator.bans.list()).map(({ address }) => address).sort()
    await untilEqual(addresses, ['192.0.2.1', '192.0.2.2'])
    assert.ok(service.bans.find('192.0.2.1'))
  })

  test('bans that Redis lost are written again, also if another client was banned meanwhile', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    await service.bans.refresh()
    operator.bans.close()
    await redis.kill()
    await assert.rejects(service.bans.add('192.0.2.2', { reason: 'a test', by: 'automatic', ms: HOUR }))
    await redis.start()
    const addresses = async () => {
      const bans = await operator.bans.list().catch(() => [])
      return bans.map(({ address }) => address).sort()
    }
    await untilEqual(addresses, ['192.0.2.1', '192.0.2.2'])
  })

  test('bans that Redis lost are written again, also if another client is banned at that moment', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    await service.bans.refresh()
    operator.bans.close()
    await redis.command('FLUSHALL')
    await service.bans.add('192.0.2.2', { reason: 'a test', by: 'automatic', ms: HOUR })
    await service.bans.refresh()
    await redis.command('FLUSHALL')
    await service.bans.lift('192.0.2.2')
    const addresses = async () => (await operator.bans.list()).map(({ address }) => address)
    await untilEqual(addresses, ['192.0.2.1'])
  })

  test('bans that Redis lost are written again, also if a command adds one at that moment', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    for (const { bans } of [service, operator]) bans.close()
    const ban = { reason: 'a test', by: 'operator', ms: HOUR }
    await service.bans.add('192.0.2.1', ban)
    await operator.bans.add('192.0.2.2', ban)
    await operator.bans.lift('192.0.2.2')
    await service.bans.refresh()
    await redis.command('FLUSHALL')
    await operator.store.bans.put([{ address: '192.0.2.3', ...ban, at: Date.now(), until: Date.now() + HOUR }])
    await service.bans.refresh()
    const addresses = async () => (await operator.bans.list()).map(({ address }) => address).sort()
    assert.deepEqual(await addresses(), ['192.0.2.1', '192.0.2.3'])
    await operator.store.bans.lift('192.0.2.3')
    await service.bans.refresh()
    assert.deepEqual(await addresses(), ['192.0.2.1'])
    assert.equal(service.bans.find('192.0.2.3'), undefined)
  })

  const revocations = {
    'what a node revoked stays revoked when Redis is restored from an older snapshot': 'a node',
    'what a command revoked stays revoked when Redis is restored from an older snapshot': 'a command',
  }
  for (const [title, who] of Object.entries(revocations))
    test(title, async (t) => {
      const { redis, service, operator } = await openTwo(t)
      const revoking = who === 'a node' ? service : operator
      const [leaked, other] = [
        await operator.tokens.create('leaked', ['read'], null),
        await operator.tokens.create('other', ['read'], null),
      ]
      const { id } = await operator.clients.submitRequest(keyRequest)
      const { key } = await operator.clients.grant(id)
      await Promise.all([service.tokens.refresh(), service.clients.refresh()])
      await redis.command('SAVE')
      await revoking.tokens.revoke(leaked.token.id)
      await revoking.clients.revoke(id)
      // A node does not need others to know what it revoked itself.
      if (who === 'a node') await revoking.tokens.revoke(other.token.id)
      else
        await until(
          async () =>
            (await service.tokens.verify(leaked.secret)) === undefined &&
            (await service.clients.authenticate(key, '/').catch(() => undefined)) === undefined,
        )
      await redis.kill()
      await redis.start()
      const listRevoked = async () => {
        await Promise.all([service.tokens.refresh(), service.clients.refresh()])
        const [tokens, clients] = await Promise.all([operator.tokens.list(), operator.clients.list()])
        return [...tokens.map((token) => token.id), ...clients.map(({ state }) => state)]
      }
      const left = who === 'a node' ? [] : [other.token.id]
      await untilEqual(() => listRevoked().catch(() => []), [...left, 'revoked'])
      assert.equal(await service.tokens.verify(leaked.secret), undefined)
      await assert.rejects(service.clients.authenticate(key, '/'), { code: 'CLIENT_KEY_INVALID' })
    })

  test('tokens and keys that Redis lost work again when Redis is restored from a snapshot', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    const { secret } = await operator.tokens.create('a', ['read'], null)
    const { id } = await operator.clients.submitRequest(keyRequest)
    const { key } = await operator.clients.grant(id)
    await Promise.all([service.tokens.verify(secret), service.clients.authenticate(key, '/')])
    await redis.command('SAVE')
    await redis.command('FLUSHALL')
    const fresh = await operator.tokens.create('fresh', ['read'], null)
    await operator.clients.submitRequest(keyRequest)
    await until(async () => (await service.tokens.verify(fresh.secret)) !== undefined)
    const readKeyError = () =>
      service.clients.authenticate(key, '/').then(
        () => undefined,
        ({ code }) => code,
      )
    await until(async () => (await readKeyError()) === 'CLIENT_KEY_INVALID')
    await redis.kill()
    await redis.start()
    await until(async () => (await service.tokens.verify(secret).catch(() => undefined)) !== undefined)
    await until(async () => (await service.clients.authenticate(key, '/').catch(() => undefined)) !== undefined)
  })

  test('a ban that was lifted stays lifted when Redis is restored from an older snapshot', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    for (const address of ['192.0.2.1', '192.0.2.2'])
      await operator.bans.add(address, { reason: 'a test', by: 'operator', ms: HOUR })
    await until(() => service.bans.find('192.0.2.1') !== undefined)
    await redis.command('SAVE')
    await operator.bans.lift('192.0.2.1')
    await operator.bans.add('192.0.2.3', { reason: 'a test', by: 'operator', ms: HOUR })
    await until(() => service.bans.find('192.0.2.3') !== undefined)
    operator.bans.close()
    await redis.kill()
    await redis.start()
    const addresses = async () => {
      const bans = await operator.bans.list().catch(() => [])
      return bans.map(({ address }) => address).sort()
    }
    await untilEqual(addresses, ['192.0.2.2', '192.0.2.3'])
    assert.equal(service.bans.find('192.0.2.1'), undefined)
  })

  test('a ban that Redis has evicted can still be lifted on the nodes that know it', async (t) => {
    const { redis, service, operator } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    await service.bans.refresh()
    await redis.command('DEL {menagerie}:bans')
    await operator.bans.lift('192.0.2.1')
    await until(() => service.bans.find('192.0.2.1') === undefined)
  })

  const rows = [{ application: 'launcher', version: '1.0.0', day: '2026-11-17', count: 1 }]

  async function openWithClocks(t: TestContext) {
    const redis = await startRedis(t)
    const open = async (clock = Date.now) => {
      const store = await openStore(redis.url, { dataDir: '', log: createTestLog(), clock })
      t.after(() => store.close())
      await until(async () => (await store.health()).ok)
      return store
    }
    return { redis, open }
  }

  for (const direction of ['ahead', 'behind'])
    test(`a node whose clock is a year ${direction} makes no batch count twice`, async (t) => {
      const { open } = await openWithClocks(t)
      const years = direction === 'ahead' ? 1 : -1
      const stores = [await open(), await open(() => Date.now() + years * 8760 * HOUR)]
      for (const [index, { downloads }] of stores.entries())
        assert.ok(await downloads.add({ writer: `a${index}`, number: 1, rows }))
      for (const [index, { downloads }] of stores.entries())
        assert.ok(await downloads.add({ writer: `b${index}`, number: 1, rows }))
      for (const [index, { downloads }] of stores.entries())
        assert.equal(await downloads.add({ writer: `a${index}`, number: 1, rows }), false)
    })

  test('writers that have been silent for 90 days are deleted, and not reported as lost', async (t) => {
    const { redis, open } = await openWithClocks(t)
    const clock = { now: Date.now() }
    const store = await open(() => clock.now)
    const options = { folder: await temporaryFolder(t), log: createTestLog(), checkIntervalMs: 20 }
    const openCounter = () => openDownloadCounter(store.downloads, options)
    const counter = await openCounter()
    for (let counts = 1; counts < 3; counts++) {
      await counter.count('launcher', '1.0.0')
      await until(() => counter.status().waiting === 0)
    }
    await counter.close()
    await store.downloads.add({ writer: 'a', number: 1, rows })
    const unused = await openCounter()
    await unused.close()
    for (const { writer } of await store.downloads.writers())
      await redis.command(`ZADD {menagerie}:downloads:seen ${Date.now() - 91 * 24 * HOUR} ${writer}`)
    clock.now += HOUR
    await store.downloads.add({ writer: 'new', number: 1, rows })
    assert.deepEqual(await store.downloads.writers(), [{ writer: 'new', number: 1 }])
    const last = await openCounter()
    await last.close()
    assert.equal(last.status().damage, undefined)
    clock.now += 91 * 24 * HOUR
    await store.downloads.add({ writer: 'new', number: 2, rows })
    await redis.command('HDEL {menagerie}:downloads:writers new')
    clock.now += 91 * 24 * HOUR
    await store.downloads.add({ writer: 'new', number: 3, rows })
    assert.equal((await store.health()).incident, undefined)
  })

  test('a Redis that evicted a part of the counts is reported', async (t) => {
    const { redis, open } = await openWithClocks(t)
    for (const key of ['rows', 'versions', 'days']) {
      const { downloads, health } = await open()
      for (const number of [1, 2]) assert.ok(await downloads.add({ writer: key, number, rows }))
      assert.equal((await health()).incident, undefined)
      await redis.command(`DEL {menagerie}:downloads:${key}`)
      assert.ok(await downloads.add({ writer: key, number: 3, rows }))
      assert.match((await health()).incident ?? '', /Redis lost data/)
    }
  })

  test('a node whose clock is a year ahead deletes no ban of the others', async (t) => {
    const { redis, service } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    const store = await openStore(redis.url, {
      dataDir: '',
      log: createTestLog(),
      clock: () => Date.now() + 8760 * HOUR,
    })
    t.after(() => store.close())
    await until(async () => (await store.health()).ok)
    await store.strikes.add('tokens:192.0.2.9', 1, Date.now() + 9000 * HOUR)
    await store.bans.put([
      { address: '192.0.2.2', reason: '', by: 'automatic', at: 0, until: Date.now() + 9000 * HOUR },
    ])
    const addresses = (await service.bans.list()).map(({ address }) => address)
    assert.deepEqual(addresses.sort(), ['192.0.2.1', '192.0.2.2'])
  })
})
