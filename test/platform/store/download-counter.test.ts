import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { until } from '../../kit/until.ts'
import { type Mode, setUpCounter } from './set-up-counter.ts'

test('counts are sent to the store in few batches', async (t) => {
  const { network, openTestCounter, readTotal } = await setUpCounter(t)
  const counter = await openTestCounter()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.${index % 3}.0`)
  assert.equal(counter.status().waiting, 1000)
  await until(async () => (await readTotal()) === 1000)
  assert.equal(network.batches.length, 1)
  assert.equal(network.batches[0]?.rows.length, 3)
  await until(() => counter.status().waiting === 0)
})

test('a count is in the journal before its reply is sent', async (t) => {
  const { network, openTestCounter, countJournaled } = await setUpCounter(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 0 })
  for (let expected = 1; expected <= 5; expected += 1) {
    await counter.count('launcher', `1.0.${expected % 2}`)
    assert.equal(countJournaled(), expected)
  }
  network.mode = 'works'
})

test('the counts of one turn of the event loop are written with one call', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { network, openTestCounter, countJournaled } = await setUpCounter(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 0 })
  const countWrites = () => Number(/^syscw: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  const before = countWrites()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.0.${index}`)
  await counter.count('launcher', '2.0.0')
  assert.equal(countJournaled(), 1001)
  // A few writes of other parts of this process may be among them.
  assert.ok(countWrites() - before < 50, `${countWrites() - before}`)
  network.mode = 'works'
})

test('counts wait in the journal while the store is unavailable, and arrive afterwards', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, log } = await setUpCounter(t)
  const counter = await openTestCounter()
  network.mode = 'refuses'
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await until(() => network.batches.length > round)
  }
  assert.equal(counter.status().waiting, 500)
  await until(() => counter.status().storeProblem === 'Error: the store refuses')
  assert.equal(countJournaled(), 500)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  assert.equal(await readTotal(), 500)
  assert.equal(countJournaled(), 0)
  const warnings = log.lines.filter(({ message }) => message.startsWith('the store is unavailable; counted'))
  assert.equal(warnings.length, 1)
})

test('a hanging store blocks neither the journal nor the shutdown', async (t) => {
  const { network, openTestCounter, countJournaled, handIn } = await setUpCounter(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 100 })
  await counter.count('launcher', '1.0.0')
  await until(() => network.batches.length === 1)
  await counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(countJournaled(), 2)
  assert.equal(await handIn(), 2)
})

test('the journals of stopped processes are imported once, however many processes try', async (t) => {
  const { network, openTestCounter, countJournaled, handIn, hasLogged } = await setUpCounter(t)
  let expected = 0
  for (const processes of [3, 1, 2]) {
    network.mode = 'refuses'
    const stopped = await Promise.all(Array.from({ length: processes }, () => openTestCounter()))
    for (const counter of stopped) counter.count('launcher', '1.0.0')
    expected += processes
    for (const counter of stopped) await counter.close()
    assert.ok(countJournaled() > 0)
    assert.equal(await handIn(2), expected)
  }
  assert.ok(hasLogged(/^imported the downloads that an earlier process had counted$/))
})

test('a batch that arrived before the process was killed is not counted again', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, handIn } = await setUpCounter(t)
  network.mode = 'loses the reply'
  const killed = await openTestCounter()
  killed.count('launcher', '1.0.0')
  await until(async () => (await readTotal()) === 1)
  network.mode = 'refuses'
  killed.count('launcher', '1.0.0')
  await killed.close()
  assert.equal(countJournaled(), 2)
  assert.equal(await handIn(), 2)
})

test('a download is counted on its UTC day', async (t) => {
  const { store, openTestCounter } = await setUpCounter(t)
  let now = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  const counter = await openTestCounter({ clock: () => now })
  counter.count('launcher', '1.0.0')
  now += 1
  counter.count('launcher', '1.0.0')
  now -= 1
  counter.count('launcher', '1.0.0')
  await counter.close()
  const days = (await store.downloads.rows()).map(({ day, count }) => [day, count])
  assert.deepEqual(days, [
    ['2026-11-30', 2],
    ['2026-12-01', 1],
  ])
})

test('every download is counted exactly once, whatever the store does meanwhile', async (t) => {
  const mode = fc.constantFrom<Mode>('works', 'refuses', 'loses the reply')
  const step = fc.record({ mode, downloads: fc.integer({ min: 0, max: 5 }), stop: fc.boolean() })
  const { network, openTestCounter, handIn } = await setUpCounter(t)
  let expected = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      let counter = await openTestCounter()
      for (const { mode, downloads, stop } of steps) {
        network.mode = mode
        for (let index = 0; index < downloads; index += 1) counter.count('launcher', `1.0.${index}`)
        expected += downloads
        const sentBatches = network.batches.length
        if (!stop && downloads > 0) await until(() => network.batches.length > sentBatches)
        if (!stop) continue
        await counter.close()
        counter = await openTestCounter()
      }
      network.mode = 'works'
      await counter.close()
      assert.equal(await handIn(), expected)
    }),
    { numRuns: 15 },
  )
})
