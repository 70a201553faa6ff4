import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { sendRaw } from '../../../kit/raw-http.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

describe('access to the metrics', () => {
  const service = forSuite((scope) =>
    startTestService(scope, { TRUST_PROXY: 'loopback', METRICS_ALLOW: '192.0.2.7, 2001:db8:1::/48' }),
  )
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  for (const address of ['192.0.2.7', '2001:db8:1:ffff::1', '203.0.113.9, 192.0.2.7']) {
    it(`${address} is in METRICS_ALLOW and has access`, async () => {
      const reply = await service().fetchPath('/metrics', from(address))
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }

  for (const address of ['192.0.2.8', '2001:db8:2::1', '192.0.2.7, 203.0.113.9', 'fe80::1%eth0', 'nonsense']) {
    it(`${address} is refused with a JSON error`, async () => {
      const { status, body } = await service().fetchJson('/metrics', from(address))
      assert.deepEqual([status, body.code, body.success], [403, 'METRICS_NOT_ALLOWED', false])
      assert.match(body.message, /METRICS_ALLOW/)
      assert.ok(!JSON.stringify(body).includes('192.0.2'))
    })
  }

  it('loopback is refused if METRICS_ALLOW does not include it, for HEAD as for GET', async () => {
    const { fetchPath } = service()
    assert.equal((await fetchPath('/metrics')).status, 403)
    assert.equal((await fetchPath('/metrics', { method: 'HEAD' })).status, 403)
    assert.equal((await fetchPath('/metrics', { method: 'HEAD', ...from('192.0.2.7') })).status, 200)
    assert.equal((await fetchPath('/metrics', { method: 'POST' })).status, 405)
  })
})

test('by default only loopback has access, not through untrusted proxies and not from pages of other sites', async (t) => {
  const { fetchPath, fetchJson } = await startTestService(t)
  assert.equal((await fetchPath('/metrics')).status, 200)
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.9' },
    // The client forges the first address; the proxy adds the real one.
    { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=203.0.113.9' },
    { 'x-real-ip': '203.0.113.9' },
    { origin: 'https://elsewhere.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const { status, body } = await fetchJson('/metrics', { headers })
    assert.deepEqual([status, body.code], [403, 'METRICS_NOT_ALLOWED'], JSON.stringify(headers))
  }
})

test('a page of a name that leads to this machine has no access', async (t) => {
  const { url } = await startTestService(t, { PUBLIC_URL: 'https://animals.example/base' })
  const statusAs = async (host: string) => {
    const reply = await sendRaw(url, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return Number(reply.split(' ', 2)[1])
  }
  for (const host of ['evil.example', 'evil.example:4010', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    assert.equal(await statusAs(host), 403, host)
  }
  const known = ['127.0.0.1', '127.0.0.1:4010', '[::1]:4010', 'localhost:4010', 'menagerie:4010', 'a.b.svc:4010']
  for (const host of [...known, 'a.b.svc.cluster.local', 'animals.example'])
    assert.equal(await statusAs(host), 200, host)
})

test('a trusted proxy that does not forward the client address gets no access', async (t) => {
  const { fetchPath } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  for (const headers of [{ 'x-forwarded-for': 'unknown' }, { 'x-real-ip': '203.0.113.9' }]) {
    assert.equal((await fetchPath('/metrics', { headers })).status, 403)
  }
})

test('the text format is served whatever Accept prefers', async (t) => {
  const { fetchPath } = await startTestService(t)
  for (const accept of ['*/*', 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.4', 'image/png']) {
    const { headers } = await fetchPath('/metrics', { headers: { accept } })
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/, accept)
  }
})
