// Restarts of nodes without a failed request, with real processes and clients that never retry.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Load, startLoad } from '../kit/load.ts'
import { startBalancer } from '../kit/load-balancer.ts'
import { openSocket } from '../kit/raw-http.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

/** Longer than a machine stops. */
const GRACE_SECONDS = '4'

/** Waits until that many more requests were answered. */
const waitForMore = (load: Load, requests: number) => {
  const before = load.done
  return until(() => load.done > before + requests, 20_000)
}

test('replacing a node behind a load balancer fails no request', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const balancer = await startBalancer(t)
  const addNode = async () => {
    const node = await spawnService(t, { STORE_URL: redis.url, STOP_GRACE_SECONDS: GRACE_SECONDS })
    const url = await node.opened
    balancer.add(url)
    await until(() => balancer.ready().includes(url))
    return { ...node, url }
  }
  const [old] = await Promise.all([addNode(), addNode()])
  const load = startLoad(t, `${balancer.url}/api/v1/version`)
  await waitForMore(load, 100)
  await addNode()
  old.child.kill('SIGTERM')
  assert.equal(await old.exited, 0)
  balancer.remove(old.url)
  await waitForMore(load, 100)
  await load.stop()
  t.diagnostic(`${load.done} requests while a node was replaced, ${load.failed.length} failed`)
  assert.deepEqual(load.failed, [])
})

test('during its grace period a stopping node is not ready, still serves, and closes each connection after its reply', async (t) => {
  const node = await spawnService(t, { STOP_GRACE_SECONDS: GRACE_SECONDS })
  const url = await node.opened
  const idle = await openSocket(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => idle.received() !== '')
  node.child.kill('SIGTERM')
  await until(async () => (await fetch(`${url}/readyz`)).status === 503)
  const reply = await fetch(`${url}/api/v1/version`)
  assert.deepEqual([reply.status, reply.headers.get('connection')], [200, 'close'])
  assert.equal(idle.isClosed(), false)
  assert.equal(await node.exited, 0)
  await until(idle.isClosed)
  await assert.rejects(fetch(`${url}/healthz`))
})
