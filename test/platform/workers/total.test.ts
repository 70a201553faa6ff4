import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kit/until.ts'
import { start } from './tiny-service.ts'

const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0)

test('what workers counted is in the total of any of them, and stays there over rolls', async (t) => {
  const { supervisor, ask, askEach } = await start(t)
  const totals = async () => (await askEach('/total')).map(({ total }) => sum(total))
  for (let asked = 0; asked < 5; asked++) await ask('/count')
  assert.deepEqual(await totals(), [5, 5, 5])
  for (let rolls = 0; rolls < 2; rolls++) {
    await supervisor.roll()
    await ask('/count')
  }
  assert.deepEqual(await totals(), [7, 7, 7])
  assert.ok(((await ask('/total')).total ?? []).length <= 4, 'those that ended are one number, however many they are')
})

test('of a worker that crashed the total keeps what was known of it', async (t) => {
  const { ask, askEach } = await start(t)
  const total = async () => sum((await ask('/total')).total)
  for (let asked = 0; asked < 5; asked++) await ask('/count')
  assert.equal(await total(), 5)
  await assert.rejects(ask('/exit'))
  assert.equal(await total(), 5)
  await until(async () => new Set((await askEach()).map(({ pid }) => pid)).size === 3)
  assert.equal(await total(), 5)
})

test('a worker that does not tell its counts in time is in the total with those that are known', async (t) => {
  const { ask, askEach } = await start(t)
  await askEach('/count')
  assert.equal(sum((await ask('/total')).total), 3)
  await ask('/hush')
  assert.deepEqual(
    (await askEach('/total')).map(({ total }) => sum(total)),
    [3, 3, 3],
  )
})
