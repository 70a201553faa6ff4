import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Busy, ImageUnreadable, InternalError } from '../../../../src/errors/index.ts'
import type { Making } from '../../../../src/features/images/engine/worker.ts'
import { type Conditions, type CrewOptions, createCrew } from '../../../../src/features/images/engine/worker-pool.ts'
import { until } from '../../../kit/until.ts'
import { silent } from './start.ts'

const program = new URL('./programs/odd-worker.ts', import.meta.url)

function startCrew(t: TestContext, options: Partial<CrewOptions & Conditions> = {}) {
  const workerOptions = { maxPixels: 100, maxFrames: 1, decodeTimeoutMs: 1000 }
  const crew = createCrew({ threads: 1, maxQueued: 5, workerOptions, log: silent, program, ...options })
  t.after(() => crew.close())
  /** Has the worker do what the word says, of a picture so many pixels wide. */
  const run = (filter: string, width = 1, more: Partial<Conditions> = {}) => {
    const conditions = { caller: '', pixels: width, waitsUntil: performance.now() + 60_000, timeoutMs: 5000 }
    return crew.run(task(filter, width), { ...conditions, ...options, ...more })
  }
  return { ...crew, run }
}

const source = { format: 'png', type: 'image/png', width: 1, height: 1, pages: 1, turned: false } as const
const task = (filter: string, width: number): Making => {
  return { bytes: new Uint8Array(1), source: { ...source, width }, filter, strength: 0, output: 'png' }
}

for (const fault of ['throw', 'exit', 'fail']) {
  test(`a worker that does "${fault}" fails its job only`, async (t) => {
    const crew = startCrew(t)
    const jobs = [crew.run(fault), crew.run('work')] as const
    await assert.rejects(jobs[0], InternalError)
    assert.equal((await jobs[1]).width, 1)
    assert.equal(crew.status().running, 0)
  })
}

test('a worker that hangs is replaced and its job fails', async (t) => {
  const crew = startCrew(t, { timeoutMs: 2000 })
  const jobs = [crew.run('hang'), crew.run('work')] as const
  await assert.rejects(jobs[0], ImageUnreadable)
  assert.equal((await jobs[1]).width, 1)
})

test('beyond the queue a job is refused with the seconds after which to try again', async (t) => {
  const crew = startCrew(t, { threads: 2, maxQueued: 1 })
  const running = [crew.run('wait'), crew.run('wait'), crew.run('wait')]
  assert.deepEqual(crew.status(), { running: 2, queued: 1, threads: 2 })
  await assert.rejects(crew.run('work'), (error) => error instanceof Busy && Number(error.details.retryAfter) >= 1)
  await Promise.all(running)
  assert.equal((await crew.run('work')).width, 1)
})

test('pictures under way have no more pixels together than one picture may have, and a share for small ones', async (t) => {
  const crew = startCrew(t, { threads: 5 })
  const jobs = [60, 40, 6, 6, 100].map((width) => crew.run('wait', width))
  assert.deepEqual(crew.status(), { running: 3, queued: 2, threads: 5 })
  await Promise.all(jobs)
})

test('a job that is called off leaves the queue', async (t) => {
  const crew = startCrew(t)
  const first = crew.run('wait')
  const calling = new AbortController()
  const second = crew.run('work', 1, { signal: calling.signal })
  calling.abort(new Error('the caller hung up'))
  await assert.rejects(second, { message: 'the caller hung up' })
  assert.equal(crew.status().queued, 0)
  await first
})

test('a running job that is called off fails at once and its thread goes on', async (t) => {
  const crew = startCrew(t)
  const calling = new AbortController()
  const running = crew.run('wait', 1, { signal: calling.signal })
  calling.abort()
  await assert.rejects(running, { name: 'AbortError' })
  await until(() => crew.status().running === 0)
  assert.equal((await crew.run('work')).width, 1)
  await assert.rejects(crew.run('work', 1, { signal: calling.signal }), { name: 'AbortError' })
})

test('closing fails the jobs that wait', async (t) => {
  const crew = startCrew(t)
  const jobs = [crew.run('wait'), crew.run('work')]
  const failed = Promise.all(jobs.map((job) => assert.rejects(job, InternalError)))
  await crew.close()
  await failed
})

test('a job that waits too long is refused with the seconds after which to try again', async (t) => {
  const crew = startCrew(t, { timeoutMs: 60_000 })
  const calling = new AbortController()
  const first = assert.rejects(crew.run('never', 1, { signal: calling.signal }), { name: 'AbortError' })
  const waitsUntil = performance.now() + 50
  await assert.rejects(
    crew.run('work', 1, { waitsUntil }),
    (error) => error instanceof Busy && Number(error.details.retryAfter) >= 1,
  )
  assert.deepEqual(crew.status(), { running: 1, queued: 0, threads: 1 })
  calling.abort()
  await first
})

test('a small picture of another caller is worked on while one caller has every thread', async (t) => {
  const crew = startCrew(t, { timeoutMs: 60_000 })
  const calling = new AbortController()
  const held = Array.from({ length: 4 }, () => crew.run('never', 100, { caller: 'a', signal: calling.signal }))
  const gone = held.map((job) => assert.rejects(job, { name: 'AbortError' }))
  for (let n = 0; n < 3; n++) assert.equal((await crew.run('work', 1, { caller: 'b' })).width, 1)
  assert.deepEqual(crew.status(), { running: 1, queued: 3, threads: 1 })
  calling.abort()
  await Promise.all(gone)
})

test('where the line is full, the caller who has most in it makes room', async (t) => {
  const crew = startCrew(t, { maxQueued: 2 })
  const [first, second, third] = ['a', 'a', 'a'].map((caller) => crew.run('wait', 100, { caller }))
  const refused = assert.rejects(third!, Busy)
  const other = crew.run('wait', 100, { caller: 'b' })
  await refused
  await Promise.all([first, second, other])
})
