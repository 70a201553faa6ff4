import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFairSemaphore, type FairSemaphore } from '../../../src/platform/concurrency/index.ts'
import { matchApiError } from '../../kit/api-error.ts'

const options = {
  maxRunning: 2,
  maxRunningPerGroup: 2,
  maxWaiting: 4,
  waitTimeoutMs: 5000,
  computeRetryAfter: (waiting: number) => waiting,
}

/** Callers that acquire a slot, record their name, and keep the slot until `releaseOldest`. */
function createCallers(semaphore: FairSemaphore) {
  const admitted: string[] = []
  const slots: Disposable[] = []
  const acquire = async (name: string, key = name) => {
    slots.push(await semaphore.acquire([key]))
    admitted.push(name)
  }
  const releaseOldest = async () => {
    await new Promise(setImmediate)
    slots.shift()![Symbol.dispose]()
  }
  return { admitted, acquire, releaseOldest }
}

test('waiting keys get slots in turn, not first come first served', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 1, maxWaiting: 10, countsUse: false })
  const { admitted, acquire, releaseOldest } = createCallers(semaphore)
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => acquire(name, name[0]))
  for (let n = 0; n < 6; n++) await releaseOldest()
  await Promise.all(all)
  assert.deepEqual(admitted, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('one key never takes all slots', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 3, maxRunningPerGroup: 2 })
  const { admitted, acquire, releaseOldest } = createCallers(semaphore)
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => acquire(name, name[0]))
  await new Promise(setImmediate)
  assert.deepEqual(admitted, ['a1', 'a2', 'b1'])
  await releaseOldest()
  await Promise.all(all)
  assert.deepEqual(semaphore.status(), { running: 3, waiting: 0 })
})

test('if the queue is full, the key with the most waiters loses its newest to another key', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 1, maxWaiting: 3 })
  const { admitted, acquire, releaseOldest } = createCallers(semaphore)
  await acquire('a0', 'a')
  const all = ['a1', 'a2'].map((name) => acquire(name, 'a'))
  const newest = assert.rejects(acquire('a3', 'a'), matchApiError('BUSY', { retryAfter: 3 }))
  await assert.rejects(acquire('a4', 'a'), matchApiError('BUSY'))
  all.push(acquire('b1', 'b'))
  await newest
  await assert.rejects(acquire('b2', 'b'), matchApiError('BUSY'))
  assert.deepEqual(semaphore.status(), { running: 1, waiting: 3 })
  for (let n = 0; n < 3; n++) await releaseOldest()
  await Promise.all(all)
  assert.deepEqual(admitted, ['a0', 'a1', 'b1', 'a2'])
})

test('a waiter fails with BUSY after the time limit, or at once if none may wait', async () => {
  for (const semaphore of [
    createFairSemaphore({ ...options, maxRunning: 1, waitTimeoutMs: 50 }),
    createFairSemaphore({ ...options, maxRunning: 1, maxWaiting: 0 }),
  ]) {
    using _slot = await semaphore.acquire(['a'])
    await assert.rejects(semaphore.acquire(['b']), matchApiError('BUSY'))
    assert.deepEqual(semaphore.status(), { running: 1, waiting: 0 })
  }
})

test('limits hold and every waiter is settled under random arrivals, aborts and releases', async () => {
  const arrival = fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3), aborts: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { maxLength: 30 }), async (arrivals) => {
      const semaphore = createFairSemaphore({ ...options, maxRunning: 3 })
      const running: Record<string, number> = {}
      const occupy = async ({ key, turns, aborts }: (typeof arrivals)[number]) => {
        const caller = new AbortController()
        const acquiring = semaphore.acquire([key], caller.signal)
        if (aborts) caller.abort()
        const slot = await acquiring.catch(() => undefined)
        if (!slot) return
        running[key] = (running[key] ?? 0) + 1
        for (let n = 0; n < turns; n++) await Promise.resolve()
        assert.ok(running[key] <= 2 && semaphore.status().running <= 3 && semaphore.status().waiting <= 4)
        running[key]--
        slot[Symbol.dispose]()
      }
      await Promise.all(arrivals.map(occupy))
      assert.deepEqual(semaphore.status(), { running: 0, waiting: 0 })
    }),
  )
})

test('a network of many clients has as many turns as a network of one', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 1, maxWaiting: 30 })
  const order: string[] = []
  const paths = [...Array.from({ length: 10 }, (_, nth) => ['wide', `w${nth}`]), ['home', 'h1'], ['home', 'h1']]
  const held = await semaphore.acquire(['first'])
  const all = paths.map(async (path) => {
    using _slot = await semaphore.acquire(path)
    order.push(path[0]!)
  })
  held[Symbol.dispose]()
  await Promise.all(all)
  assert.deepEqual(order.slice(0, 4), ['wide', 'home', 'wide', 'home'])
})

test('if the queue is full, the largest network loses its newest, not a client of another', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 1, maxWaiting: 4 })
  using _slot = await semaphore.acquire(['first'])
  const outcomes: string[] = []
  const wait = (network: string, client: string) =>
    void semaphore.acquire([network, client]).catch(() => outcomes.push(client))
  for (const client of ['w1', 'w2', 'w3']) wait('wide', client)
  for (const client of ['h1', 'h2']) wait('home', client)
  await new Promise(setImmediate)
  assert.deepEqual(outcomes, ['w3'])
})

test('a network never takes all slots, whichever of its clients runs', async () => {
  const semaphore = createFairSemaphore({ ...options, maxRunning: 4, maxRunningPerGroup: 3 })
  const caller = new AbortController()
  const slots = Array.from({ length: 4 }, (_, nth) => semaphore.acquire(['wide', `w${nth}`], caller.signal))
  assert.deepEqual(semaphore.status(), { running: 3, waiting: 1 })
  using _slot = await semaphore.acquire(['home', 'h1'])
  caller.abort()
  await Promise.allSettled(slots)
})
