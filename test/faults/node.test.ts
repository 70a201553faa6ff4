import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoad } from '../kit/load.ts'
import { startBalancer } from '../kit/load-balancer.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const CLIENTS = 8

test('killing a node fails only the requests that it was answering', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const balancer = await startBalancer(t)
  const nodes = await Promise.all([1, 2].map(() => spawnService(t, { STORE_URL: redis.url })))
  for (const { opened } of nodes) balancer.add(await opened)
  await until(() => balancer.ready().length === 2)
  const load = startLoad(t, `${balancer.url}/api/v1/animals/cat`, { callers: CLIENTS, pauseMs: 5 })
  await until(() => load.done > 100)
  nodes[0]?.child.kill('SIGKILL')
  await until(() => balancer.ready().length === 1)
  const failed = load.failed.length
  const done = load.done
  await until(() => load.done > done + 200, 20_000)
  await load.stop()
  t.diagnostic(`${failed} requests failed before the balancer noticed, ${load.failed.length - failed} after`)
  // Requests in progress at that moment may fail slightly later.
  assert.ok(load.failed.length - failed <= CLIENTS)
})
