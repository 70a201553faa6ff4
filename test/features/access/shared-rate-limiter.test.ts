import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  computeAllowance,
  createSharedRateLimiter,
  type RateLimit,
  type SharedRateLimiter,
} from '../../../src/features/access/index.ts'
import { type Leases, openStore } from '../../../src/platform/store/index.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until, within } from '../../kit/until.ts'

/** Much longer than an answer on a machine that stops for seconds. The service waits for 100 ms. */
const WAIT_MS = 20_000
const HOUR = 3600

interface NodeOptions {
  readonly name?: string
  readonly waitMs?: number
}

/** The limiter of one node, with its own connection. */
async function node(
  t: TestContext,
  port: number,
  limit: RateLimit,
  { name = 'requests', waitMs = WAIT_MS }: NodeOptions = {},
) {
  const store = await openStore(`redis://127.0.0.1:${port}`, { dataDir: '', log: createTestLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const { leases } = store
  assert.ok(leases)
  let pending = 0
  const take: Leases['take'] = (...args) => {
    pending++
    return leases.take(...args).finally(() => pending--)
  }
  const limiter = createSharedRateLimiter(limit, { name, leases: { take }, waitMs, retryMs: 50 })
  t.after(() => limiter.close())
  /** Waits for the answers of the store. Lease requests are sent after a batch interval of 10 ms. */
  const settled = async () => {
    await sleep(40)
    await until(() => pending === 0)
  }
  return { ...limiter, settled }
}

/** Sends requests, several at a time, and returns how many were allowed. */
async function sendRequests(limiters: readonly SharedRateLimiter[], client: string, requests: number): Promise<number> {
  let [accepted, sent] = [0, 0]
  const one = async (limiter: SharedRateLimiter) => {
    while (sent++ < requests) {
      if ((await limiter.take(client)).retryAfter === 0) accepted++
      if (sent % 16 === 0) await sleep(1)
    }
  }
  await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 4 }, () => one(limiter))))
  return accepted
}

const keys = async (redis: TestRedis) => Number(/:(\d+)/.exec(await redis.command('DBSIZE'))?.[1])

for (const requests of [5, 60, 600]) {
  test(
    `three nodes together allow one client ${requests} requests, plus at most their allowance`,
    needsRedis,
    async (t) => {
      const { port } = await startRedis(t)
      const limit = { count: requests, seconds: HOUR }
      const nodes = await Promise.all([1, 2, 3].map(() => node(t, port, limit)))
      let accepted = await sendRequests(nodes, '192.0.2.1', requests * 4)
      t.diagnostic(`${accepted} of ${requests * 4} requests were allowed, with a limit of ${requests}`)
      assert.ok(accepted <= requests + nodes.length * computeAllowance(limit))
      // A node returns unused leases within two seconds, so that the whole limit is used in the end.
      await until(async () => {
        accepted += await sendRequests(nodes, '192.0.2.1', 12)
        return accepted >= requests
      })
      assert.ok(accepted <= requests + nodes.length * computeAllowance(limit))
      assert.equal((await nodes[0]?.take('192.0.2.2'))?.retryAfter, 0)
      assert.ok(nodes.every((each) => each.status().fallbacks === 0))
    },
  )
}

test('a limit below twenty is exact', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limit = { count: 19, seconds: HOUR }
  const nodes = await Promise.all([1, 2].map(() => node(t, port, limit)))
  assert.equal(await sendRequests(nodes, '192.0.2.1', 100), 19)
})

test('an ordinary client never waits, and the other node knows its requests', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const [one, two] = [
    await node(t, port, { count: 60, seconds: HOUR }),
    await node(t, port, { count: 60, seconds: HOUR }),
  ]
  const startedAt = performance.now()
  for (let i = 0; i < 10; i++) {
    assert.ok(!(one.take('192.0.2.1') instanceof Promise))
    await one.settled()
  }
  assert.equal(one.status().waited, 0)
  two.take('192.0.2.1')
  await two.settled()
  const { remaining } = await two.take('192.0.2.1')
  // A lease that is not used for a second is returned without the part that may have been refilled.
  const returned = Math.floor((performance.now() - startedAt) / 1000)
  assert.ok(remaining >= 45 - returned && remaining <= 48, `${remaining}`)
})

test('the other node knows what a costly request was charged, also if the bucket held less', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limit = { count: 60, seconds: HOUR }
  const [one, two] = [await node(t, port, limit), await node(t, port, limit)]
  for (const [charged, expected] of [
    [40, 60 - 40 - 3],
    [40, 0],
  ] as const) {
    await one.take('192.0.2.1')
    one.charge('192.0.2.1', charged)
    await one.settled()
    await two.take('192.0.2.1')
    await two.settled()
    const { remaining } = await two.take('192.0.2.1')
    assert.ok(Math.abs(remaining - expected) <= 1, `${remaining}`)
  }
  assert.ok((await two.take('192.0.2.1')).retryAfter > 20 * 60)
})

test('costly requests that wait for the store together use little more than the limit', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limit = { count: 60, seconds: HOUR }
  const [one, two] = [await node(t, port, limit), await node(t, port, limit)]
  await Promise.all(Array.from({ length: 50 }, () => one.take('192.0.2.1')))
  const charged = Array.from({ length: 50 }, () => one.charge('192.0.2.1', 20)).filter((it) => it.retryAfter === 0)
  assert.equal(charged.length, 1)
  await one.settled()
  await two.take('192.0.2.1')
  await two.settled()
  const { retryAfter } = await two.take('192.0.2.1')
  assert.ok(retryAfter > 0 && retryAfter < 20 * 60, `${retryAfter}`)
})

test('leases of a busy client that stops are returned to the other nodes', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limit = { count: 200, seconds: HOUR }
  const [one, two] = [await node(t, port, limit), await node(t, port, limit)]
  const startedAt = performance.now()
  await sendRequests([one], '192.0.2.1', 60)
  const returned = Math.floor((performance.now() - startedAt) / 1000)
  await until(() => one.status().leases === 1)
  await until(() => one.status().leases === 0)
  await one.settled()
  two.take('192.0.2.1')
  await two.settled()
  const { remaining } = await two.take('192.0.2.1')
  // Two requests were used here, and a part of one refilled, which is not returned twice. The same for each earlier lease.
  assert.ok(remaining >= 200 - 60 - 3 - returned, `${remaining}`)
})

test('a refused client may continue after retryAfter seconds', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limiter = await node(t, port, { count: 2, seconds: 4 })
  const startedAt = performance.now()
  const accepted = await sendRequests([limiter], '192.0.2.1', 10)
  const refilled = Math.floor((performance.now() - startedAt) / 2000)
  assert.ok(accepted >= 2 && accepted <= 2 + refilled, `${accepted}`)
  let retryAfter = 0
  await until(async () => {
    retryAfter = (await limiter.take('192.0.2.1')).retryAfter
    return retryAfter > 0
  })
  assert.ok(retryAfter <= 2, `${retryAfter}`)
  const { leaseRequests } = limiter.status()
  for (let i = 0; i < 100; i++) limiter.take('192.0.2.1')
  assert.equal(limiter.status().leaseRequests, leaseRequests, 'a known refusal needs no store')
  await until(async () => (await limiter.take('192.0.2.1')).retryAfter === 0, retryAfter * 1000 + 500)
})

test('buckets are separate, and their keys expire', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limit = { count: 2, seconds: 60 }
  const [requests, filters] = [await node(t, redis.port, limit), await node(t, redis.port, limit, { name: 'filters' })]
  assert.equal(await sendRequests([requests], '192.0.2.1', 4), 2)
  assert.equal((await filters.take('192.0.2.1')).retryAfter, 0)
  const keys = (await redis.command('KEYS *limit*')).match(/\{.+/g) ?? []
  assert.equal(keys.length, 2, keys.join())
  for (const key of keys) {
    const seconds = Number(/:(.+)/.exec(await redis.command(`TTL ${key}`))?.[1])
    assert.ok(seconds > 0 && seconds <= limit.seconds, `${key}: ${seconds} s`)
  }
})

test('an invalid value or a time in the far future blocks nobody for long', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limiter = await node(t, redis.port, { count: 2, seconds: 1 })
  await limiter.take('192.0.2.1')
  const key = /(\{menagerie:\d+\}:limit:requests:192\.0\.2\.1)/.exec(await redis.command('KEYS *limit*'))?.[1]
  await redis.command(`SET ${key} invalid`)
  assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
  await redis.command(`SET ${key} 99999999999999`)
  const other = await node(t, redis.port, { count: 2, seconds: 1 })
  assert.equal((await other.take('192.0.2.1')).retryAfter, 2)
})

for (const [how, stop, resume] of [
  ['killed', 'kill', 'start'],
  ['paused', 'pause', 'resume'],
] as const) {
  test(
    `while Redis is ${how} the node limits by itself, and afterwards the limit is shared again`,
    needsRedis,
    async (t) => {
      const redis = await startRedis(t)
      t.after(() => redis.resume())
      const limiter = await node(t, redis.port, { count: 10, seconds: HOUR }, { waitMs: 150 })
      assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
      await redis[stop]()
      assert.equal((await within(1000, async () => limiter.take('192.0.2.1'))).retryAfter, 0)
      assert.ok(limiter.status().isStoreUnavailable)
      // Nobody waits now, and the local limit applies.
      const taken = Array.from({ length: 20 }, () => limiter.take('192.0.2.1'))
      assert.ok(taken.every((each) => !(each instanceof Promise)))
      assert.equal((await Promise.all(taken)).filter(({ retryAfter }) => retryAfter === 0).length, 8)
      await redis[resume]()
      await until(async () => {
        await limiter.take('192.0.2.3')
        return !limiter.status().isStoreUnavailable
      }, 10_000)
    },
  )
}

test('clients with costly requests are not refused for long after an outage of Redis', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limiter = await node(t, redis.port, { count: 10, seconds: 1 }, { waitMs: 150 })
  await redis.kill()
  const taken = limiter.take('192.0.2.2')
  limiter.charge('192.0.2.2', 30)
  await taken
  await until(() => limiter.status().isStoreUnavailable)
  for (let charged = 0; charged < 4; ) {
    if ((await limiter.take('192.0.2.1')).retryAfter === 0 && limiter.charge('192.0.2.1', 9).retryAfter === 0) charged++
    await sleep(20)
  }
  await redis.start()
  await until(() => !limiter.status().isStoreUnavailable, 10_000)
  for (const client of ['192.0.2.1', '192.0.2.2'])
    await until(async () => (await limiter.take(client)).retryAfter === 0)
})

test('a slow Redis delays no request for longer than the timeout', needsRedis, async (t) => {
  const proxy = await startSlowProxy(t, (await startRedis(t)).port)
  const limiter = await node(t, proxy.port, { count: 10, seconds: HOUR }, { waitMs: 100 })
  proxy.delayMs = 2000
  // The answer is not waited for.
  const taken = await within(1900, () => Promise.all(Array.from({ length: 5 }, () => limiter.take('192.0.2.1'))))
  assert.ok(taken.every(({ retryAfter }) => retryAfter === 0))
  assert.ok(limiter.status().isStoreUnavailable && limiter.status().fallbacks === 5)
  proxy.delayMs = 0
  await until(() => !limiter.status().isStoreUnavailable)
  // Requests that were allowed meanwhile are reported afterwards.
  await limiter.take('192.0.2.1')
  const { remaining } = await limiter.take('192.0.2.1')
  assert.ok(remaining <= 3, `${remaining}`)
})

test('a flood of addresses does not fill the memory of Redis', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limiter = await node(t, redis.port, { count: 600, seconds: 1 })
  for (let i = 0; i < 20_000; i++) limiter.take(`address ${i}`)
  await until(() => limiter.status().leaseRequests === 20_000, 10_000)
  await until(async () => (await keys(redis)) < 10, 10_000)
})
