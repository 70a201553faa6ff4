// Restarts that nobody who asks notices, counted over real processes by callers who retry nothing.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startBalancer } from '../../kit/balancer.ts'
import { keepAsking, type Load } from '../../kit/load.ts'
import { isAlive, spawnService } from '../../kit/process.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'

/** Until so many more were answered. */
const more = (load: Load, requests: number) => {
  const before = load.done
  return until(() => load.done > before + requests, 20_000)
}

test('a roll of the workers fails no request', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
  const url = await service.opened
  const before = await service.workers()
  const load = keepAsking(t, `${url}/api/v1/animals/cat`)
  await more(load, 100)
  service.child.kill('SIGHUP')
  await until(() => /All workers were replaced/.test(service.output()), 60_000)
  await more(load, 100)
  await load.stop()
  t.diagnostic(`${load.done} requests over a roll of 2 workers, ${load.failed.length} failed`)
  assert.deepEqual(load.failed, [])
  assert.ok(before.every((pid) => !isAlive(pid)))
})

test('nodes behind a balancer are restarted one after the other, and no request fails', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const balancer = await startBalancer(t)
  const join = async () => {
    const node = await spawnService(t, { STORE_URL: redis.url, STOP_GRACE_SECONDS: '1' })
    const url = await node.opened
    balancer.add(url)
    await until(() => balancer.ready().includes(url))
    return { ...node, url }
  }
  const old = [await join(), await join()]
  const load = keepAsking(t, `${balancer.url}/api/v1/animals/cat`)
  await more(load, 100)
  for (const node of old) {
    await join()
    node.child.kill('SIGTERM')
    assert.equal(await node.exited, 0)
    balancer.remove(node.url)
  }
  await more(load, 100)
  await load.stop()
  t.diagnostic(`${load.done} requests over a restart of 2 nodes, ${load.failed.length} failed`)
  assert.deepEqual(load.failed, [])
})

test('in its grace a stopping node says so, serves on, and closes each connection after its reply', async (t) => {
  const node = await spawnService(t, { STOP_GRACE_SECONDS: '2' })
  const url = await node.opened
  const idle = connect(Number(new URL(url).port), '127.0.0.1')
  let isIdleClosed = false
  idle.once('close', () => {
    isIdleClosed = true
  })
  idle.resume().write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => idle.bytesRead > 0)
  node.child.kill('SIGTERM')
  await until(async () => (await fetch(`${url}/readyz`)).status === 503)
  const reply = await fetch(`${url}/api/v1/version`)
  assert.deepEqual([reply.status, reply.headers.get('connection')], [200, 'close'])
  assert.equal(isIdleClosed, false)
  assert.equal(await node.exited, 0)
  await until(() => isIdleClosed)
  await assert.rejects(fetch(`${url}/healthz`))
})
