// Redis loses counts: it restarts with an older state, or evicts single keys.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { copyStore, openDownloadCounter, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

const HOUR = 3_600_000
const rows = [{ application: 'launcher', version: '1.0.0', day: '2026-11-17', count: 1 }]

/** Opens stores of one Redis, as several processes do. */
async function startStores(t: TestContext) {
  const redis = await startRedis(t)
  const open = async (clock = Date.now) => {
    const store = await openStore(redis.url, { dataDir: '', log: createTestLog(), clock, ...PATIENT })
    t.after(() => store.close())
    await until(async () => (await store.health()).ok)
    return store
  }
  return { redis, open }
}

describe('Redis loses counts', { ...needsRedis, concurrency: 2 }, () => {
  test('a Redis that lost only the last count, for example after a failover, is reported', async (t) => {
    const { redis, open } = await startStores(t)
    const service = await open()
    const add = (number: number) => service.downloads.add({ writer: 'a', number, rows })
    for (const number of [3, 4]) assert.ok(await add(number))
    assert.equal((await service.health()).incident, undefined)
    await redis.command('SAVE')
    assert.ok(await add(5))
    await redis.kill()
    await redis.start()
    await until(() => add(6).catch(() => false))
    assert.match((await service.health()).incident ?? '', /Redis lost data/)
  })

  test('a Redis that lost the first count of a process is reported, whether or not another one follows', async (t) => {
    for (const follows of [false, true]) {
      const { redis, open } = await startStores(t)
      const [service, operator] = [await open(), await open()]
      const add = (number: number) => service.downloads.add({ writer: 'a', number, rows })
      assert.ok(await add(3))
      await redis.command('DEL {menagerie}:downloads:writers')
      if (follows) assert.ok(await add(4))
      await until(async () => /Redis lost data/.test((await service.health()).incident ?? ''))
      assert.equal((await operator.health()).incident, undefined)
    }
  })

  test('counts that Redis lost after the processes had ended that counted them are reported', async (t) => {
    const { redis, open } = await startStores(t)
    const service = await open()
    const folder = await temporaryFolder(t)
    const options = { folder, log: createTestLog(), flushIntervalMs: 20, checkIntervalMs: 20 }
    /** As two workers. */
    const count = async () => {
      const counters = [0, 1].map(() => openDownloadCounter(service.downloads, options))
      for (const counter of await Promise.all(counters)) {
        await counter.count('launcher', '1.0.0')
        await until(() => counter.status().waiting === 0)
        await counter.close()
      }
    }
    const openNext = async () => {
      const counter = await openDownloadCounter(service.downloads, options)
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
    assert.equal((await service.downloads.summary(1)).total, 2)
  })

  test('counts that are gone because a backup was restored are not reported as lost', async (t) => {
    const { open } = await startStores(t)
    const [service, operator] = [await open(), await open()]
    const options = { folder: await temporaryFolder(t), log: createTestLog(), checkIntervalMs: 20 }
    const count = async () => {
      const counter = await openDownloadCounter(service.downloads, options)
      await counter.count('launcher', '1.0.0')
      await counter.close()
      return counter.status()
    }
    await count()
    const backup = await openStore('', { dataDir: await temporaryFolder(t), log: createTestLog(), ...PATIENT })
    t.after(() => backup.close())
    await copyStore(operator, backup)
    await count()
    await copyStore(backup, operator, { force: true })
    assert.equal((await count()).damage, undefined)
    assert.equal((await service.downloads.summary(1)).total, 2)
    assert.equal((await service.health()).incident, undefined)
  })

  const clocks = {
    'a node whose clock is a year ahead makes no batch count twice': 1,
    'a node whose clock is a year behind makes no batch count twice': -1,
  }
  for (const [title, years] of Object.entries(clocks))
    test(title, async (t) => {
      const { open } = await startStores(t)
      const stores = [await open(), await open(() => Date.now() + years * 8760 * HOUR)]
      for (const [index, { downloads }] of stores.entries())
        assert.ok(await downloads.add({ writer: `a${index}`, number: 1, rows }))
      for (const [index, { downloads }] of stores.entries())
        assert.ok(await downloads.add({ writer: `b${index}`, number: 1, rows }))
      for (const [index, { downloads }] of stores.entries())
        assert.equal(await downloads.add({ writer: `a${index}`, number: 1, rows }), false)
    })

  test('writers that have been silent for 90 days are deleted, and not reported as lost', async (t) => {
    const { redis, open } = await startStores(t)
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

  test('a Redis that evicted a part of the counts is reported, also if the process was restarted since', async (t) => {
    const { redis, open } = await startStores(t)
    for (const key of ['rows', 'versions', 'days'])
      for (const isRestarted of [false, true]) {
        const writer = `${key} ${isRestarted}`
        const store = await open()
        for (const number of [1, 2]) assert.ok(await store.downloads.add({ writer, number, rows }))
        assert.equal((await store.health()).incident, undefined)
        await redis.command(`DEL {menagerie}:downloads:${key}`)
        const { downloads, health } = isRestarted ? await open() : store
        assert.ok(await downloads.add({ writer: isRestarted ? `next ${writer}` : writer, number: 3, rows }))
        assert.match((await health()).incident ?? '', /Redis lost data/)
      }
  })
})
