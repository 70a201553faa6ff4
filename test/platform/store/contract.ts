import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Ban, ClientRecord, Clock, Store } from '../../../src/platform/store/index.ts'

export const NOW = Date.UTC(2025, 11, 1, 12)
const HOUR = 3_600_000

/** An empty store of the driver; the second one that is opened in a test shares its state with the first. */
export type Open = (t: TestContext, clock: Clock) => Promise<Store>

export const client = (id: string, more: Partial<ClientRecord> = {}): ClientRecord => ({
  id,
  name: `Client ${id}`,
  contact: 'someone@example.org',
  reason: 'a launcher, "with" {strange} characters: ü 🦊 \\ \n and a second line',
  state: 'asked',
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
  by: 'guard',
  at: NOW,
  until: NOW + HOUR,
  ...more,
})

export function storeContract(name: string, options: { skip: string | false }, open: Open) {
  const promise = (sentence: string, work: (store: Store, at: { now: number }, t: TestContext) => Promise<void>) =>
    test(`${name}: ${sentence}`, options, async (t) => {
      const at = { now: NOW }
      await work(await open(t, () => at.now), at, t)
    })

  promise('downloads add up by application, version and day', async ({ downloads }) => {
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

  promise('a batch that is sent again is counted once', async ({ downloads }) => {
    const rows = [{ application: 'launcher', version: '1.0.0', day: '2025-12-01', count: 3 }]
    assert.equal(await downloads.lastNumber('a'), 0)
    assert.equal(await downloads.add({ writer: 'a', number: 7, rows }), true)
    assert.equal(await downloads.add({ writer: 'a', number: 7, rows }), false)
    assert.equal(await downloads.add({ writer: 'a', number: 6, rows }), false)
    await Promise.all([1, 2, 3].map(() => downloads.add({ writer: 'a', number: 8, rows })))
    assert.equal((await downloads.summary(1)).total, 6)
    assert.equal(await downloads.lastNumber('a'), 8)
    assert.deepEqual(await downloads.writers(), [{ writer: 'a', number: 8 }])
  })

  promise('a batch that builds on another than the last is not applied', async ({ downloads }) => {
    const rows = [{ application: 'launcher', version: '1.0.0', day: '2025-12-01', count: 3 }]
    assert.equal(await downloads.add({ writer: 'a', number: 2, after: 0, rows }), true)
    assert.equal(await downloads.add({ writer: 'a', number: 4, after: 1, rows }), false)
    assert.equal(await downloads.add({ writer: 'a', number: 4, after: 2, rows }), true)
    assert.equal((await downloads.summary(1)).total, 6)
  })

  promise('writers of long ago are forgotten', async ({ downloads }, at) => {
    await downloads.add({ writer: 'old', number: 1, rows: [] })
    at.now += 91 * 24 * HOUR
    await downloads.add({ writer: 'new', number: 1, rows: [] })
    assert.deepEqual(await downloads.writers(), [{ writer: 'new', number: 1 }])
  })

  promise('strange names stay apart', async ({ downloads }) => {
    const day = '2025-12-01'
    const names = ['a:b', 'a', '__proto__', 'constructor', 'ü 🦊', '"', '\\', "'; DROP TABLE downloads; --"]
    const rows = names.map((version, index) => ({ application: 'a', version, day, count: index + 1 }))
    await downloads.add({ writer: 'w', number: 1, rows })
    const { applications } = await downloads.summary(1)
    for (const { version, count } of rows) {
      assert.equal(Object.getOwnPropertyDescriptor(applications.a?.versions, version)?.value, count, version)
    }
  })

  promise('requests are kept whole, in order, and are bounded while they wait', async ({ clients }) => {
    assert.equal(await clients.addRequest(client('b', { createdAt: NOW + 1 }), 2), true)
    assert.equal(await clients.addRequest(client('a'), 2), true)
    assert.equal(await clients.addRequest(client('c'), 2), false)
    assert.deepEqual(await clients.list(), [client('a'), client('b', { createdAt: NOW + 1 })])
    await clients.decide('a', ['asked'], { state: 'refused', decidedAt: NOW, keyHash: null })
    assert.equal(await clients.addRequest(client('c'), 2), true)
  })

  promise('the bound on requests holds when many ask at once', async ({ clients }) => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, index) => clients.addRequest(client(`c${index}`), 5)),
    )
    assert.equal(asked.filter(Boolean).length, 5)
    assert.equal((await clients.list()).length, 5)
  })

  promise('of two decisions at once one holds', async ({ clients }) => {
    await clients.addRequest(client('a'), 5)
    const grant = (keyHash: string) => clients.decide('a', ['asked'], { state: 'granted', decidedAt: NOW, keyHash })
    const decided = await Promise.all([grant('k1'), grant('k2'), grant('k3')])
    const winners = decided.filter((record) => record !== undefined)
    assert.equal(winners.length, 1)
    assert.deepEqual(await clients.find('a'), winners[0])
    assert.equal(winners[0]?.state, 'granted')
    assert.equal(await grant('k4'), undefined)
    assert.equal(
      await clients.decide('nobody', ['asked'], { state: 'refused', decidedAt: 1, keyHash: null }),
      undefined,
    )
    assert.equal(await clients.find('nobody'), undefined)
  })

  promise('every change of clients and tokens raises the revision', async ({ clients, tokens }) => {
    const changes: [() => Promise<number>, () => Promise<unknown>][] = [
      [clients.revision, () => clients.addRequest(client('a'), 5)],
      [clients.revision, () => clients.decide('a', ['asked'], { state: 'granted', decidedAt: 1, keyHash: 'k' })],
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

  promise('tokens are listed with their last use and can be removed', async ({ tokens }) => {
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
}
