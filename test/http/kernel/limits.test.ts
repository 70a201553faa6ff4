import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

test('a client above the limit gets 429 with the time to wait, and others are served', async (t) => {
  const { fetchPath, fetchJson } = await startTestService(t, { RATE_LIMIT: '20/3600', TRUST_PROXY: 'loopback' })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const first = await fetchPath('/api/v1/version', from('192.0.2.1'))
  assert.equal(first.headers.get('ratelimit-policy'), '"requests";q=20;w=3600')
  assert.equal(first.headers.get('ratelimit'), '"requests";r=19;t=180')
  const inThree = (headers: Headers) => ['limit', 'remaining', 'reset'].map((end) => headers.get(`ratelimit-${end}`))
  assert.deepEqual(inThree(first.headers), ['20', '19', '180'])
  // Requests for unknown paths count, too.
  for (let i = 0; i < 19; i++)
    assert.equal((await fetchPath(i % 2 ? '/api/v1/version' : '/nope', from('192.0.2.1'))).status, i % 2 ? 200 : 404)
  const { status, headers, body } = await fetchJson('/api/v1/version', from('192.0.2.1'))
  assert.deepEqual([status, body.code], [429, 'RATE_LIMITED'])
  assert.equal(headers.get('retry-after'), String(body.retryAfter))
  assert.ok(body.retryAfter >= 1 && body.retryAfter <= 180)
  assert.match(headers.get('ratelimit') ?? '', /r=0/)
  assert.deepEqual(inThree(headers), ['20', '0', String(body.retryAfter)])
  assert.equal((await fetchPath('/api/v1/version', from('192.0.2.2'))).status, 200)
})

test('a service with little memory knows few clients, but those that keep sending requests', async (t) => {
  // A limit knows 1049 clients.
  const MEMORY_LIMIT = String(32 * 2 ** 20)
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '2/3600', TRUST_PROXY: 'loopback', MEMORY_LIMIT })
  const send = async (address: string) =>
    (await fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': address } })).status
  for (const client of ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual([await send(client), await send(client), await send(client)], [200, 200, 429])
  for (let i = 0; i < 1100; i++) {
    await send(`198.51.${i >> 8}.${i & 255}`)
    if (i % 100 === 0) assert.equal(await send('192.0.2.1'), 429)
  }
  assert.equal(await send('192.0.2.2'), 200)
})

test('addresses of one /64 share a bucket', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '5/3600', TRUST_PROXY: 'loopback' })
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': `2001:db8:1:2::${i}` } })).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
})

test('all networks of an IPv6 site together have a limit, and so have those of a /56', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '3/3600', TRUST_PROXY: 'loopback' })
  const send = async (address: string) =>
    (await fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': address } })).status
  const countServed = async (addresses: string[]) => {
    const statuses = await Promise.all(addresses.map(send))
    return statuses.filter((status) => status === 200).length
  }
  const flood = (prefix: string) => Array.from({ length: 60 }, (_, i) => `${prefix}${(i + 16).toString(16)}::1`)
  assert.equal(await send('192.0.2.1'), 200)
  // A flood of one client is refused without using up the limit of its neighbours.
  assert.equal(await countServed(Array(60).fill('2001:db8:1:10::1')), 3)
  assert.equal(await countServed(flood('2001:db8:1:')), 4 * 3 - 3)
  for (const subnet of ['1', '2', '3']) assert.equal(await countServed(flood(`2001:db8:1:${subnet}`)), 4 * 3)
  assert.equal(await countServed(flood('2001:db8:1:4')), 0)
  assert.equal(await send('2001:db8:2::1'), 200)
  assert.equal(await send('192.0.2.1'), 200)
})

test('a port that a proxy appends to an address is ignored', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '3/3600', TRUST_PROXY: 'loopback, 10.0.0.1' })
  const spellings = {
    '203.0.113.7': ['203.0.113.7:51234', '203.0.113.7:51235', '"203.0.113.7:1"', '203.0.113.7, 10.0.0.1:80'],
    '2001:db8::1': ['[2001:db8::1]:443', '[2001:db8::1]', '"[2001:db8::1]:444"', '"2001:db8::1"'],
    // An invalid address is ignored: the last valid one counts.
    '10.0.0.1': ['203.0.113.8:x, 10.0.0.1', '[203.0.113.8, 10.0.0.1', ':80, 10.0.0.1', 'unknown, 10.0.0.1'],
  }
  for (const [address, forwarded] of Object.entries(spellings)) {
    const left = []
    for (const text of forwarded) {
      left.push(
        (await fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': text } })).headers
          .get('ratelimit')
          ?.slice(0, 15),
      )
    }
    assert.deepEqual(left, ['"requests";r=2;', '"requests";r=1;', '"requests";r=0;', '"requests";r=0;'], address)
  }
})

test('forged headers have no effect without a trusted proxy', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '5/3600' })
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    const address = `192.0.2.${i}`
    const forged = {
      'x-forwarded-for': address,
      'cf-connecting-ip': address,
      forwarded: `for=${address}`,
      'x-real-ip': address,
    }
    statuses.push((await fetchPath('/api/v1/version', { headers: forged })).status)
  }
  assert.equal(statuses.at(-1), 429)
})

test('filters and downloads have their own buckets, and `off` means no limit', async (t) => {
  const { fetchJson, fetchPath } = await startTestService(t, { RATE_LIMIT_FILTERS: '2/3600' })
  const filter = '/api/v1/filter/blur?image=http://10.0.0.1/'
  assert.equal((await fetchJson(filter)).status, 403)
  assert.equal((await fetchJson(filter)).status, 403)
  assert.equal((await fetchJson(filter)).body.code, 'RATE_LIMITED')
  assert.equal((await fetchPath('/api/v1/version')).status, 200)
  const unlimited = await startTestService(t, { RATE_LIMIT: 'off', RATE_LIMIT_FILTERS: '1/60' })
  for (let i = 0; i < 3; i++) {
    const { headers, status } = await unlimited.fetchPath(filter)
    assert.deepEqual([status, headers.get('ratelimit')], [403, null])
  }
})

test('health checks and metrics have no rate limit, and take nothing from it', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '2/3600' })
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    for (const method of ['GET', 'HEAD', 'GET']) {
      const { status, headers } = await fetchPath(path, { method })
      assert.deepEqual([path, status, headers.get('ratelimit')], [path, 200, null])
    }
  }
  // The test kit has read /openapi.json.
  assert.equal((await fetchPath('/api')).status, 200)
  assert.equal((await fetchPath('/api')).status, 429)
})

test('preflights count towards the rate limit', async (t) => {
  const { url } = await startTestService(t, { RATE_LIMIT: '3/60' })
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' }
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) {
    statuses.push((await fetch(`${url}/api/v1/version`, { method: 'OPTIONS', headers })).status)
  }
  assert.deepEqual(statuses, [204, 204, 204, 429])
})

test('a request that renders or searches drawings counts as several requests, depending on their cost', async (t) => {
  const { fetchPath } = await startTestService(t, { RATE_LIMIT: '200/36000', TRUST_PROXY: 'loopback' })
  /** The requests that a path costs when it is requested for the first and the second time. */
  const measure = async (address: string, path: string) => {
    const remaining: number[] = []
    for (const each of [path, path, '/api/v1/version']) {
      const { status, headers } = await fetchPath(each, { headers: { 'x-forwarded-for': address } })
      assert.notEqual(status, 429, each)
      remaining.push(Number(headers.get('ratelimit-remaining')))
    }
    return [remaining[0]! - remaining[1]!, remaining[1]! - remaining[2]!]
  }
  const media = '/media/animals/cat/~cost'
  const many = '/api/v2/random/animal/cat?seed=cost&count=10'
  for (const [address, path, costs] of [
    ['192.0.2.1', `${media}.png`, [1, 1]],
    ['192.0.2.2', `${media}.webp?size=1024`, [4, 1]],
    ['192.0.2.3', `${media}.gif?size=1024`, [8, 1]],
    ['192.0.2.4', `${media}.avif?width=512`, [2, 1]],
    ['192.0.2.5', `${media}.svg?size=1024`, [1, 1]],
    ['192.0.2.6', `${many}&type=png`, [10, 10]],
    ['192.0.2.7', `${many}&type=svg`, [10, 10]],
    ['192.0.2.8', `${many}&type=png&format=text`, [1, 1]],
    ['192.0.2.9', '/api/v2/random/kaomoji/cat?count=30', [1, 1]],
    // No drawing matches, and half of the maximum number of seeds is tried.
    ['192.0.2.10', '/api/v2/random/animal/cat?tags=iridescent,party,tufted&seed=cost', [5, 5]],
  ] as const)
    assert.deepEqual(await measure(address, path), costs, path)
})

test('a message or another JSON body counts as one request per KiB', async (t) => {
  const { url, fetchPath } = await startTestService(t, { MCP: 'on', RATE_LIMIT: '200/36000' })
  const send = (path: string, icons: number) => {
    const clientInfo = { name: 'test', version: '1', icons: Array(icons).fill({}) }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return fetch(url + path, { method: 'POST', headers, body })
  }
  assert.equal((await send('/mcp', 0)).headers.get('ratelimit-remaining'), '199')
  // 15,000 characters.
  assert.equal((await send('/mcp', 5000)).headers.get('ratelimit-remaining'), '198')
  assert.equal((await send('/api/v5/app/clients', 5000)).headers.get('ratelimit-remaining'), '183')
  assert.equal((await fetchPath('/api/v1/version')).headers.get('ratelimit-remaining'), '168')
})

/** Bodies of 15 KB whose ends are sent when `complete` is fulfilled. */
const sendBodies = (url: string, complete: Promise<void>, forwardedFor: readonly string[]) =>
  forwardedFor.map(async (address) => {
    async function* generate() {
      yield Buffer.from(`{"name":"${'x'.repeat(15_000)}`)
      await complete
      yield Buffer.from('"}')
    }
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    const request = { method: 'POST', headers, body: ReadableStream.from(generate()), duplex: 'half' } as const
    return (await fetch(`${url}/api/v5/app/clients`, request)).status
  })

test('costly requests that arrive together do not block their client for longer than one of them', async (t) => {
  const { url, fetchJson } = await startTestService(t, { RATE_LIMIT: '200/200000', TRUST_PROXY: 'loopback' })
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  const statuses = sendBodies(url, complete, Array(30).fill('192.0.2.1'))
  const fetchVersion = () => fetchJson('/api/v1/version', { headers: { 'x-forwarded-for': '192.0.2.1' } })
  let polls = 0
  const countLeft = async () => Number((await fetchVersion()).headers.get('ratelimit-remaining'))
  await until(async () => (await countLeft()) === 200 - 30 - ++polls)
  resolve()
  assert.ok((await Promise.all(statuses)).includes(429))
  const { retryAfter } = (await fetchVersion()).body
  assert.ok(retryAfter <= 16_000, retryAfter)
})

test('those of many clients of an IPv6 network do not block the neighbours of that network', async (t) => {
  const { url, fetchPath } = await startTestService(t, { RATE_LIMIT: '10/10000', TRUST_PROXY: 'loopback' })
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  // A /56 has 40 requests, and a /48 160. Each body counts as 15.
  const addresses = Array.from({ length: 60 }, (_, i) => `2001:db8:1:${(i + 16).toString(16)}::1`)
  const statuses = sendBodies(url, complete, addresses)
  const send = async (address: string) =>
    (await fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': address } })).status
  let polls = 0
  await until(async () => (await send(`2001:db8:1:${(++polls + 80).toString(16)}::1`)) === 429)
  resolve()
  await Promise.all(statuses)
  assert.equal(await send('2001:db8:1:100::1'), 200)
})

test('a client that has too few requests left for a costly one gets it, and waits longer for the next one', async (t) => {
  const { fetchJson, fetchPath } = await startTestService(t, { RATE_LIMIT: '10/100', TRUST_PROXY: 'loopback' })
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  assert.equal((await fetchPath('/api/v2/random/animal/cat?seed=x&count=30&type=png', { headers })).status, 200)
  const { status, body } = await fetchJson('/api/v1/version', { headers })
  assert.equal(status, 429)
  assert.ok(body.retryAfter > 150 && body.retryAfter <= 210, body.retryAfter)
})
