import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../kit/process.ts'
import { until } from '../../kit/until.ts'
import { start } from './tiny-service.ts'

test('each worker has a number, one leads, and connections are dealt evenly', async (t) => {
  const { askEach } = await start(t)
  const shown = await askEach()
  assert.deepEqual(
    shown.map(({ number, workers, isLead }) => [number, workers, isLead]),
    [
      [1, 3, true],
      [2, 3, false],
      [3, 3, false],
    ],
  )
  assert.equal(new Set(shown.map(({ startedAt }) => startedAt)).size, 1)
})

test('any worker answers for all, its own answer first', async (t) => {
  const { askEach } = await start(t)
  const shown = await askEach('/ask/pid')
  const pids = shown.map(({ pid }) => pid)
  for (const { pid, asked = [] } of shown) {
    assert.equal(asked[0], pid)
    assert.deepEqual(asked.toSorted(), pids.toSorted())
  }
  assert.deepEqual((await askEach('/ask/nothing'))[0]?.asked, [])
})

test('a worker that does not answer in time is left out', async (t) => {
  const { askEach } = await start(t)
  const shown = await askEach('/ask/never')
  assert.deepEqual(
    shown.map(({ asked }) => asked),
    [['the lead'], ['the lead'], ['the lead']],
  )
})

test('lines of all workers reach the one log, and a trouble of the log reaches all workers', async (t) => {
  const { askEach, file } = await start(t)
  await askEach('/log')
  await until(() => file.written.length === 36)
  assert.deepEqual(file.written.trim().split('\n').sort(), ['a line of 1', 'a line of 2', 'a line of 3'])
  file.trouble = 'the disk is full'
  await until(async () => (await askEach()).every(({ problem }) => problem === 'the disk is full'))
  file.trouble = undefined
  await until(async () => (await askEach()).every(({ problem }) => problem === undefined))
})

test('the last words of a worker that crashes are in the log', async (t) => {
  const { ask, file } = await start(t)
  await assert.rejects(ask('/crash'))
  await until(() => file.written === 'the last words\n')
})

test('what all workers say is told once', async (t) => {
  const { askEach, ask, told, file } = await start(t)
  await askEach('/tell')
  await ask('/log')
  await until(() => file.written !== '')
  assert.deepEqual(told, ['the same for all'])
})

test('a worker that dies is replaced under its number, and the others serve meanwhile', async (t) => {
  const { askEach, ask, log } = await start(t)
  const before = await askEach()
  await assert.rejects(ask('/exit'))
  await ask()
  const pids = () => askEach().then((shown) => shown.map(({ pid }) => pid))
  await until(async () => new Set(await pids()).size === 3)
  const after = await askEach()
  assert.deepEqual(
    after.map(({ number }) => number),
    [1, 2, 3],
  )
  assert.equal(after.filter(({ pid }, index) => before[index]?.pid === pid).length, 2)
  const line = log.lines.find(({ message }) => message === 'a worker died; another takes its place')
  assert.match(JSON.stringify(line?.fields), /"reason":"exit code 5"/)
})

test('workers that end at their start are given up, with the reason', async (t) => {
  const { supervisor, refuse, ask } = await start(t)
  await refuse()
  for (let killed = 0; killed < 3; killed++) await ask('/exit').catch(() => {})
  await assert.rejects(supervisor.lost, /No worker comes up, in 3 attempts \(exit code 3\)/)
})

test('while one worker serves, the others are tried again and again', async (t) => {
  const { refuse, allow, ask, askEach, log } = await start(t)
  await refuse()
  await ask('/exit').catch(() => {})
  await ask('/exit').catch(() => {})
  await until(() => log.lines.filter(({ message }) => message === 'a worker did not come up').length >= 5, 15_000)
  assert.equal((await ask()).workers, 3)
  await allow()
  await until(async () => new Set((await askEach()).map(({ pid }) => pid)).size === 3, 15_000)
})

test('a roll replaces every worker; the numbers stay', async (t) => {
  const { supervisor, askEach } = await start(t)
  const before = await askEach()
  assert.equal(await supervisor.roll(), undefined)
  const after = await askEach()
  assert.deepEqual(
    after.map(({ number }) => number),
    [1, 2, 3],
  )
  assert.ok(after.every(({ pid }) => !before.some((old) => old.pid === pid)))
  assert.ok(before.every(({ pid }) => !isAlive(pid)))
  assert.equal(after[0]?.startedAt, before[0]?.startedAt)
})

test('a roll that meets a worker that has just died starts one in its place, not two', async (t) => {
  const { supervisor, askEach, log } = await start(t)
  const [first] = await askEach()
  process.kill(first?.pid ?? 0, 'SIGKILL')
  await until(() => log.lines.some(({ message }) => message === 'a worker died; another takes its place'))
  assert.equal(await supervisor.roll(), undefined)
  // Longer than a worker that died young is waited for, and than the next takes to come up.
  await sleep(1500)
  const all = await askEach('/ask/pid')
  assert.deepEqual(
    all.map(({ number, asked = [] }) => [number, asked.length]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  )
})

test('a connection that a busy primary deals to a worker that goes is not lost', async (t) => {
  const { supervisor } = await start(t, { lingerMs: 200 })
  const program = join(import.meta.dirname, 'fresh-connections.ts')
  const load = spawn(process.execPath, [program, await supervisor.opened, '64'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => void load.kill('SIGKILL'))
  const printed = text(load.stdout)
  // Holds this process, which is the primary, up for longer than a worker takes to close.
  const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50), 5)
  t.after(() => clearInterval(busy))
  for (let rolls = 0; rolls < 3; rolls++) assert.equal(await supervisor.roll(), undefined)
  clearInterval(busy)
  load.stdin.end()
  const { done, failed } = JSON.parse(await printed)
  t.diagnostic(`${done} fresh connections over 3 rolls, ${failed.length} failed`)
  assert.deepEqual(failed, [])
  assert.ok(done > 0)
})

test('a new worker that does not come up ends the roll, and the old ones stay', async (t) => {
  const { supervisor, refuse, askEach } = await start(t)
  const before = await askEach()
  await refuse()
  assert.equal(await supervisor.roll(), 'exit code 3')
  assert.deepEqual(await askEach(), before)
})

test('a worker that is not ready in time is killed', async (t) => {
  const { supervisor } = await start(t, { readyWithinMs: 1 }, { opens: false })
  await assert.rejects(supervisor.opened, /No worker comes up.*SIGKILL/)
})
