import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { callerOf, createLimiter } from '../../../src/features/access/index.ts'

const budget = { requests: 5, seconds: 3600 }

function withClock(mostKeys?: number) {
  const clock = { ms: 1000 }
  return { clock, limiter: createLimiter(budget, { now: () => clock.ms, ...(mostKeys && { mostKeys }) }) }
}

test('the whole budget can be taken at once, then one each time a share of it has passed', () => {
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

test('a refusal costs nothing, and what is given back can be taken again', () => {
  const { clock, limiter } = withClock()
  for (let i = 0; i < 100; i++) limiter.take('a')
  limiter.giveBack('a')
  assert.equal(limiter.take('a').retryAfter, 0)
  assert.equal(limiter.take('a').retryAfter, 720)
  limiter.giveBack('unknown')
  clock.ms += 3_600_000
  assert.equal(limiter.take('a').remaining, 4)
})

test('a flood of addresses fills no memory, and who hammers on is not forgotten for it', () => {
  const { limiter } = withClock(100)
  for (let i = 0; i < 5; i++) limiter.take('hammer')
  for (let i = 0; i < 10_000; i++) {
    limiter.take(`address ${i}`)
    if (i % 50 === 0) assert.ok(limiter.take('hammer').retryAfter > 0)
  }
})

test('whatever the budget and the pauses, no window holds more than twice the budget, and it never starves', () => {
  fc.assert(
    fc.property(
      fc.record({ requests: fc.integer({ min: 1, max: 50 }), seconds: fc.integer({ min: 1, max: 100 }) }),
      fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 300 }),
      (any, pauses) => {
        let ms = 0
        const limiter = createLimiter(any, { now: () => ms })
        const taken: number[] = []
        for (const pause of pauses) {
          ms += pause
          const { retryAfter } = limiter.take('x')
          if (retryAfter === 0) taken.push(ms)
          else {
            const later = ms + retryAfter * 1000
            assert.ok(retryAfter <= Math.ceil(any.seconds / any.requests) && later > ms)
          }
        }
        for (const start of taken) {
          const inWindow = taken.filter((at) => at >= start && at < start + any.seconds * 1000)
          assert.ok(inWindow.length <= 2 * any.requests)
        }
      },
    ),
  )
})

test('an IPv6 caller is its /64, an IPv4 caller its address', () => {
  assert.equal(callerOf('192.0.2.7'), '192.0.2.7')
  assert.equal(callerOf('2001:db8:1:2:aaaa::1'), '2001:db8:1:2::/64')
  assert.equal(callerOf('2001:0DB8:1:2::ffff'), '2001:db8:1:2::/64')
  assert.equal(callerOf('2001:db8:1:3::1'), '2001:db8:1:3::/64')
  assert.equal(callerOf('::1'), '::/64')
  assert.equal(callerOf('fe80::1%eth0'), 'fe80::/64')
  assert.equal(callerOf(''), '')
})
