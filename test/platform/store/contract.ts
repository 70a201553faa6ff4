// What every store guarantees, whatever its driver. contract-bans.ts continues it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type Ban,
  type ClientRecord,
  type Clock,
  listLastDays,
  MAX_USAGE_DAYS,
  MAX_USAGE_NAMES,
  OTHER_USAGE,
  type Store,
} from '../../../src/platform/store/index.ts'

export const NOW = Date.UTC(2025, 11, 1, 12)
export const HOUR_MS = 3_600_000

/** Opens an empty store. A second call in the same test opens another connection to the same state. */
export type OpenStore = (t: TestContext, clock: Clock) => Promise<Store>

/** Defines a test that gets an empty store and its clock. */
export const createStoreTest =
  (driver: string, open: OpenStore) =>
  (title: string, work: (store: Store, clock: { now: number }, t: TestContext) => Promise<void>) =>
    test(`${driver}: ${title}`, async (t) => {
      const clock = { now: NOW }
      await work(await open(t, () => clock.now), clock, t)
    })

export const client = (id: string, more: Partial<ClientRecord> = {}): ClientRecord => ({
  id,
  name: `Client ${id}`,
  contact: 'someone@example.org',
  reason: 'a launcher, "with" {strange} characters: ü 🦊 \\ \n and a second line',
  state: 'pending',
  createdAt: NOW,
  decidedAt: null,
  keyHash: null,
  ...more,
})

export const token = (id: string) => ({
  id,
  label: `Token ${id}`,
  hash: `hash-${id}`,
  scopes: ['read', 'write'] as const,
  createdAt: NOW,
  expiresAt: null,
  lastUsedAt: null,
})

export const ban = (address: string, more: Partial<Ban> = {}): Ban => ({
  address,
  reason: 'traversal',
  by: 'automatic',
  at: NOW,
  until: NOW + HOUR_MS,
  ...more,
})

export function testStoreContract(driver: string, open: OpenStore) {
  const testStore = createStoreTest(driver, open)

  testStore('downloads add up by application, version and day', async ({ downloads }) => {
    const row = { application: 'launcher', version: '2.1.0', day: '2025-12-01', count: 2 }
    const rows = [row, { ...row, version: '2.0.0', day: '2025-11-30' }, { ...row, application: 'reshade', count: 5 }]
    await downloads.add({ writer: 'a', number: 1, rows })
    await downloads.add({ writer: 'b', number: 1, rows: [row] })
    assert.deepEqual(await downloads.rows(), [rows[1], { ...row, count: 4 }, rows[2]])
    const summary = await downloads.summary(3)
    assert.deepEqual(summary, {
      total: 11,
      applications: {
        launcher: { total: 6, versions: { '2.0.0': 2, '2.1.0': 4 } },
        reshade: { total: 5, versions: { '2.1.0': 5 } },
      },
      daily: [
        { date: '2025-11-29', count: 0 },
        { date: '2025-11-30', count: 2 },
        { date: '2025-12-01', count: 9 },
      ],
    })
  })

  testStore('a batch that is sent again is counted once', async ({ downloads }) => {
    const rows = [{ application: 'launcher', version: '1.0.0', day: '2025-12-01', count: 3 }]
    assert.deepEqual(await downloads.writers(), [])
    assert.equal(await downloads.add({ writer: 'a', number: 7, rows }), true)
    assert.equal(await downloads.add({ writer: 'a', number: 7, rows }), false)
    assert.equal(await downloads.add({ writer: 'a', number: 6, rows }), false)
    await Promise.all([1, 2, 3].map(() => downloads.add({ writer: 'a', number: 8, rows })))
    assert.equal((await downloads.summary(1)).total, 6)
    assert.deepEqual(await downloads.writers(), [{ writer: 'a', number: 8 }])
  })

  testStore('names with special characters stay separate', async ({ downloads }) => {
    const day = '2025-12-01'
    const names = ['a:b', 'a', '__proto__', 'constructor', 'ü 🦊', '"', '\\', "'; DROP TABLE downloads; --"]
    const rows = names.map((version, index) => ({ application: 'a', version, day, count: index + 1 }))
    await downloads.add({ writer: 'w', number: 1, rows })
    const { applications } = await downloads.summary(1)
    for (const { version, count } of rows) {
      assert.equal(Object.getOwnPropertyDescriptor(applications.a?.versions, version)?.value, count, version)
    }
  })

  testStore(
    'several nodes add to the same usage counts, and a batch that is sent again is counted once',
    async ({ usage }, clock, t) => {
      const other = await open(t, () => clock.now)
      const rows = [
        { dimension: 'kind', name: 'animals/cat', counts: [5, 1, 0, 0] },
        { dimension: 'referrer', name: '=1+1 "ü" \\', counts: [2, 0, 0, 0] },
      ] as const
      const batch = { writer: 'a', number: 1, day: '2025-12-01', rows }
      assert.deepEqual(await Promise.all([usage.add(batch), usage.add(batch)]), [true, false])
      await other.usage.add({ ...batch, writer: 'b', rows: [{ ...rows[0], counts: [1, 2, 3, 4] }] })
      await usage.add({ ...batch, number: 2, day: '2025-11-30', rows: [rows[1]] })
      assert.deepEqual(await usage.days(), ['2025-11-30', '2025-12-01'])
      assert.deepEqual(await other.usage.rows('2025-12-01'), [{ ...rows[0], counts: [6, 3, 3, 4] }, rows[1]])
      assert.deepEqual(await usage.rows('2025-11-30'), [rows[1]])
      assert.deepEqual(await usage.rows('2025-11-29'), [])
    },
  )

  testStore('the usage history has at most 400 days, and 200 names per day and dimension', async ({ usage }) => {
    const name = (n: number) => ({ dimension: 'referrer', name: `${n}.example`, counts: [1, 0, 0, 0] as const })
    const batch = { writer: 'a', day: '2025-12-01' }
    await usage.add({ ...batch, number: 1, rows: Array.from({ length: 150 }, (_, n) => name(n)) })
    const kind = { ...name(0), dimension: 'kind' }
    await usage.add({ ...batch, number: 2, rows: [...Array.from({ length: 150 }, (_, n) => name(n + 100)), kind] })
    const [first, ...rows] = await usage.rows('2025-12-01')
    assert.deepEqual(first, kind)
    assert.equal(rows.length, MAX_USAGE_NAMES)
    const countOf = (wanted: string) => rows.find((row) => row.name === wanted)?.counts[0]
    assert.deepEqual([countOf('0.example'), countOf('149.example'), countOf(OTHER_USAGE)], [1, 2, 51])
    const days = listLastDays(NOW - 24 * HOUR_MS, MAX_USAGE_DAYS + 2)
    for (const [n, day] of days.entries()) await usage.add({ ...batch, number: n + 3, day, rows: [name(0)] })
    assert.deepEqual(await usage.days(), [...days.slice(3), '2025-12-01'])
    assert.deepEqual(await usage.rows(days[0]!), [])
  })

  testStore('client requests are listed by age, and the number of pending requests is limited', async ({ clients }) => {
    assert.equal(await clients.addRequest(client('b', { createdAt: NOW + 1 }), 2), true)
    assert.equal(await clients.addRequest(client('a'), 2), true)
    assert.equal(await clients.addRequest(client('c'), 2), false)
    assert.deepEqual(await clients.list(), [client('a'), client('b', { createdAt: NOW + 1 })])
    await clients.decide('a', ['pending'], { state: 'refused', decidedAt: NOW, keyHash: null })
    assert.equal(await clients.addRequest(client('c'), 2), true)
  })

  testStore('the limit of pending requests holds for simultaneous requests', async ({ clients }) => {
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, index) => clients.addRequest(client(`c${index}`), 5)),
    )
    assert.equal(added.filter(Boolean).length, 5)
    assert.equal((await clients.list()).length, 5)
  })

  testStore('one of several simultaneous decisions is applied', async ({ clients }) => {
    await clients.addRequest(client('a'), 5)
    const grant = (keyHash: string) => clients.decide('a', ['pending'], { state: 'granted', decidedAt: NOW, keyHash })
    const decided = await Promise.all([grant('k1'), grant('k2'), grant('k3')])
    const winners = decided.filter((record) => record !== undefined)
    assert.equal(winners.length, 1)
    assert.deepEqual(await clients.find('a'), winners[0])
    assert.equal(winners[0]?.state, 'granted')
    assert.equal(await grant('k4'), undefined)
    const refuse = { state: 'refused', decidedAt: 1, keyHash: null } as const
    assert.equal(await clients.decide('nobody', ['pending'], refuse), undefined)
    assert.equal(await clients.find('nobody'), undefined)
  })

  testStore('every change of clients and tokens raises the revision', async ({ clients, tokens }) => {
    const changes: [() => Promise<number>, () => Promise<unknown>][] = [
      [clients.revision, () => clients.addRequest(client('a'), 5)],
      [clients.revision, () => clients.decide('a', ['pending'], { state: 'granted', decidedAt: 1, keyHash: 'k' })],
      [clients.revision, () => clients.put([client('b')])],
      [tokens.revision, () => tokens.put([token('a')])],
      [tokens.revision, () => tokens.remove('a')],
    ]
    for (const [revision, change] of changes) {
      const before = await revision()
      await change()
      assert.ok((await revision()) > before, String(change))
    }
    const before = await tokens.revision()
    await tokens.markUsed('b', NOW)
    assert.equal(await tokens.remove('nothing'), false)
    assert.equal(await tokens.revision(), before)
  })

  testStore('tokens are listed with their last use and can be removed', async ({ tokens }) => {
    await tokens.put([token('a'), { ...token('b'), createdAt: NOW - 1, expiresAt: NOW, scopes: ['read'] }])
    await tokens.markUsed('a', NOW + 5)
    await tokens.markUsed('nothing', NOW + 5)
    const [b, a, ...more] = await tokens.list()
    assert.deepEqual(a, { ...token('a'), lastUsedAt: NOW + 5 })
    assert.deepEqual(b, { ...token('b'), createdAt: NOW - 1, expiresAt: NOW, scopes: ['read'] })
    assert.deepEqual(more, [])
    assert.equal(await tokens.remove('a'), true)
    assert.equal((await tokens.list()).length, 1)
  })

  testStore('markers are set, replaced and removed, and are visible to other nodes', async ({ markers }, clock, t) => {
    const other = await open(t, () => clock.now)
    assert.equal(await other.markers.get('a'), undefined)
    await markers.set('a', 'one')
    await markers.set('a', 'two')
    await markers.set('b', 'three')
    assert.deepEqual([await other.markers.get('a'), await other.markers.get('b')], ['two', 'three'])
    await other.markers.remove('a')
    assert.equal(await markers.get('a'), undefined)
  })

  testStore('one of several nodes replaces a marker', async ({ markers }, clock, t) => {
    const other = await open(t, () => clock.now)
    const create = [markers, other.markers].map(({ replace }, node) => replace('a', undefined, `first ${node}`))
    assert.deepEqual((await Promise.all(create)).sort(), [false, true])
    const value = await markers.get('a')
    const results = [markers, other.markers].map(({ replace }, node) => replace('a', value, `second ${node}`))
    assert.deepEqual((await Promise.all(results)).sort(), [false, true])
    assert.match((await other.markers.get('a')) ?? '', /^second/)
    assert.equal(await markers.replace('b', 'a value that it does not have', 'x'), false)
    assert.equal(await markers.get('b'), undefined)
  })

  testStore('a working store is healthy', async ({ health, driver }) => {
    // The clock of the test differs from that of Redis, which is emptied before each test.
    const { latencyMs, warning, incident, ...rest } = await health()
    assert.deepEqual(rest, { ok: true, driver, message: 'working' })
    assert.ok(latencyMs >= 0)
  })
}
