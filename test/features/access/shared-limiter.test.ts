import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Budget, createSharedLimiter, creditOf, type SharedLimiter } from '../../../src/features/access/index.ts'
import { type Leases, openStore } from '../../../src/platform/store/index.ts'
import { rememberingLog } from '../../kit/log.ts'
import { needsRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { startSlowProxy } from '../../kit/slow-proxy.ts'
import { until } from '../../kit/until.ts'

/** Far above a healthy answer on a busy machine; the service itself waits for 100 ms. */
const WAIT_MS = 1500
const HOUR = 3600

interface NodeOptions {
  readonly name?: string
  readonly waitMs?: number
}

/** The limiter of one node, over a connection of its own. */
async function node(
  t: TestContext,
  port: number,
  budget: Budget,
  { name = 'requests', waitMs = WAIT_MS }: NodeOptions = {},
) {
  const store = openStore(`redis://127.0.0.1:${port}`, { dataDir: '', log: rememberingLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const { leases } = store
  assert.ok(leases)
  let underWay = 0
  const take: Leases['take'] = (...given) => {
    underWay++
    return leases.take(...given).finally(() => underWay--)
  }
  const limiter = createSharedLimiter(budget, { name, leases: { take }, waitMs, retryMs: 50 })
  t.after(() => limiter.close())
  /** When the store has heard and answered; asks gather for ten milliseconds first. */
  const settled = async () => {
    await sleep(40)
    await until(() => underWay === 0)
  }
  return { ...limiter, settled }
}

/** How many of so many requests, several at a time, are let through. */
async function hammer(limiters: readonly SharedLimiter[], caller: string, requests: number): Promise<number> {
  let [accepted, sent] = [0, 0]
  const one = async (limiter: SharedLimiter) => {
    while (sent++ < requests) {
      if ((await limiter.take(caller)).retryAfter === 0) accepted++
      if (sent % 16 === 0) await sleep(1)
    }
  }
  await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 4 }, () => one(limiter))))
  return accepted
}

const keys = async (redis: TestRedis) => Number(/:(\d+)/.exec(await redis.command('DBSIZE'))?.[1])

for (const requests of [5, 60, 600]) {
  test(
    `one caller on three nodes: ${requests} requests in sum, and no more than the stated credit over`,
    needsRedis,
    async (t) => {
      const { port } = await startRedis(t)
      const budget = { requests, seconds: HOUR }
      const nodes = await Promise.all([1, 2, 3].map(() => node(t, port, budget)))
      let accepted = await hammer(nodes, '192.0.2.1', requests * 4)
      t.diagnostic(`${accepted} of ${requests * 4} were let through, with a budget of ${requests}`)
      assert.ok(accepted <= requests + nodes.length * creditOf(budget))
      // What a node held and did not use comes back within two seconds, so that in the end all of the budget was used.
      await until(async () => {
        accepted += await hammer(nodes, '192.0.2.1', 12)
        return accepted >= requests
      })
      assert.ok(accepted <= requests + nodes.length * creditOf(budget))
      assert.equal((await nodes[0]?.take('192.0.2.2'))?.retryAfter, 0)
      assert.ok(nodes.every((each) => each.status().fallbacks === 0))
    },
  )
}

test('a budget below twenty is exact', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const budget = { requests: 19, seconds: HOUR }
  const nodes = await Promise.all([1, 2].map(() => node(t, port, budget)))
  assert.equal(await hammer(nodes, '192.0.2.1', 100), 19)
})

test('an ordinary caller never waits, and what it took is known on the other node', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const [one, two] = [
    await node(t, port, { requests: 60, seconds: HOUR }),
    await node(t, port, { requests: 60, seconds: HOUR }),
  ]
  for (let i = 0; i < 10; i++) {
    assert.ok(!(one.take('192.0.2.1') instanceof Promise))
    await one.settled()
  }
  assert.equal(one.status().waited, 0)
  two.take('192.0.2.1')
  await two.settled()
  const { remaining } = await two.take('192.0.2.1')
  assert.ok(remaining >= 45 && remaining <= 48, `${remaining}`)
})

test('what a node held for a busy caller who went away comes back to the others', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const budget = { requests: 200, seconds: HOUR }
  const [one, two] = [await node(t, port, budget), await node(t, port, budget)]
  await hammer([one], '192.0.2.1', 60)
  await until(() => one.status().leases === 1)
  await until(() => one.status().leases === 0)
  await one.settled()
  two.take('192.0.2.1')
  await two.settled()
  const { remaining } = await two.take('192.0.2.1')
  // Two were taken here, and a part of one refilled meanwhile, which is not given back twice.
  assert.ok(remaining >= 200 - 60 - 3, `${remaining}`)
})

test('a refused caller is told when to come back, and is let in then', needsRedis, async (t) => {
  const { port } = await startRedis(t)
  const limiter = await node(t, port, { requests: 2, seconds: 4 })
  assert.equal(await hammer([limiter], '192.0.2.1', 10), 2)
  const { retryAfter } = await limiter.take('192.0.2.1')
  assert.ok(retryAfter === 1 || retryAfter === 2, `${retryAfter}`)
  const { asked } = limiter.status()
  for (let i = 0; i < 100; i++) limiter.take('192.0.2.1')
  assert.equal(limiter.status().asked, asked, 'a refusal that is known needs no store')
  await sleep(retryAfter * 1000 + 100)
  assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
})

test('budgets have names, and their keys go by themselves', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const budget = { requests: 2, seconds: 3 }
  const [requests, filters] = [
    await node(t, redis.port, budget),
    await node(t, redis.port, budget, { name: 'filters' }),
  ]
  const before = await keys(redis)
  assert.equal(await hammer([requests], '192.0.2.1', 4), 2)
  assert.equal((await filters.take('192.0.2.1')).retryAfter, 0)
  assert.equal(await keys(redis), before + 2)
  await until(async () => (await keys(redis)) === before)
})

test('rubbish in the place of a budget, and a moment far ahead, shut nobody out for long', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limiter = await node(t, redis.port, { requests: 2, seconds: 1 })
  await limiter.take('192.0.2.1')
  const key = /(\{menagerie:\d+\}:limit:requests:192\.0\.2\.1)/.exec(await redis.command('KEYS *limit*'))?.[1]
  await redis.command(`SET ${key} rubbish`)
  assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
  await redis.command(`SET ${key} 99999999999999`)
  const other = await node(t, redis.port, { requests: 2, seconds: 1 })
  assert.equal((await other.take('192.0.2.1')).retryAfter, 2)
})

for (const [how, away, back] of [
  ['killed', 'kill', 'start'],
  ['paused', 'hang', 'goOn'],
] as const) {
  test(
    `Redis ${how}: the limits of the node go on at once, and are shared again when it is back`,
    needsRedis,
    async (t) => {
      const redis = await startRedis(t)
      t.after(() => redis.goOn())
      const limiter = await node(t, redis.port, { requests: 10, seconds: HOUR }, { waitMs: 150 })
      assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
      await redis[away]()
      const begun = performance.now()
      assert.equal((await limiter.take('192.0.2.1')).retryAfter, 0)
      assert.ok(performance.now() - begun < 1000)
      assert.ok(limiter.status().isAway)
      // Nobody waits now, and the budget of this node still holds.
      const taken = Array.from({ length: 20 }, () => limiter.take('192.0.2.1'))
      assert.ok(taken.every((each) => !(each instanceof Promise)))
      assert.equal((await Promise.all(taken)).filter(({ retryAfter }) => retryAfter === 0).length, 8)
      await redis[back]()
      await until(async () => {
        await limiter.take('192.0.2.3')
        return !limiter.status().isAway
      }, 10_000)
    },
  )
}

test('Redis that is slow delays nobody for longer than the bound', needsRedis, async (t) => {
  const proxy = await startSlowProxy(t, (await startRedis(t)).port)
  const limiter = await node(t, proxy.port, { requests: 10, seconds: HOUR }, { waitMs: 100 })
  proxy.delayMs = 2000
  const begun = performance.now()
  const taken = await Promise.all(Array.from({ length: 5 }, () => limiter.take('192.0.2.1')))
  assert.ok(performance.now() - begun < 1900, 'the answer was not waited for')
  assert.ok(taken.every(({ retryAfter }) => retryAfter === 0))
  assert.ok(limiter.status().isAway && limiter.status().fallbacks === 5)
  proxy.delayMs = 0
  await until(() => !limiter.status().isAway)
  // What was let through meanwhile is told afterwards.
  await limiter.take('192.0.2.1')
  const { remaining } = await limiter.take('192.0.2.1')
  assert.ok(remaining <= 3, `${remaining}`)
})

test('a flood of addresses fills no memory here', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const limiter = await node(t, redis.port, { requests: 600, seconds: 1 })
  for (let i = 0; i < 20_000; i++) limiter.take(`address ${i}`)
  await until(() => limiter.status().asked === 20_000, 10_000)
  await until(async () => (await keys(redis)) < 10, 10_000)
})
