import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRateLimiter } from '../../../src/features/access/index.ts'

const limit = { count: 5, seconds: 3600 }

function withClock(maxKeys?: number) {
  const clock = { ms: 1000 }
  return { clock, limiter: createRateLimiter(limit, { now: () => clock.ms, ...(maxKeys && { maxKeys }) }) }
}

test('a full bucket can be used at once and then refills continuously', () => {
  const { clock, limiter } = withClock()
  const remaining = Array.from({ length: 5 }, () => limiter.take('a').remaining)
  assert.deepEqual(remaining, [4, 3, 2, 1, 0])
  assert.deepEqual(limiter.take('a'), { remaining: 0, retryAfter: 720 })
  clock.ms += 719_000
  assert.equal(limiter.take('a').retryAfter, 1)
  clock.ms += 1000
  assert.deepEqual(limiter.take('a'), { remaining: 0, retryAfter: 0 })
  assert.equal(limiter.take('a').retryAfter, 720)
  assert.equal(limiter.take('b').retryAfter, 0)
})

test('a refused request does not count, and a refunded request can be used again', () => {
  const { clock, limiter } = withClock()
  for (let i = 0; i < 100; i++) limiter.take('a')
  limiter.refund('a')
  assert.equal(limiter.take('a').retryAfter, 0)
  assert.equal(limiter.take('a').retryAfter, 720)
  limiter.refund('unknown')
  clock.ms += 3_600_000
  assert.equal(limiter.take('a').remaining, 4)
})

test('a flood of addresses does not evict a client that keeps sending requests', () => {
  const { limiter } = withClock(100)
  for (let i = 0; i < 5; i++) limiter.take('busy')
  for (let i = 0; i < 10_000; i++) {
    limiter.take(`address ${i}`)
    if (i % 50 === 0) assert.ok(limiter.take('busy').retryAfter > 0)
  }
})

test('no window allows more than twice the limit, and no client waits for longer than one refill', () => {
  fc.assert(
    fc.property(
      fc.record({ count: fc.integer({ min: 1, max: 50 }), seconds: fc.integer({ min: 1, max: 100 }) }),
      fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 300 }),
      (limit, pauses) => {
        let ms = 0
        const limiter = createRateLimiter(limit, { now: () => ms })
        const taken: number[] = []
        for (const pause of pauses) {
          ms += pause
          const { retryAfter } = limiter.take('x')
          if (retryAfter === 0) taken.push(ms)
          else {
            const later = ms + retryAfter * 1000
            assert.ok(retryAfter <= Math.ceil(limit.seconds / limit.count) && later > ms)
          }
        }
        for (const start of taken) {
          const inWindow = taken.filter((at) => at >= start && at < start + limit.seconds * 1000)
          assert.ok(inWindow.length <= 2 * limit.count)
        }
      },
    ),
  )
})

test('of costly requests that were allowed together, only one is charged more than the bucket holds', () => {
  const { limiter } = withClock()
  for (let i = 0; i < 4; i++) limiter.take('a')
  const charged = Array.from({ length: 4 }, () => limiter.charge('a', 3).retryAfter)
  // One request was left, so two are missing, and one more for the next request.
  assert.deepEqual(charged, [0, 3 * 720, 3 * 720, 3 * 720])
  assert.equal(limiter.take('a').retryAfter, 3 * 720)
})
