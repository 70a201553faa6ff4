import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { listProcesses } from '../../../bench/process-usage.ts'
import { Busy, InternalError } from '../../../src/errors/index.ts'
import {
  createProcessPool,
  type ProcessPoolOptions,
  TaskKilled,
  type TaskOptions,
} from '../../../src/platform/concurrency/index.ts'
import { ROOT } from '../../kit/root.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

const program = new URL('./programs/faulty-process.ts', import.meta.url)

function startPool(t: TestContext, options: Partial<ProcessPoolOptions & TaskOptions> = {}) {
  const defaults = {
    processes: 1,
    maxQueued: 5,
    maxEstimatedBytes: 100,
    programOptions: {},
    readablePaths: [ROOT],
    log: { error() {} },
  }
  const pool = createProcessPool({ ...defaults, program, ...options })
  t.after(() => pool.close())
  const run = (action: string, estimatedBytes = 1, more: Partial<TaskOptions> = {}, bytes = new Uint8Array(1)) => {
    const task = { bytes, action }
    const waitUntil = performance.now() + 60_000
    const taskOptions = { client: [''], estimatedBytes, waitUntil, timeoutMs: 60_000, maxAnswerBytes: 1000 }
    return pool.run(task, { ...taskOptions, ...options, ...more })
  }
  return { ...pool, run }
}

const started = async (pool: ReturnType<typeof startPool>) => Number(await pool.run('answer with its id'))

test('a process that exits fails only its own job', async (t) => {
  const pool = startPool(t)
  const jobs = [pool.run('exit'), pool.run('answer')] as const
  await assert.rejects(jobs[0], new TaskKilled('died'))
  assert.equal(await jobs[1], 'done')
  assert.equal(pool.status().running, 0)
})

test('a job whose process dies when it starts runs in another one', async (t) => {
  // The processes of other tests end a moment after they are killed.
  await until(() => listProcesses(process.pid).length === 1)
  const job = started(startPool(t))
  const killed = listProcesses(process.pid)[1]!
  process.kill(killed, 'SIGKILL')
  assert.notEqual(await job, killed)
})

test('a process completes its job after Ctrl-C in the terminal of the service', async (t) => {
  const pool = startPool(t)
  const id = await started(pool)
  const job = pool.run('answer later')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(id, signal)
  assert.equal(await job, 'done')
  assert.equal(await started(pool), id)
})

test('a process that hangs is killed and its job fails', async (t) => {
  const pool = startPool(t)
  const jobs = [pool.run('hang', 1, { timeoutMs: 2000, minCpuMs: 10 }), pool.run('answer')] as const
  await assert.rejects(jobs[0], new TaskKilled('timeout'))
  assert.equal(await jobs[1], 'done')
})

test('a job whose process got less than its CPU time fails with BUSY', async (t) => {
  const pool = startPool(t)
  const id = await started(pool)
  process.kill(id, 'SIGSTOP')
  await assert.rejects(pool.run('answer', 1, { timeoutMs: 500 }), Busy)
  assert.notEqual(await started(pool), id)
})

test('a process that worked and then hangs is killed long before the timeout', async (t) => {
  const pool = startPool(t)
  const id = await started(pool)
  const job = assert.rejects(pool.run('hang'), Busy)
  await delay(500)
  process.kill(id, 'SIGSTOP')
  await job
  assert.notEqual(await started(pool), id)
})

test('a job beyond the queue limit fails with BUSY and the seconds to wait', async (t) => {
  const pool = startPool(t, { processes: 2, maxQueued: 1 })
  const running = [pool.run('answer later'), pool.run('answer later'), pool.run('answer later')]
  assert.deepEqual(pool.status(), { running: 2, queued: 1, processes: 2 })
  await assert.rejects(pool.run('answer'), (error) => error instanceof Busy && Number(error.details.retryAfter) >= 1)
  await Promise.all(running)
  assert.equal(await pool.run('answer'), 'done')
})

test('all running jobs together take at most the maximum memory of one job, plus a share that is reserved for small jobs', async (t) => {
  const pool = startPool(t, { processes: 5 })
  const jobs = [60, 40, 6, 6, 100].map((width) => pool.run('answer later', width))
  assert.deepEqual(pool.status(), { running: 3, queued: 2, processes: 5 })
  await Promise.all(jobs)
})

test('an aborted job leaves the queue', async (t) => {
  const pool = startPool(t)
  const first = pool.run('answer later')
  const caller = new AbortController()
  const second = pool.run('answer', 1, { signal: caller.signal })
  caller.abort(new Error('the client disconnected'))
  await assert.rejects(second, { message: 'the client disconnected' })
  assert.equal(pool.status().queued, 0)
  await first
})

test('an aborted running job fails at once and its process continues', async (t) => {
  const pool = startPool(t)
  const caller = new AbortController()
  const running = pool.run('answer later', 1, { signal: caller.signal })
  caller.abort()
  await assert.rejects(running, { name: 'AbortError' })
  await until(() => pool.status().running === 0)
  assert.equal(await pool.run('answer'), 'done')
  await assert.rejects(pool.run('answer', 1, { signal: caller.signal }), { name: 'AbortError' })
})

test('close() fails waiting jobs', async (t) => {
  const pool = startPool(t)
  const jobs = [pool.run('answer later'), pool.run('answer')]
  const failed = Promise.all(jobs.map((job) => assert.rejects(job, InternalError)))
  await pool.close()
  await failed
})

test('a job that waits too long fails with BUSY and the seconds to wait', async (t) => {
  const pool = startPool(t)
  const caller = new AbortController()
  const first = assert.rejects(pool.run('never answer', 1, { signal: caller.signal }), { name: 'AbortError' })
  const waitUntil = performance.now() + 50
  await assert.rejects(
    pool.run('answer', 1, { waitUntil }),
    (error) => error instanceof Busy && Number(error.details.retryAfter) >= 1,
  )
  assert.deepEqual(pool.status(), { running: 1, queued: 0, processes: 1 })
  caller.abort()
  await first
})

test('a small job of another client runs while one client occupies every process', async (t) => {
  const pool = startPool(t)
  const caller = new AbortController()
  const running = Array.from({ length: 4 }, () =>
    pool.run('work for long', 100, { client: ['a'], signal: caller.signal }),
  )
  const aborted = running.map((job) => assert.rejects(job, { name: 'AbortError' }))
  for (let n = 0; n < 3; n++) assert.equal(await pool.run('answer', 1, { client: ['b'] }), 'done')
  assert.deepEqual(pool.status(), { running: 1, queued: 3, processes: 1 })
  caller.abort()
  await Promise.all(aborted)
})

test('if the queue is full, the client with the most jobs loses its newest', async (t) => {
  const pool = startPool(t, { maxQueued: 2 })
  const [first, second, third] = ['a', 'a', 'a'].map((client) => pool.run('answer later', 100, { client: [client] }))
  const refused = assert.rejects(third!, Busy)
  const other = pool.run('answer later', 100, { client: ['b'] })
  await refused
  await Promise.all([first, second, other])
})

test('a client whose process waited runs before one whose process worked', async (t) => {
  const pool = startPool(t, { hasReserve: false })
  const ended: string[] = []
  const run = (client: string, action: string) =>
    pool.run(action, 1, { client: [client] }).then(() => ended.push(client))
  await Promise.all([run('a', 'work for 100 ms'), run('b', 'answer later')])
  await Promise.all([run('c', 'answer later'), run('a', 'answer'), run('b', 'answer')])
  assert.deepEqual(ended.slice(3), ['b', 'a'])
})

test('of a cancelled job all of the time counts, also if its process did not work', async (t) => {
  const pool = startPool(t, { hasReserve: false })
  await started(pool)
  const controller = new AbortController()
  const cancelled = pool.run('answer later', 1, { client: ['a'], signal: controller.signal })
  controller.abort()
  await assert.rejects(cancelled)
  const ended: string[] = []
  const run = (client: string, action: string) =>
    pool.run(action, 1, { client: [client] }).then(() => ended.push(client))
  await run('b', 'answer later')
  await Promise.all([run('c', 'answer later'), run('a', 'answer'), run('b', 'answer')])
  assert.deepEqual(ended.slice(1), ['c', 'b', 'a'])
})

test('announce() fails with BUSY for a client whose job would be refused', async (t) => {
  const pool = startPool(t, { maxQueued: 2 })
  const jobs = ['a', 'a', 'a'].map((client) => pool.run('answer later', 100, { client: [client] }))
  assert.throws(() => pool.announce(['a']), Busy)
  pool.announce(['b'])[Symbol.dispose]()
  await Promise.all(jobs)
  pool.announce(['a'])[Symbol.dispose]()
})

test('without a queue, a client is admitted while a process is free for it', async (t) => {
  const pool = startPool(t, { maxQueued: 0 })
  pool.announce(['a'])[Symbol.dispose]()
  const jobs = [pool.run('answer later', 1, { client: ['a'] })]
  assert.throws(() => pool.announce(['a']), Busy)
  pool.announce(['b'])[Symbol.dispose]()
  jobs.push(pool.run('answer later', 1, { client: ['b'] }))
  assert.throws(() => pool.announce(['c']), Busy)
  await Promise.all(jobs)
})

test('a task that takes too much memory or computing time ends its process and gets its own answer', async (t) => {
  const pool = startPool(t)
  const first = await started(pool)
  for (const [action, limit] of [
    ['compute', 'maxCpuMs'],
    ['compute for several turns', 'maxTurnMs'],
    ['allocate', 'maxBytes'],
  ]) {
    assert.equal(await pool.run(action!), limit)
    assert.notEqual(await started(pool), first)
  }
})

test('a process that announces more than planned, or sends an invalid answer, is killed and fails only its own task', async (t) => {
  const pool = startPool(t)
  for (const action of [
    'announce 4 GB',
    'announce more than planned',
    'announce 4 GB of JSON',
    'send broken JSON',
    'send null',
  ]) {
    const id = await started(pool)
    await assert.rejects(pool.run(action), new TaskKilled('died'))
    await until(() => !isAlive(id))
    const bytes = new Uint8Array(1000)
    assert.deepEqual(await pool.run('answer with its bytes', 1, {}, bytes), { bytes: Buffer.from(bytes) })
  }
})

test('an answer that is read after its process was killed is no error', async (t) => {
  const countPipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length
  // The processes of other tests end a moment after they are killed.
  await until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'))
  const pipes = countPipes()
  const errors: string[] = []
  const pool = startPool(t, { log: { error: (_, message) => void errors.push(message) } })
  const id = await started(pool)
  const job = pool.run('announce and exit')
  // Nothing is read meanwhile.
  while (!/^State:\tZ/m.test(readFileSync(`/proc/${id}/status`, 'utf8')));
  await Promise.all([assert.rejects(job, new InternalError()), pool.close()])
  await until(() => countPipes() === pipes)
  assert.deepEqual(errors, [])
})

test('a process that keeps much memory after a task is replaced', async (t) => {
  const pool = startPool(t)
  const first = await started(pool)
  assert.equal(await started(pool), first)
  await pool.run('keep memory')
  assert.notEqual(await started(pool), first)
})

const isAlive = (id: number) => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

test('an idle process ends, and the next job starts another', async (t) => {
  const pool = startPool(t, { idleTimeoutMs: 100 })
  const first = await started(pool)
  await until(() => !isAlive(first))
  assert.notEqual(await started(pool), first)
})

test('no job gets an idle process that is ending', async (t) => {
  const pool = startPool(t, { idleTimeoutMs: 10 })
  const first = await started(pool)
  const { promise, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, 11)
  // Both timers are due: the process is killed, and its exit is not known yet.
  keepThreadBusy(50)
  await promise
  assert.notEqual(await started(pool), first)
})

test('close() ends every process', async (t) => {
  const pool = startPool(t)
  const id = await started(pool)
  await pool.close()
  await until(() => !isAlive(id))
})

test('a process ends when the service is killed', async () => {
  const owner = spawn(process.execPath, [join(import.meta.dirname, 'programs', 'pool-owner.ts')])
  const [id] = await once(owner.stdout, 'data')
  assert.ok(isAlive(Number(id)))
  owner.kill('SIGKILL')
  await until(() => !isAlive(Number(id)))
})

test('a process sees no environment and cannot write, connect or start processes', async (t) => {
  const pool = startPool(t, { readablePaths: [join(ROOT, 'src'), join(ROOT, 'test'), join(ROOT, 'node_modules')] })
  assert.deepEqual(await pool.run('report what is possible'), {
    environment: ['GLIBC_TUNABLES', 'MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE'],
    succeeded: ['read the program'],
  })
})

test('if no process can start, jobs fail as a fault of the service', async (t) => {
  const pool = startPool(t, { program: new URL('./programs/missing.ts', import.meta.url) })
  await assert.rejects(pool.run('answer'), InternalError)
  assert.equal(pool.health().hasFailedToStart, true)
})

test('the pool reports for how long jobs have waited while no process has become free', async (t) => {
  const pool = startPool(t)
  const id = await started(pool)
  const running = assert.rejects(pool.run('never answer'), new TaskKilled('died'))
  await delay(100)
  assert.equal(pool.health().blockedMs, 0, 'no job waits')
  const waiting = pool.run('answer')
  await until(() => pool.health().blockedMs > 50)
  process.kill(id, 'SIGKILL')
  await Promise.all([running, waiting])
  assert.equal(pool.health().blockedMs, 0)
})

test('a job of a network that used much queues again if one of another waits', async (t) => {
  let now = 0
  const pool = startPool(t, { hasReserve: false, clock: () => now })
  const id = await started(pool)
  const long = pool.run('answer with its id after 2 s', 1, { client: ['a'] })
  now += 6000
  const short = await pool.run('answer with its id', 1, { client: ['b'] })
  assert.notEqual(short, id)
  await until(() => pool.status().queued === 0)
  now += 1500
  const next = pool.run('answer with its id', 1, { client: ['b'] })
  assert.equal(await long, short)
  assert.equal(await next, short, 'the long job was not ended again so soon')
})

test('a second task with the same bytes gets them, too', async (t) => {
  const pool = startPool(t)
  const bytes = new Uint8Array([1, 2, 3])
  for (let nth = 0; nth < 3; nth++) {
    assert.deepEqual(await pool.run('answer with its bytes', 1, {}, bytes), { bytes: Buffer.from(bytes) })
    assert.equal(await pool.run('answer', 1, {}, bytes), 'done')
    await pool.run('answer')
  }
})
