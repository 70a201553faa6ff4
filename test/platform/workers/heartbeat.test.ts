// Workers that stop answering: real processes that are paused by a signal.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLoad } from '../../kit/load.ts'
import { isAlive } from '../../kit/service-process.ts'
import { blockThread } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'
import { startSupervisor } from './test-supervisor.ts'

const HEARTBEAT_MS = 400
/** Longer than a worker may stay silent. */
const LONG_MS = 8 * HEARTBEAT_MS
const KILLED = 'a worker does not answer and is killed'

const pause = (t: TestContext, pid: number) => {
  // 0 would be all processes of this group.
  assert.ok(pid > 0)
  process.kill(pid, 'SIGSTOP')
  t.after(() => void (isAlive(pid) && process.kill(pid, 'SIGCONT')))
}

test('a blocked worker is killed and replaced, and the others serve meanwhile', async (t) => {
  const { supervisor, askEach, pids, log } = await startSupervisor(t, { heartbeatIntervalMs: HEARTBEAT_MS })
  const before = await askEach()
  const blocked = before[1]?.pid ?? 0
  const load = startLoad(t, await supervisor.ready, { callers: 6 })
  await until(() => load.done > 100)
  pause(t, blocked)
  const { done } = load
  await until(() => load.done > done + 20)
  assert.ok(isAlive(blocked))
  await until(() => !isAlive(blocked), 20_000)
  await load.stop()
  await until(async () => new Set(await pids()).size === 3)
  const after = await askEach()
  assert.deepEqual(
    after.map(({ number }) => number),
    [1, 2, 3],
  )
  assert.deepEqual(
    [0, 2].map((index) => after[index]?.pid),
    [0, 2].map((index) => before[index]?.pid),
  )
  const [line, ...more] = log.lines.filter(({ message }) => message === KILLED)
  assert.deepEqual(line?.fields, { worker: 2, pid: blocked, seconds: (4 * HEARTBEAT_MS) / 1000 })
  assert.equal(more.length, 0)
})

for (const closesOrphanedConnections of [true, false]) {
  const outcome = closesOrphanedConnections
    ? 'is closed with it'
    : 'waits for its own timeout without cluster-internals.ts'
  test(`a connection on its way to a blocked worker ${outcome}, and others are answered`, async (t) => {
    const { supervisor, askEach, pids } = await startSupervisor(t, {
      heartbeatIntervalMs: HEARTBEAT_MS,
      closesOrphanedConnections,
    })
    const url = await supervisor.ready
    const blocked = (await askEach())[1]?.pid ?? 0
    pause(t, blocked)
    const gone = new AbortController()
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(60_000)])
    const outcomes = Array.from({ length: 6 }, () =>
      fetch(url, { headers: { connection: 'close' }, signal }).then(
        () => 'answered',
        ({ name }: Error) => ({ AbortError: 'waits', TimeoutError: 'timed out' })[name] ?? 'closed',
      ),
    )
    await until(async () => !isAlive(blocked), 20_000)
    await until(async () => new Set(await pids()).size === 3)
    if (!closesOrphanedConnections) gone.abort()
    const found = (await Promise.all(outcomes)).sort()
    assert.deepEqual(found, [...Array(5).fill('answered'), closesOrphanedConnections ? 'closed' : 'waits'])
  })
}

test('no worker is killed because the machine slept or the primary was blocked', async (t) => {
  const { askEach, pids, log } = await startSupervisor(t, { heartbeatIntervalMs: HEARTBEAT_MS })
  const before = await askEach()
  // The primary alone, twice in a row.
  for (let times = 0; times < 2; times++) {
    blockThread(LONG_MS)
    await new Promise(setImmediate)
  }
  // All processes, as in a machine that is suspended.
  for (const { pid } of before) pause(t, pid)
  blockThread(LONG_MS)
  for (const { pid } of before) process.kill(pid, 'SIGCONT')
  await new Promise((resolve) => setTimeout(resolve, 2 * HEARTBEAT_MS))
  assert.deepEqual(
    await pids(),
    before.map(({ pid }) => pid),
  )
  assert.deepEqual(log.lines, [])
})

test('a worker that is busy but answers in the end is not killed', async (t) => {
  const { askEach, ask, log } = await startSupervisor(t, { heartbeatIntervalMs: HEARTBEAT_MS })
  const before = await askEach()
  for (let times = 0; times < 3; times++) await ask(`/block/${2 * HEARTBEAT_MS}`)
  assert.deepEqual(await askEach(), before)
  assert.deepEqual(log.lines, [])
})
