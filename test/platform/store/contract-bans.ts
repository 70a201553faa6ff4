import assert from 'node:assert/strict'
import { HyperLogLog } from '../../../src/platform/store/hyper-log-log.ts'
import {
  type Ban,
  copyStore,
  isUnfinishedCopy,
  MAX_USAGE_NAMES,
  openStore,
  type Store,
} from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { ban, client, createStoreTest, HOUR_MS, NOW, type OpenStore, token } from './contract.ts'
import { createSketch } from './contract-adoption.ts'

export function testBansContract(driver: string, open: OpenStore) {
  const testStore = createStoreTest(driver, open)

  testStore('a ban expires, can be replaced and can be lifted', async ({ bans }, clock) => {
    await bans.put([ban('192.0.2.1'), ban('2001:db8::/64', { until: NOW + 3 * HOUR_MS })])
    assert.deepEqual(await bans.list(), [ban('192.0.2.1'), ban('2001:db8::/64', { until: NOW + 3 * HOUR_MS })])
    await bans.put([ban('192.0.2.1', { reason: 'again', until: NOW + 2 * HOUR_MS })])
    clock.now += HOUR_MS
    assert.equal((await bans.list()).length, 2)
    clock.now += HOUR_MS
    assert.deepEqual(await bans.list(), [ban('2001:db8::/64', { until: NOW + 3 * HOUR_MS })])
    assert.equal(await bans.lift('192.0.2.1'), false)
    assert.equal(await bans.lift('2001:db8::/64'), true)
    assert.equal(await bans.lift('2001:db8::/64'), false)
    assert.deepEqual(await bans.list(), [])
  })

  testStore(
    'a ban that ended by clocks that were 90 days ahead is valid again when they are set back',
    async (store, clock) => {
      const listAddresses = async () => (await store.bans.list()).map(({ address }) => address)
      await store.bans.put([ban('192.0.2.1')])
      clock.now += 90 * 24 * HOUR_MS
      await store.bans.put([ban('192.0.2.2', { until: clock.now + HOUR_MS })])
      assert.deepEqual(await listAddresses(), ['192.0.2.2'])
      clock.now = NOW
      assert.deepEqual(await listAddresses(), ['192.0.2.1', '192.0.2.2'])
    },
  )

  testStore('another node reads every new ban and every lift exactly once', async ({ bans }, clock, t) => {
    const other = (await open(t, () => clock.now)).bans
    const start = await other.changes(0)
    assert.deepEqual({ ...start, revision: 0 }, { revision: 0, complete: true, put: [], lifted: [] })

    await bans.put([ban('192.0.2.1'), ban('192.0.2.2')])
    const first = await other.changes(start.revision)
    assert.deepEqual(first.put.map(({ address }) => address).sort(), ['192.0.2.1', '192.0.2.2'])

    await bans.lift('192.0.2.1')
    const second = await other.changes(first.revision)
    assert.deepEqual(second, { revision: second.revision, complete: false, put: [], lifted: ['192.0.2.1'] })
    const third = await other.changes(second.revision)
    assert.deepEqual(third, { revision: second.revision, complete: false, put: [], lifted: [] })

    await bans.put([ban('192.0.2.1', { reason: 'again' })])
    assert.deepEqual((await other.changes(second.revision)).put, [ban('192.0.2.1', { reason: 'again' })])
  })

  testStore('a node with a revision that is too old or unknown reads the complete list', async ({ bans }, clock) => {
    await bans.put([ban('192.0.2.1'), ban('192.0.2.2', { until: NOW + 90 * HOUR_MS })])
    const { revision } = await bans.changes(0)
    await bans.lift('192.0.2.1')
    clock.now += 2 * HOUR_MS
    await bans.put([ban('192.0.2.3', { until: NOW + 90 * HOUR_MS })])
    const changes = await bans.changes(revision)
    assert.equal(changes.complete, true)
    assert.deepEqual(changes.put.map(({ address }) => address).sort(), ['192.0.2.2', '192.0.2.3'])
    assert.equal((await bans.changes(changes.revision + 10)).complete, true)
    assert.equal((await bans.changes(changes.revision)).complete, false)
  })

  testStore('strikes add up until they expire', async ({ strikes }, clock) => {
    assert.equal(await strikes.add('192.0.2.1', 2, NOW + HOUR_MS), 2)
    assert.equal(await strikes.add('192.0.2.1', 3, NOW + 2 * HOUR_MS), 5)
    assert.equal(await strikes.add('192.0.2.2', 1, NOW + HOUR_MS, HOUR_MS), 1)
    assert.equal(await strikes.add('192.0.2.2', 1, NOW + HOUR_MS - 5, HOUR_MS), 1, 'the same event')
    clock.now += HOUR_MS
    assert.deepEqual(await strikes.list(), [{ key: '192.0.2.1', score: 5, expiresAt: NOW + 2 * HOUR_MS }])
    clock.now += HOUR_MS
    assert.equal(await strikes.add('192.0.2.1', 1, NOW + 9 * HOUR_MS), 1)
    await strikes.clear('192.0.2.1')
    assert.deepEqual(await strikes.list(), [])
  })

  testStore('simultaneous strikes are all counted', async ({ strikes }) => {
    const scores = await Promise.all(Array.from({ length: 50 }, () => strikes.add('a', 1, NOW + HOUR_MS)))
    assert.equal(Math.max(...scores), 50)
  })

  testStore('clearing the store deletes everything, and other nodes notice', async (store) => {
    await fillStore(store)
    await store.markers.set('a', '1')
    const { revision } = await store.bans.changes(0)
    const before = await store.tokens.revision()
    await store.clear()
    for (const part of [store.clients, store.tokens, store.bans, store.strikes]) assert.deepEqual(await part.list(), [])
    assert.deepEqual(await store.downloads.rows(), [])
    assert.deepEqual(await store.adoption.days(''), [])
    assert.deepEqual([await store.usage.days(), await store.usage.rows('2025-12-01')], [[], []])
    assert.equal(await store.markers.get('a'), undefined)
    const changes = { ...(await store.bans.changes(revision)), revision: 0 }
    assert.deepEqual(changes, { revision: 0, complete: true, put: [], lifted: [] })
    assert.ok((await store.tokens.revision()) > before)
  })

  testStore('copying a store onto itself is refused and changes nothing', async (store, clock, t) => {
    await store.strikes.add('192.0.2.9', 4, NOW + HOUR_MS)
    await assert.rejects(copyStore(store, await open(t, () => clock.now), { force: true }), /both are the same store/)
    assert.deepEqual(await store.strikes.list(), [{ key: '192.0.2.9', score: 4, expiresAt: NOW + HOUR_MS }])
  })

  testStore(
    'a target that was emptied is an unfinished copy, also if the copy ends at that moment',
    async (store, clock, t) => {
      await store.strikes.add('192.0.2.9', 4, NOW + HOUR_MS)
      const source = await openStore('', {
        ...PATIENT,
        dataDir: await temporaryFolder(t),
        log: createTestLog(),
        clock: () => clock.now,
      })
      t.after(() => source.close())
      const clear: Store['clear'] = async (markers) => {
        await store.clear(markers)
        throw new Error('killed')
      }
      await assert.rejects(copyStore(source, { ...store, clear }, { force: true }), /killed/)
      assert.deepEqual(await store.strikes.list(), [])
      assert.ok(await isUnfinishedCopy(store))
      await copyStore(source, store)
      assert.equal(await isUnfinishedCopy(store), false)
    },
  )

  testStore('a copy is complete, although bans and strikes end meanwhile', async (store, clock, t) => {
    const dataDir = await temporaryFolder(t)
    const target = await openStore('', { dataDir, log: createTestLog(), ...PATIENT })
    t.after(() => target.close())
    clock.now = Date.now() - 2 * HOUR_MS
    await store.bans.put([ban('192.0.2.1', { until: clock.now + HOUR_MS })])
    await store.strikes.add('192.0.2.9', 4, clock.now + HOUR_MS)
    assert.equal((await copyStore(store, target)).bans, 0)
  })

  testStore('a target is not emptied if the source is unavailable', async (store) => {
    await store.strikes.add('192.0.2.9', 4, NOW + HOUR_MS)
    const unavailable = await openStore('redis://127.0.0.1:1', { dataDir: '', log: createTestLog() })
    await assert.rejects(copyStore(unavailable, store, { force: true }), { code: 'STORE_UNAVAILABLE' })
    await unavailable.close()
    assert.equal((await store.strikes.list()).length, 1)
  })
}

/** The contract tests open their stores with this limit for automatic bans and strikes. */
export const MAX_AUTOMATIC_RECORDS = 4000

const address = (index: number) => `2001:db8:${(index >> 16).toString(16)}:${(index & 65_535).toString(16)}::/64`

const createMany = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index))

export function testLimitsContract(driver: string, open: OpenStore) {
  const testStore = createStoreTest(driver, open)

  testStore(
    'above the limit of automatic bans the first to end are evicted, but no ban of an operator',
    async ({ bans }, _, t) => {
      const other = (await open(t, () => NOW)).bans
      const manual = ban('192.0.2.1', { by: 'operator', until: NOW + 1000 })
      const takenOver = ban(address(0), { by: 'operator', until: NOW + 2000 })
      const automatic = (index: number) => ban(address(index), { until: NOW + HOUR_MS + index })
      await bans.put(createMany(MAX_AUTOMATIC_RECORDS, automatic))
      await bans.put([manual, takenOver])
      const { revision, put } = await other.changes(0)
      assert.equal(put.length, MAX_AUTOMATIC_RECORDS + 1, 'a full store evicts nothing')

      await bans.put(createMany(300, (index) => automatic(MAX_AUTOMATIC_RECORDS + index)))
      const left = new Map((await bans.list()).map((one) => [one.address, one]))
      assert.ok(left.size <= MAX_AUTOMATIC_RECORDS + 2, `${left.size}`)
      assert.ok(left.size > MAX_AUTOMATIC_RECORDS * 0.8, `${left.size}`)
      assert.deepEqual([left.get(manual.address), left.get(takenOver.address)], [manual, takenOver])
      assert.ok(left.has(address(MAX_AUTOMATIC_RECORDS + 299)) && left.has(address(MAX_AUTOMATIC_RECORDS)))
      assert.ok(!left.has(address(1)) && !left.has(address(300)))

      const changes = await other.changes(revision)
      assert.equal(changes.complete, true, 'other nodes drop the evicted bans')
      const sortAddresses = (list: Iterable<Ban>) => [...list].map(({ address }) => address).sort()
      assert.deepEqual(sortAddresses(changes.put), sortAddresses(left.values()))
      assert.equal(await bans.lift(address(MAX_AUTOMATIC_RECORDS)), true)
      assert.equal(await bans.lift(address(1)), false)
    },
  )

  testStore('above the limit of strikes the first to expire are evicted', async ({ strikes }) => {
    const strike = (index: number) => ({ key: address(index), score: 3, expiresAt: NOW + HOUR_MS + index })
    await strikes.put(createMany(MAX_AUTOMATIC_RECORDS, strike))
    for (let index = 0; index < 20; index++) await strikes.add(`late-${index}`, 1, NOW + 99 * HOUR_MS)
    const left = new Map((await strikes.list()).map(({ key, score }) => [key, score]))
    assert.ok(left.size <= MAX_AUTOMATIC_RECORDS, `${left.size}`)
    assert.ok(left.size > MAX_AUTOMATIC_RECORDS * 0.8, `${left.size}`)
    assert.deepEqual([left.get('late-0'), left.get('late-19'), left.get(address(0))], [1, 1, undefined])
    assert.equal(await strikes.add(address(MAX_AUTOMATIC_RECORDS - 1), 1, NOW + HOUR_MS), 4)
    assert.equal(await strikes.add(address(0), 1, NOW + HOUR_MS), 1)
  })
}

async function fillStore({ downloads, adoption, usage, clients, tokens, bans, strikes }: Store) {
  const day = '2025-12-01'
  const rows = Array.from({ length: 2500 }, (_, index) => ({ application: 'a', version: `1.${index}`, day, count: 2 }))
  await downloads.add({ writer: 'w', number: 3, rows })
  const checks = { writer: 'w', versions: { '1.0.0': 7, other: 1 } }
  await adoption.add({ ...checks, number: 4, day: '2025-11-30' })
  await adoption.add({ ...checks, number: 5, day, sketch: createSketch(0, 3000) })
  const requests = { writer: 'w', rows: [{ dimension: 'kind', name: 'animals/cat', counts: [3, 2, 1, 0] }] } as const
  await usage.add({ ...requests, number: 6, day: '2025-11-30' })
  await usage.add({ ...requests, number: 7, day })
  // More names than a day may have: the last one is counted as `others`, which sorts before the rest.
  const sites = Array.from({ length: MAX_USAGE_NAMES }, (_, index) => `site-${index}.example`)
  const referrers = sites.map((name) => ({ dimension: 'referrer', name, counts: [1, 0, 0, 0] as const }))
  await usage.add({ writer: 'w', number: 8, day, rows: referrers })
  await clients.put([client('a'), client('b', { state: 'granted', keyHash: 'k', decidedAt: NOW })])
  await tokens.put([token('a')])
  await tokens.markUsed('a', NOW + 1)
  await bans.put([ban('192.0.2.1')])
  await strikes.add('192.0.2.9', 4, NOW + HOUR_MS)
}

/** Checks what `store copy` promises, between any two stores. */
export async function checkCopy(from: Store, to: Store) {
  await fillStore(from)
  const readEverything = async ({ downloads, adoption, usage, clients, tokens, bans, strikes }: Store) => ({
    rows: await downloads.rows(),
    usage: [await usage.days(), await usage.rows('2025-12-01')],
    adoption: [await adoption.days(''), new HyperLogLog().merge((await adoption.sketch('2025-12-01'))!).toBytes()],
    lists: [await clients.list(), await tokens.list(), await bans.list(), await strikes.list()],
    last: (await downloads.writers()).find(({ writer }) => writer === 'w'),
  })
  const copied = await copyStore(from, to)
  assert.deepEqual(copied, {
    downloadRows: 2500,
    downloadTotal: 5000,
    adoptionDays: 2,
    usageDays: 2,
    usageRows: 2 + MAX_USAGE_NAMES,
    writers: 1,
    clients: 2,
    tokens: 1,
    bans: 1,
    strikes: 1,
  })
  assert.deepEqual(await readEverything(to), await readEverything(from))
  await assert.rejects(
    copyStore(from, to),
    /already holds 5000 downloads, 2 adoption days, 2 usage days, 2 clients, 1 token, 1 ban, 1 strike/,
  )
  await copyStore(from, to, { force: true })
  assert.deepEqual(await readEverything(to), await readEverything(from))
}
