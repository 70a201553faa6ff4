// Workers that stand still, as real processes that are stopped by a signal.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keepAsking } from '../../kit/load.ts'
import { fetchAlone, isAlive, spawnService } from '../../kit/process.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'
import { start } from './tiny-service.ts'

const PULSE_MS = 400
/** Longer than a worker may be silent. */
const LONG_MS = 8 * PULSE_MS

/** Holds this process up, which is the primary. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const stopped = (t: TestContext, pid: number) => {
  // 0 would mean all processes of this group.
  assert.ok(pid > 0)
  process.kill(pid, 'SIGSTOP')
  t.after(() => void (isAlive(pid) && process.kill(pid, 'SIGCONT')))
}

const KILLED = 'a worker does not answer; it is killed'

test('a worker that stands still is killed and replaced, and the others serve meanwhile', async (t) => {
  const { supervisor, askEach, log } = await start(t, { pulseMs: PULSE_MS })
  const before = await askEach()
  const [, hung] = before
  const load = keepAsking(t, await supervisor.opened, { callers: 6 })
  await until(() => load.done > 100)
  stopped(t, hung?.pid ?? 0)
  const { done } = load
  await until(() => load.done > done + 20)
  assert.ok(isAlive(hung?.pid ?? 0))
  await until(() => !isAlive(hung?.pid ?? 0), 20_000)
  await load.stop()
  const pids = async () => (await askEach()).map(({ pid }) => pid)
  await until(async () => new Set(await pids()).size === 3)
  const after = await askEach()
  assert.deepEqual(
    after.map(({ number }) => number),
    [1, 2, 3],
  )
  assert.deepEqual(
    [0, 2].map((place) => after[place]?.pid),
    [0, 2].map((place) => before[place]?.pid),
  )
  const [line, ...more] = log.lines.filter(({ message }) => message === KILLED)
  assert.deepEqual(line?.fields, { worker: 2, pid: hung?.pid, seconds: (4 * PULSE_MS) / 1000 })
  assert.equal(more.length, 0)
})

test('a connection that was on its way to a worker that stands still ends with it', async (t) => {
  const { supervisor, askEach } = await start(t, { pulseMs: PULSE_MS })
  const url = await supervisor.opened
  const [, hung] = await askEach()
  stopped(t, hung?.pid ?? 0)
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () =>
      fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(15_000) }).then(
        () => 'answered',
        (error: Error) => (error.name === 'TimeoutError' ? 'waits for ever' : 'ended'),
      ),
    ),
  )
  assert.deepEqual(outcomes.sort(), [...Array(5).fill('answered'), 'ended'])
})

test('a machine that slept, or a primary that stood still, costs no worker its life', async (t) => {
  const { askEach, log } = await start(t, { pulseMs: PULSE_MS })
  const before = await askEach()
  // The primary alone, several times in a row.
  for (let times = 0; times < 3; times++) {
    block(LONG_MS)
    await new Promise(setImmediate)
  }
  // All of them, as in a machine that is suspended.
  for (const { pid } of before) stopped(t, pid)
  block(LONG_MS)
  for (const { pid } of before) process.kill(pid, 'SIGCONT')
  await new Promise((resolve) => setTimeout(resolve, 2 * PULSE_MS))
  assert.deepEqual(
    (await askEach()).map(({ pid }) => pid),
    before.map(({ pid }) => pid),
  )
  assert.deepEqual(log.lines, [])
})

test('a worker that is busy, but answers in the end, lives on', async (t) => {
  const { askEach, ask, log } = await start(t, { pulseMs: PULSE_MS })
  const before = await askEach()
  for (let times = 0; times < 3; times++) await ask(`/busy/${2 * PULSE_MS}`)
  assert.deepEqual(await askEach(), before)
  assert.deepEqual(log.lines, [])
})

test('of the service itself, a worker that stands still is replaced within half a minute', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
  const url = await service.opened
  const [hung = 0, other] = await service.workers()
  stopped(t, hung)
  await until(() => !isAlive(hung), 30_000)
  // One that has ended is among them until the primary has noticed, and is dealt connections until then.
  const successor = async () => (await service.workers()).find((pid) => pid !== hung && pid !== other)
  await until(async () => (await successor()) !== undefined)
  assert.ok((await service.workers()).includes(other ?? 0))
  assert.match(service.output(), /a worker does not answer; it is killed/)
  assert.equal((await fetchAlone(`${url}/healthz`)).status, 200)
})
