import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { copyStore, type Store } from '../../../src/platform/store/index.ts'
import { ban, client, NOW, type Open, token } from './contract.ts'

const HOUR = 3_600_000

export function bansContract(name: string, options: { skip: string | false }, open: Open) {
  const promise = (sentence: string, work: (store: Store, at: { now: number }, t: TestContext) => Promise<void>) =>
    test(`${name}: ${sentence}`, options, async (t) => {
      const at = { now: NOW }
      await work(await open(t, () => at.now), at, t)
    })

  promise('a ban ends by itself, can be replaced and lifted', async ({ bans }, at) => {
    await bans.put([ban('192.0.2.1'), ban('2001:db8::/64', { until: NOW + 3 * HOUR })])
    assert.deepEqual(await bans.list(), [ban('192.0.2.1'), ban('2001:db8::/64', { until: NOW + 3 * HOUR })])
    await bans.put([ban('192.0.2.1', { reason: 'again', until: NOW + 2 * HOUR })])
    at.now += HOUR
    assert.equal((await bans.list()).length, 2)
    at.now += HOUR
    assert.deepEqual(await bans.list(), [ban('2001:db8::/64', { until: NOW + 3 * HOUR })])
    assert.equal(await bans.lift('192.0.2.1'), false)
    assert.equal(await bans.lift('2001:db8::/64'), true)
    assert.equal(await bans.lift('2001:db8::/64'), false)
    assert.deepEqual(await bans.list(), [])
  })

  promise('another node learns of bans and lifts, and of nothing twice', async ({ bans }, at, t) => {
    const node = (await open(t, () => at.now)).bans
    const start = await node.changes(0)
    assert.deepEqual({ ...start, revision: 0 }, { revision: 0, complete: true, put: [], lifted: [] })

    await bans.put([ban('192.0.2.1'), ban('192.0.2.2')])
    const first = await node.changes(start.revision)
    assert.deepEqual(first.put.map(({ address }) => address).sort(), ['192.0.2.1', '192.0.2.2'])

    await bans.lift('192.0.2.1')
    const second = await node.changes(first.revision)
    assert.deepEqual(second, { revision: second.revision, complete: false, put: [], lifted: ['192.0.2.1'] })
    const none = await node.changes(second.revision)
    assert.deepEqual(none, { revision: second.revision, complete: false, put: [], lifted: [] })

    await bans.put([ban('192.0.2.1', { reason: 'again' })])
    assert.deepEqual((await node.changes(second.revision)).put, [ban('192.0.2.1', { reason: 'again' })])
  })

  promise('a node that was away for long, or ahead, is told everything', async ({ bans }, at) => {
    await bans.put([ban('192.0.2.1'), ban('192.0.2.2', { until: NOW + 90 * HOUR })])
    const { revision } = await bans.changes(0)
    await bans.lift('192.0.2.1')
    at.now += 2 * HOUR
    await bans.put([ban('192.0.2.3', { until: NOW + 90 * HOUR })])
    const late = await bans.changes(revision)
    assert.equal(late.complete, true)
    assert.deepEqual(late.put.map(({ address }) => address).sort(), ['192.0.2.2', '192.0.2.3'])
    assert.equal((await bans.changes(late.revision + 10)).complete, true)
    assert.equal((await bans.changes(late.revision)).complete, false)
  })

  promise('strikes add up until they expire', async ({ strikes }, at) => {
    assert.equal(await strikes.add('192.0.2.1', 2, NOW + HOUR), 2)
    assert.equal(await strikes.add('192.0.2.1', 3, NOW + 2 * HOUR), 5)
    assert.equal(await strikes.add('192.0.2.2', 1, NOW + HOUR), 1)
    at.now += HOUR
    assert.deepEqual(await strikes.list(), [{ key: '192.0.2.1', score: 5, expiresAt: NOW + 2 * HOUR }])
    at.now += HOUR
    assert.equal(await strikes.add('192.0.2.1', 1, NOW + 9 * HOUR), 1)
    await strikes.clear('192.0.2.1')
    assert.deepEqual(await strikes.list(), [])
  })

  promise('strikes of many at once are all counted', async ({ strikes }) => {
    const scores = await Promise.all(Array.from({ length: 50 }, () => strikes.add('a', 1, NOW + HOUR)))
    assert.equal(Math.max(...scores), 50)
  })

  promise('ten thousand bans are put and read', async ({ bans }) => {
    const many = Array.from({ length: 10_000 }, (_, index) => ban(`10.0.${index >> 8}.${index & 255}`))
    await bans.put(many)
    assert.equal((await bans.list()).length, many.length)
    const { revision, put } = await bans.changes(0)
    assert.equal(put.length, many.length)
    assert.deepEqual((await bans.changes(revision)).put, [])
  })

  promise('clearing leaves nothing, and other nodes notice', async (store) => {
    await fill(store)
    const { revision } = await store.bans.changes(0)
    const before = await store.tokens.revision()
    await store.clear()
    for (const part of [store.clients, store.tokens, store.bans, store.strikes]) assert.deepEqual(await part.list(), [])
    assert.deepEqual(await store.downloads.rows(), [])
    assert.deepEqual(
      { ...(await store.bans.changes(revision)), revision: 0 },
      {
        revision: 0,
        complete: true,
        put: [],
        lifted: [],
      },
    )
    assert.ok((await store.tokens.revision()) > before)
  })

  promise('it is not copied onto itself by another name, and loses nothing by the attempt', async (store, at, t) => {
    await store.strikes.add('192.0.2.9', 4, NOW + HOUR)
    await assert.rejects(copyStore(store, await open(t, () => at.now), { force: true }), /both are the same store/)
    assert.deepEqual(await store.strikes.list(), [{ key: '192.0.2.9', score: 4, expiresAt: NOW + HOUR }])
  })

  promise('it is not emptied for a copy of a store that is away', async (store, at, t) => {
    await store.strikes.add('192.0.2.9', 4, NOW + HOUR)
    const away = await open(t, () => at.now)
    await away.close()
    await assert.rejects(copyStore(away, store, { force: true }), { code: 'STORE_UNAVAILABLE' })
    assert.equal((await store.strikes.list()).length, 1)
  })

  promise('a working store says so', async ({ health, driver }) => {
    const { latencyMs, ...rest } = await health()
    assert.deepEqual(rest, { ok: true, driver, message: 'working' })
    assert.ok(latencyMs >= 0)
  })
}

export async function fill({ downloads, clients, tokens, bans, strikes }: Store) {
  const day = '2025-12-01'
  const rows = Array.from({ length: 2500 }, (_, index) => ({ application: 'a', version: `1.${index}`, day, count: 2 }))
  await downloads.add({ writer: 'w', number: 3, rows })
  await clients.put([client('a'), client('b', { state: 'granted', keyHash: 'k', decidedAt: NOW })])
  await tokens.put([token('a')])
  await tokens.markUsed('a', NOW + 1)
  await bans.put([ban('192.0.2.1')])
  await strikes.add('192.0.2.9', 4, NOW + HOUR)
}

/** What `store copy` promises, between any two stores. */
export async function provesCopy(from: Store, to: Store) {
  await fill(from)
  const everything = async ({ downloads, clients, tokens, bans, strikes }: Store) => ({
    rows: await downloads.rows(),
    lists: [await clients.list(), await tokens.list(), await bans.list(), await strikes.list()],
    last: await downloads.lastNumber('w'),
  })
  const held = await copyStore(from, to)
  assert.deepEqual(held, { downloads: 2500, counted: 5000, writers: 1, clients: 2, tokens: 1, bans: 1, strikes: 1 })
  assert.deepEqual(await everything(to), await everything(from))
  await assert.rejects(copyStore(from, to), /2500 downloads, 2 clients, 1 token, 1 ban, 1 strike/)
  await copyStore(from, to, { force: true })
  assert.deepEqual(await everything(to), await everything(from))
}
