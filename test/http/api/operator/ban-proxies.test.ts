import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ATTACK, OPERATOR } from '../../../kit/bans.ts'
import { startTestService, type TestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

test('a proxy that does not forward the client address is refused, logged once, and never banned', async (t) => {
  const { fetchJson, printed } = await startTestService(t, { TRUST_PROXY: '127.0.0.1', BAN_EXEMPT: '' })
  for (const unreadable of ['', 'unknown', '_hidden']) {
    const headers = { 'x-forwarded-for': unreadable }
    assert.equal((await fetchJson(ATTACK, { headers })).body.code, 'TOKEN_REQUIRED')
    for (let i = 0; i < 6; i++) {
      const wrong = { headers: { ...headers, authorization: 'Bearer x' } }
      assert.equal((await fetchJson(`${OPERATOR}/overview`, wrong)).body.code, 'TOKEN_INVALID')
    }
    assert.equal((await fetchJson('/api/v1/version', { headers })).status, 200)
  }
  assert.equal(printed.filter((text) => text.includes('TRUST_PROXY')).length, 1)
  assert.equal((await fetchJson(ATTACK, { headers: { 'x-forwarded-for': '203.0.113.5' } })).body.code, 'BANNED')
})

describe('a private address that forwards requests without being in TRUST_PROXY', () => {
  const FORWARDED: Record<string, string>[] = [
    { 'x-forwarded-for': '198.51.100.7' },
    { 'x-real-ip': '198.51.100.7' },
    { forwarded: 'for=198.51.100.7' },
    { 'cf-connecting-ip': '198.51.100.7' },
    // An nginx that is configured without X-Forwarded-For.
    { 'x-forwarded-proto': 'https' },
    { via: '1.1 proxy' },
  ]
  const attack = async ({ fetchJson }: TestService, headers: Record<string, string>) => {
    assert.equal((await fetchJson(ATTACK, { headers })).body.code, 'TOKEN_REQUIRED')
    for (let i = 0; i < 6; i++) {
      const wrong = { headers: { ...headers, authorization: 'Bearer x' } }
      assert.equal((await fetchJson(`${OPERATOR}/overview`, wrong)).body.code, 'TOKEN_INVALID')
    }
    assert.equal((await fetchJson('/api/v1/version', { headers })).status, 200)
  }

  test('is not banned; log and /readyz say what to set', async (t) => {
    const service = await startTestService(t, { BAN_EXEMPT: '' })
    await service.untilHealthy()
    for (const headers of FORWARDED) await attack(service, headers)
    await until(async () => (await service.fetchJson('/readyz')).body.state === 'degraded')
    const { problems } = (await service.fetchJson('/readyz')).body
    assert.equal(problems[0].part, 'network')
    assert.match(problems[0].message, /^a proxy on this machine .* set TRUST_PROXY=loopback$/)
    assert.equal(service.printed.filter((text) => text.includes('TRUST_PROXY')).length, 1)
    assert.equal((await service.fetchJson(ATTACK)).body.code, 'BANNED', 'a local client that forwards nothing')
  })

  test('is found behind a trusted proxy, too', async (t) => {
    const service = await startTestService(t, { TRUST_PROXY: 'loopback' })
    await attack(service, { 'x-forwarded-for': '198.51.100.7, 10.1.2.3' })
    await until(async () => (await service.fetchJson('/readyz')).body.state === 'degraded')
    const { problems } = (await service.fetchJson('/readyz')).body
    assert.match(problems[0].message, /^a proxy in 10\.1\.2\.0\/24 .* set TRUST_PROXY=<address of the proxy>$/)
    const banned = { headers: { 'x-forwarded-for': '10.1.2.3' } }
    assert.equal((await service.fetchJson(ATTACK, banned)).body.code, 'BANNED', 'a private client')
  })

  test('is found before there is an attack', async (t) => {
    const service = await startTestService(t)
    await until(async () => {
      await service.fetchPath('/api/v1/version', { headers: { 'x-forwarded-for': '198.51.100.7' } })
      return (await service.fetchJson('/readyz')).body.state === 'degraded'
    })
  })
})
