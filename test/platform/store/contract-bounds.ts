import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Ban, Store } from '../../../src/platform/store/index.ts'
import { ban, NOW, type Open } from './contract.ts'

const HOUR = 3_600_000
const MOST = 50_000
const CHUNK = 5000

/** A caller of which there are enough. */
const addressOf = (index: number) => `2001:db8:${(index >> 16).toString(16)}:${(index & 65_535).toString(16)}::/64`

async function inChunks<T>(count: number, make: (index: number) => T, put: (chunk: T[]) => Promise<void>) {
  for (let start = 0; start < count; start += CHUNK) {
    await put(Array.from({ length: Math.min(CHUNK, count - start) }, (_, index) => make(start + index)))
  }
}

export function boundsContract(name: string, options: { skip: string | false }, open: Open) {
  const promise = (sentence: string, work: (store: Store, t: TestContext) => Promise<void>) =>
    test(`${name}: ${sentence}`, options, async (t) => work(await open(t, () => NOW), t))

  promise('of too many bans of the guard those that end soonest go, and no operator’s', async ({ bans }, t) => {
    const other = (await open(t, () => NOW)).bans
    const own = ban('192.0.2.1', { by: 'operator', until: NOW + 1000 })
    const taken = ban(addressOf(0), { by: 'operator', until: NOW + 2000 })
    const made = (index: number) => ban(addressOf(index), { until: NOW + HOUR + index })
    await inChunks(MOST, made, (chunk) => bans.put(chunk))
    await bans.put([own, taken])
    const { revision, put } = await other.changes(0)
    assert.equal(put.length, MOST + 1, 'a full store drops nothing')

    await inChunks(
      300,
      (index) => made(MOST + index),
      (chunk) => bans.put(chunk),
    )
    const kept = new Map((await bans.list()).map((one) => [one.address, one]))
    assert.ok(kept.size <= MOST + 2, `${kept.size}`)
    assert.ok(kept.size > MOST * 0.8, `${kept.size}`)
    assert.deepEqual([kept.get(own.address), kept.get(taken.address)], [own, taken])
    assert.ok(kept.has(addressOf(MOST + 299)) && kept.has(addressOf(MOST)))
    assert.ok(!kept.has(addressOf(1)) && !kept.has(addressOf(4000)))

    const news = await other.changes(revision)
    assert.equal(news.complete, true, 'other nodes forget what was dropped')
    const sorted = (list: Iterable<Ban>) => [...list].map(({ address }) => address).sort()
    assert.deepEqual(sorted(news.put), sorted(kept.values()))
    assert.equal(await bans.lift(addressOf(MOST)), true)
    assert.equal(await bans.lift(addressOf(1)), false)
  })

  promise('of too many strikes those that expire soonest go', async ({ strikes }) => {
    const struck = (index: number) => ({ key: addressOf(index), score: 3, expiresAt: NOW + HOUR + index })
    await inChunks(MOST, struck, (chunk) => strikes.put(chunk))
    for (let index = 0; index < 300; index++) await strikes.add(`late-${index}`, 1, NOW + 99 * HOUR)
    const kept = new Map((await strikes.list()).map(({ key, score }) => [key, score]))
    assert.ok(kept.size <= MOST, `${kept.size}`)
    assert.ok(kept.size > MOST * 0.8, `${kept.size}`)
    assert.deepEqual([kept.get('late-0'), kept.get('late-299'), kept.get(addressOf(0))], [1, 1, undefined])
    assert.equal(await strikes.add(addressOf(MOST - 1), 1, NOW + HOUR), 4)
    assert.equal(await strikes.add(addressOf(0), 1, NOW + HOUR), 1)
  })
}
