// What every store guarantees about update checks and installations.
import assert from 'node:assert/strict'
import { createSipHash, HyperLogLog } from '../../../src/platform/store/hyper-log-log.ts'
import { MAX_ADOPTION_DAYS } from '../../../src/platform/store/store.ts'
import { untilEqual } from '../../kit/until.ts'
import { createStoreTest, HOUR_MS, NOW, type OpenStore } from './contract.ts'

const TODAY = '2025-12-01'

/** The bytes of a HyperLogLog of these installations. */
export function createSketch(from: number, to: number): Uint8Array {
  const [sketch, hash] = [new HyperLogLog(), createSipHash(Buffer.alloc(16))]
  for (let n = from; n < to; n++) sketch.add(hash(`installation ${n}`))
  return sketch.toBytes()
}

export function testAdoptionContract(driver: string, open: OpenStore) {
  const testStore = createStoreTest(driver, open)

  testStore('update checks add up by version and day', async ({ adoption }) => {
    const checks = { writer: 'a', number: 1, day: TODAY, versions: { '8.7.3.1': 2, unknown: 1, '=1+1': 4 } }
    await adoption.add(checks)
    await adoption.add({ ...checks, writer: 'b', versions: { '8.7.3.1': 3 } })
    await adoption.add({ ...checks, writer: 'c', day: '2025-11-30', versions: { other: 5 } })
    const yesterday = { day: '2025-11-30', installations: 0, versions: { other: 5 } }
    const today = { day: TODAY, installations: 0, versions: { '8.7.3.1': 5, unknown: 1, '=1+1': 4 } }
    assert.deepEqual(await adoption.days(''), [yesterday, today])
    assert.deepEqual(await adoption.days(TODAY), [today])
    assert.equal(await adoption.sketch(TODAY), undefined)
  })

  testStore('a batch of update checks that is sent again is counted once', async ({ adoption, downloads }) => {
    const batch = { writer: 'a', number: 1, day: TODAY, versions: { '1.0.0': 1 } }
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => adoption.add(batch))), [true, false, false])
    assert.deepEqual((await adoption.days(''))[0]?.versions, { '1.0.0': 1 })
    assert.deepEqual(await downloads.writers(), [{ writer: 'a', number: 1 }])
  })

  testStore('installations that several nodes have seen are counted once', async ({ adoption }) => {
    const batch = { number: 1, day: TODAY, versions: {} }
    const count = async () => (await adoption.days(''))[0]?.installations
    await adoption.add({ ...batch, writer: 'a', sketch: createSketch(0, 6000) })
    assert.equal(await count(), new HyperLogLog().merge(createSketch(0, 6000)).estimate())
    await adoption.add({ ...batch, writer: 'b', sketch: createSketch(4000, 10_000) })
    // The drivers estimate in different ways: in Redis it is PFCOUNT.
    assert.equal(await count(), new HyperLogLog().merge(createSketch(0, 10_000)).estimate())
    const found = await adoption.sketch(TODAY)
    assert.equal(found && new HyperLogLog().merge(found).estimate(), await count())
    // A batch without new installations leaves the estimate as it is.
    await adoption.add({ ...batch, writer: 'c', versions: { '1.0.0': 1 } })
    assert.ok(Math.abs(((await count()) ?? 0) / 10_000 - 1) < 0.03)
  })

  testStore('all nodes get the same salt for a day', async (store, clock, t) => {
    const other = await open(t, () => clock.now)
    const salts = await Promise.all([store.adoption.salt(TODAY, 'first'), store.adoption.salt(TODAY, 'second')])
    assert.deepEqual(salts, ['first', 'first'])
    assert.equal(await other.adoption.salt(TODAY, 'third'), 'first')
    assert.equal(await other.adoption.salt('2025-12-02', 'fourth'), 'fourth')
  })

  testStore('a day whose salt was deleted gets no other one', async ({ adoption }, clock) => {
    // In Redis the key expires by the clock of the server.
    clock.now = Date.parse('2025-12-02') - 1
    assert.equal(await adoption.salt(TODAY, 'first'), 'first')
    await adoption.add({ writer: 'a', number: 1, day: TODAY, versions: { '1.0.0': 1 }, sketch: createSketch(0, 1) })
    clock.now = NOW + 12 * HOUR_MS
    assert.equal(await adoption.salt('2025-12-02', 'second'), 'second')
    await untilEqual(() => adoption.salt(TODAY, 'third'), undefined)
    // Checks that waited for the store are still counted.
    await adoption.add({ writer: 'a', number: 2, day: TODAY, versions: { '1.0.0': 1 }, sketch: createSketch(1, 2) })
    assert.deepEqual(await adoption.days(''), [{ day: TODAY, installations: 2, versions: { '1.0.0': 2 } }])
  })

  testStore('only the newest days of adoption are kept', async ({ adoption }) => {
    const days = Array.from({ length: MAX_ADOPTION_DAYS + 2 }, (_, n) =>
      new Date(NOW + n * 24 * HOUR_MS).toISOString().slice(0, 10),
    )
    for (const [number, day] of days.entries()) {
      await adoption.add({ writer: 'a', number: number + 1, day, versions: { '1.0.0': 1 }, sketch: createSketch(0, 1) })
    }
    const kept = await adoption.days('')
    assert.deepEqual(
      kept.map(({ day }) => day),
      days.slice(2),
    )
    assert.equal(await adoption.sketch(days[1]!), undefined)
    // What is sent for a deleted day does not bring its old checks back.
    await adoption.add({ writer: 'a', number: 999, day: days[1]!, versions: { '1.0.0': 1 } })
    assert.deepEqual(await adoption.days(''), kept)
  })
}
