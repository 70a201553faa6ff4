import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { createMessageHandler } from '../../../src/platform/workers/messages.ts'
import type { WorkerProcess } from '../../../src/platform/workers/worker-slot.ts'
import { forSuite } from '../../kit/scope.ts'
import { isAlive } from '../../kit/service-process.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { DIED, startSupervisor } from './test-supervisor.ts'

const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0)

/** Reads what workers collect until it is this: if the machine stops for a second, replies of workers are late. */
const untilCollected = untilEqual

describe('three workers', () => {
  const started = forSuite((scope) => startSupervisor(scope))
  const readTotals = async () => (await started().askEach('/counters')).map(({ counters }) => sum(counters))

  test('workers are numbered, one is the leader, and connections are assigned round robin', async () => {
    const { askEach } = started()
    const replies = await askEach()
    assert.deepEqual(
      replies.map(({ number, workerCount, isLeader }) => [number, workerCount, isLeader]),
      [
        [1, 3, true],
        [2, 3, false],
        [3, 3, false],
      ],
    )
    assert.equal(new Set(replies.map(({ startedAt }) => startedAt)).size, 1)
  })

  test('any worker collects the values of all, its own first, without those that do not answer in time', async () => {
    const { askEach } = started()
    const pids = (await askEach()).map(({ pid }) => pid)
    const collect = async () => {
      const replies = await askEach('/collect/pid')
      for (const { pid, values = [] } of replies) assert.equal(values[0], pid)
      return replies.map(({ values = [] }) => values.toSorted())
    }
    await untilCollected(collect, Array(3).fill(pids.toSorted()))
    assert.deepEqual((await askEach('/collect/nothing'))[0]?.values, [])
    await untilCollected(
      async () => (await askEach('/collect/only-leader-answers')).map(({ values }) => values),
      [['the leader'], ['the leader'], ['the leader']],
    )
  })

  test('a text that all workers print is printed once', async () => {
    const { askEach, printed, logFile } = started()
    await askEach('/print')
    // Messages of a worker arrive in order.
    await askEach('/log')
    await until(() => logFile.written.length === 36)
    logFile.written = ''
    assert.deepEqual(printed, ['the same for all'])
  })

  test('log lines of all workers go to one file, and a problem of the file is reported to all workers', async () => {
    const { ask, askEach, waitForAll, waitForDeath, logFile } = started()
    await askEach('/log')
    await until(() => logFile.written.length === 36)
    assert.deepEqual(logFile.written.trim().split('\n').sort(), ['a line of 1', 'a line of 2', 'a line of 3'])
    logFile.problem = 'the disk is full'
    await until(async () => (await askEach()).every(({ problem }) => problem === 'the disk is full'))
    logFile.problem = undefined
    await until(async () => (await askEach()).every(({ problem }) => problem === undefined))
    logFile.written = ''
    await assert.rejects(ask('/crash'))
    await until(() => logFile.written === 'the last line\n')
    await waitForDeath()
    await waitForAll()
  })

  test('a worker that dies is replaced under its number, and the others serve meanwhile', async () => {
    const { askEach, ask, waitForAll, waitForDeath, log } = started()
    const before = await askEach()
    await assert.rejects(ask('/exit'))
    await waitForDeath()
    await ask()
    await waitForAll()
    const after = await askEach()
    assert.deepEqual(
      after.map(({ number }) => number),
      [1, 2, 3],
    )
    assert.equal(after.filter(({ pid }, index) => before[index]?.pid === pid).length, 2)
    const line = log.lines.findLast(({ message }) => message === DIED)
    assert.match(JSON.stringify(line?.fields), /"reason":"exit code 5"/)
  })

  test('a rolling restart replaces every worker and keeps the numbers', async () => {
    const { supervisor, askEach } = started()
    const before = await askEach()
    assert.equal(await supervisor.restart(), undefined)
    const after = await askEach()
    assert.deepEqual(
      after.map(({ number }) => number),
      [1, 2, 3],
    )
    assert.ok(after.every(({ pid }) => !before.some((old) => old.pid === pid)))
    assert.ok(before.every(({ pid }) => !isAlive(pid)))
    assert.equal(after[0]?.startedAt, before[0]?.startedAt)
  })

  test('a rolling restart right after the death of a worker starts one replacement, not two', async () => {
    const { supervisor, askEach, waitForDeath } = started()
    const [first] = await askEach()
    process.kill(first?.pid ?? 0, 'SIGKILL')
    await waitForDeath()
    assert.equal(await supervisor.restart(), undefined)
    // A second replacement would start after the first back-off delay of 250 ms, and be ready in the time of a restart.
    assert.equal(await supervisor.restart(), undefined)
    await untilCollected(
      async () => (await askEach('/collect/pid')).map(({ number, values = [] }) => [number, values.length]),
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
    )
  })

  test('a new worker that does not start ends the rolling restart, and the old workers stay', async () => {
    const { supervisor, refuseStarts, allowStarts, askEach } = started()
    const before = await askEach()
    await refuseStarts()
    assert.equal(await supervisor.restart(), 'exit code 3')
    assert.deepEqual(await askEach(), before)
    await allowStarts()
  })

  test('the counters of replaced workers stay in the totals that any worker collects', async () => {
    const { supervisor, ask } = started()
    for (let requests = 0; requests < 5; requests++) await ask('/count')
    await untilCollected(readTotals, [5, 5, 5])
    for (let restarts = 0; restarts < 2; restarts++) {
      await supervisor.restart()
      await ask('/count')
    }
    await untilCollected(readTotals, [7, 7, 7])
    assert.ok(((await ask('/counters')).counters ?? []).length <= 4, 'all exited workers together are one number')
  })

  test('the last known counters of a worker that crashed stay in the total', async () => {
    const { ask, waitForAll, waitForDeath } = started()
    const total = async () => sum((await ask('/counters')).counters)
    const before = Math.max(...(await readTotals()))
    for (let requests = 0; requests < 5; requests++) await ask('/count')
    await untilCollected(total, before + 5)
    await assert.rejects(ask('/exit'))
    await waitForDeath()
    assert.equal(await total(), before + 5)
    await waitForAll()
    assert.equal(await total(), before + 5)
  })

  test('the last known counters of a worker that does not answer in time are in the total', async () => {
    const { ask, askEach } = started()
    const total = Math.max(...(await readTotals())) + 3
    await askEach('/count')
    await untilCollected(readTotals, [total, total, total])
    await ask('/silence')
    assert.deepEqual(await readTotals(), [total, total, total])
  })
})

test('the supervisor gives up with the reason when no worker starts', async (t) => {
  const { supervisor, refuseStarts, ask } = await startSupervisor(t)
  await refuseStarts()
  for (let killed = 0; killed < 3; killed++) await ask('/exit').catch(() => {})
  await assert.rejects(supervisor.failed, /No worker started in 3 attempts \(exit code 3\)/)
})

test('while one worker serves, the supervisor keeps trying to start the others', async (t) => {
  const { refuseStarts, allowStarts, ask, waitForAll, log } = await startSupervisor(t)
  await refuseStarts()
  await ask('/exit').catch(() => {})
  await ask('/exit').catch(() => {})
  // Without a worker that serves, three failures would be too many.
  await until(() => log.lines.filter(({ message }) => message === 'a worker did not start').length > 3)
  assert.equal((await ask()).workerCount, 3)
  await allowStarts()
  await waitForAll()
})

test('a worker that is not ready in time is killed', async (t) => {
  const { supervisor } = await startSupervisor(t, { readyTimeoutMs: 1 }, { waitsUntilReady: false })
  await assert.rejects(supervisor.ready, /No worker started.*SIGKILL/)
})

test('a connection that a busy primary passes to a worker that is shutting down is not lost', async (t) => {
  const { supervisor } = await startSupervisor(t, { lingerMs: 200 })
  const program = join(import.meta.dirname, 'fresh-connections.ts')
  const load = spawn(process.execPath, [program, await supervisor.ready, '64'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => void load.kill('SIGKILL'))
  const output = text(load.stdout)
  // Blocks this process, which is the primary, for longer than a worker takes to close.
  const blocking = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50), 5)
  t.after(() => clearInterval(blocking))
  for (let restarts = 0; restarts < 3; restarts++) assert.equal(await supervisor.restart(), undefined)
  clearInterval(blocking)
  load.stdin.end()
  const { done, failed } = JSON.parse(await output)
  t.diagnostic(`${done} new connections during 3 rolling restarts, ${failed.length} failed`)
  assert.deepEqual(failed, [])
  assert.ok(done > 0)
})

test('if the service stops during a rolling restart, a worker that serves is the last to accept connections', async (t) => {
  const { supervisor, ask, pids, logFile } = await startSupervisor(t, { lingerMs: 3000 })
  const before = await pids()
  // A worker that is replaced waits for its idle connections.
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const open = async () => text((await once(get(await supervisor.ready, { agent }), 'response'))[0])
  await Promise.all([open(), open(), open()])
  void supervisor.restart()
  await until(async () => {
    const { number, pid } = await ask()
    return number === 1 && !before.includes(pid)
  })
  await supervisor.shutdown({ graceMs: 0, lingerMs: 0, emptiesListenQueue: true })
  assert.match(logFile.written, /^\d accepts connections until the end\n$/)
})

// After an update the workers are replaced and the primary stays.
test('a message of a newer worker that the primary does not know is ignored', (t) => {
  const written: string[] = []
  const logFile = { write: (line: string) => written.push(line), problem: () => undefined }
  const messages = createMessageHandler({ workers: new Set(), logFile, print() {}, addCounters: () => ({}) })
  t.after(() => messages.close())
  const worker = {} as WorkerProcess
  messages.handle(worker, { kind: 'of a later version' } as never)
  messages.handle(worker, { kind: 'log-lines', lines: 'next\n' })
  assert.deepEqual(written, ['next\n'])
})
