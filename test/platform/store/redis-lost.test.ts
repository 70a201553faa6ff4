// Redis loses tokens, bans or everything: it is flushed, restarts with an older state, or evicts single keys.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createBans, createClients, createTokens } from '../../../src/features/access/index.ts'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { PATIENT } from '../../kit/store.ts'
import { until, untilEqual } from '../../kit/until.ts'

const HOUR = 3_600_000
const keyRequest = { name: 'An app', contact: 'a@example.org', reason: 'to show animals' }

/** Two processes that use one Redis: a service, and the commands of its operator. */
async function openTwo(t: TestContext) {
  const redis = await startRedis(t)
  const open = async () => {
    const store = await openStore(redis.url, { dataDir: '', log: createTestLog(), ...PATIENT })
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

  test('a node whose clock is a year ahead deletes no ban of the others', async (t) => {
    const { redis, service } = await openTwo(t)
    await service.bans.add('192.0.2.1', { reason: 'a test', by: 'automatic', ms: HOUR })
    const store = await openStore(redis.url, {
      dataDir: '',
      log: createTestLog(),
      clock: () => Date.now() + 8760 * HOUR,
      ...PATIENT,
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
