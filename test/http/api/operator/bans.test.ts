import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { openStore } from '../../../../src/platform/store/index.ts'
import { createToken } from '../../../kit/app.ts'
import { createTestLog } from '../../../kit/log.ts'
import { startTestService } from '../../../kit/service.ts'
import { PATIENT } from '../../../kit/store.ts'
import { until } from '../../../kit/until.ts'

const OPERATOR = '/api/v5/app/operator'

/** Starts a service that trusts the forwarded addresses of the test, and creates a token with all scopes. */
async function open(t: TestContext, settings = {}) {
  const service = await startTestService(t, { TRUST_PROXY: 'loopback', ...settings })
  const token = await createToken(service.dataDir)
  const from = (address: string, headers = {}) => ({ headers: { 'x-forwarded-for': address, ...headers } })
  const asOperator = { headers: { ...token.headers, 'content-type': 'application/json' } }
  return { ...service, from, asOperator }
}

test('an attack on the operator endpoints bans the address at once from every endpoint', async (t) => {
  const { fetchJson, from } = await open(t)
  const attack = await fetchJson(`${OPERATOR}/overview?file=../../etc/passwd`, from('203.0.113.5'))
  assert.deepEqual([attack.status, attack.body.code], [403, 'BANNED'])
  assert.ok(Date.parse(attack.body.until) > Date.now() + 23 * 3_600_000)
  for (const path of ['/api/v1/version', '/api/v1/animals/cat', '/docs', '/nope', '/healthz']) {
    assert.equal((await fetchJson(path, from('203.0.113.5'))).body.code, 'BANNED', path)
  }
  assert.equal((await fetchJson('/api/v1/version', from('203.0.113.6'))).status, 200)
})

test('a request above the rate limit is not searched for attacks', async (t) => {
  const { fetchJson, from } = await open(t, { RATE_LIMIT: '1/3600' })
  assert.equal((await fetchJson('/api/v1/version', from('203.0.113.4'))).status, 200)
  const attack = await fetchJson(`${OPERATOR}/overview?file=../../etc/passwd`, from('203.0.113.4'))
  assert.equal(attack.body.code, 'RATE_LIMITED')
  assert.equal((await fetchJson('/api/v1/version', from('203.0.113.4'))).body.code, 'RATE_LIMITED')
})

test('repeated wrong tokens ban the address, an expired token does not', async (t) => {
  const { fetchJson, from, dataDir } = await open(t)
  const wrong = from('203.0.113.7', { authorization: 'Bearer mng_wrong' })
  for (let i = 0; i < 4; i++) assert.equal((await fetchJson(`${OPERATOR}/overview`, wrong)).body.code, 'TOKEN_INVALID')
  await fetchJson(`${OPERATOR}/overview`, wrong)
  assert.equal((await fetchJson(`${OPERATOR}/overview`, wrong)).body.code, 'BANNED')

  const expired = await createToken(dataDir, { createdAt: Date.now() - 7_200_000, expiresAt: Date.now() - 3_600_000 })
  // When the service knows the later token, it knows the expired one, too.
  const later = await createToken(dataDir)
  await until(async () => (await fetchJson(`${OPERATOR}/overview`, from('127.0.0.1', later.headers))).status === 200)
  for (let i = 0; i < 8; i++) {
    const { body } = await fetchJson(`${OPERATOR}/overview`, from('203.0.113.8', expired.headers))
    assert.equal(body.code, 'TOKEN_INVALID')
  }
})

test('harmless requests do not ban', async (t) => {
  const { fetchPath, from } = await open(t)
  const innocent = [
    `${OPERATOR}/overviw`,
    `${OPERATOR}/`,
    `${OPERATOR}/overview?q=${encodeURIComponent('(=^･ω･^=)')}`,
    '/api/v1/static/logs/..%2f..%2fetc%2fpasswd',
    '/wp-login.php',
    "/api/v1/animals/cat?seed=' or 1=1",
  ]
  for (const path of innocent) for (let i = 0; i < 3; i++) await fetchPath(path, from('203.0.113.9'))
  assert.equal((await fetchPath('/api/v1/version', from('203.0.113.9'))).status, 200)
})

test('an exempt address and the operator are never banned', async (t) => {
  const { fetchPath, asOperator } = await open(t)
  assert.equal((await fetchPath(`${OPERATOR}/.env`)).status, 401)
  assert.equal((await fetchPath(`${OPERATOR}/overview?x=../../etc/passwd`, asOperator)).status, 200)
  assert.equal((await fetchPath('/api/v1/version')).status, 200)
})

test('an operator can ban, list and lift bans', async (t) => {
  const { url, fetchJson, fetchPath, from, asOperator } = await open(t)
  const body = JSON.stringify({ address: '2001:db8:1:2::7', reason: 'scrapes', hours: 2 })
  const headers = { ...asOperator.headers, 'content-length': body.length }
  const ban = request(`${url}${OPERATOR}/bans`, { method: 'POST', headers })
  ban.setNoDelay(true)
  // Byte by byte: a body may arrive in many parts.
  for (const character of body) {
    ban.write(character)
    await nextIteration()
  }
  const [made] = await once(ban.end(), 'response')
  assert.match(await readText(made), /"address":"2001:db8:1:2::\/64"/)
  assert.equal((await fetchPath('/healthz', from('2001:db8:1:2:ffff::1'))).status, 403)
  const { body: list } = await fetchJson(`${OPERATOR}/bans`, asOperator)
  assert.deepEqual(
    list.bans.map(({ reason, by }: { reason: string; by: string }) => [reason, by]),
    [['scrapes', 'operator']],
  )
  const lift = `${OPERATOR}/bans/${encodeURIComponent('2001:db8:1:2::/64')}`
  assert.equal((await fetchPath(lift, { ...asOperator, method: 'DELETE' })).status, 200)
  assert.equal((await fetchJson(lift, { ...asOperator, method: 'DELETE' })).body.code, 'NOT_BANNED')
  await until(async () => (await fetchPath('/healthz', from('2001:db8:1:2:ffff::1'))).status === 200)
  for (const bad of ['{"address":"x"}', '{"address":"127.0.0.1"}', '{"address":"192.0.2.1","hours":0}', '[]']) {
    assert.equal(
      (await fetchJson(`${OPERATOR}/bans`, { ...asOperator, method: 'POST', body: bad })).body.code,
      'INVALID_BODY',
      bad,
    )
  }
})

test('operators cannot ban themselves', async (t) => {
  const { fetchJson, from, asOperator } = await open(t)
  const ban = async (sender: string, address: string) => {
    const headers = { ...asOperator.headers, ...from(sender).headers }
    const init = { headers, method: 'POST', body: JSON.stringify({ address }) }
    const { status, body } = await fetchJson(`${OPERATOR}/bans`, init)
    return [status, body.field]
  }
  assert.deepEqual(await ban('203.0.113.9', '203.0.0.0/16'), [400, 'address'])
  assert.deepEqual(await ban('2001:db8:1:2::7', '2001:db8:1:2::8'), [400, 'address'])
  assert.deepEqual(await ban('203.0.113.9', '203.0.113.10'), [200, undefined])
})

test('an operator POST with an unknown field changes nothing and names the field', async (t) => {
  const { fetchJson, asOperator } = await open(t)
  const post = async (path: string, fields: object) => {
    const init = { ...asOperator, method: 'POST', body: JSON.stringify(fields) }
    const { body } = await fetchJson(OPERATOR + path, init)
    return [body.code, body.field, body.allowed]
  }
  const allowed = ['address', 'reason', 'hours']
  assert.deepEqual(await post('/bans', { address: '192.0.2.1', for: '1h' }), ['INVALID_BODY', 'for', allowed])
  assert.deepEqual((await fetchJson(`${OPERATOR}/bans`, asOperator)).body.bans, [])
  assert.deepEqual(await post('/reload', { only: 'releases' }), ['INVALID_BODY', 'only', []])
  assert.deepEqual(await post('/reload', {}), [undefined, undefined, undefined])
})

test('an operator can ban and lift a network', async (t) => {
  const { fetchJson, fetchPath, from, asOperator } = await open(t)
  for (const [network, inside, outside] of [
    ['192.0.2.0/24', '192.0.2.77', '192.0.3.1'],
    ['2001:db8:9::/48', '2001:db8:9:8::1', '2001:db8:8::1'],
  ] as const) {
    const body = JSON.stringify({ address: network })
    const { body: made } = await fetchJson(`${OPERATOR}/bans`, { ...asOperator, method: 'POST', body })
    assert.equal(made.ban.address, network)
    assert.equal((await fetchPath('/healthz', from(inside))).status, 403)
    assert.equal((await fetchPath('/healthz', from(outside))).status, 200)
    const lift = `${OPERATOR}/bans/${encodeURIComponent(network)}`
    assert.equal((await fetchPath(lift, { ...asOperator, method: 'DELETE' })).status, 200)
    assert.equal((await fetchPath('/healthz', from(inside))).status, 200)
  }
})

test('the list of bans is paged from the newest', async (t) => {
  const { fetchJson, asOperator, dataDir } = await open(t)
  const store = await openStore('', { dataDir, log: createTestLog(), ...PATIENT })
  t.after(() => store.close())
  const now = Date.now()
  const many = Array.from({ length: 1005 }, (_, index) => ({
    address: `10.0.${index >> 8}.${index & 255}`,
    reason: 'many',
    by: 'automatic',
    at: now - 1005 + index,
    until: now + 3_600_000,
  }))
  await store.bans.put(many)
  const list = async (query: string) => {
    const { body } = await fetchJson(`${OPERATOR}/bans${query}`, asOperator)
    return { total: body.total, addresses: body.bans.map(({ address }: { address: string }) => address) }
  }
  const expected = (from: number, to?: number) => ({
    total: 1005,
    addresses: many.slice(from, to).map(({ address }) => address),
  })
  assert.deepEqual(await list(''), expected(5))
  assert.deepEqual(await list('?limit=3'), expected(1002))
  assert.deepEqual(await list('?limit=3&offset=1000'), expected(2, 5))
  assert.deepEqual(await list('?limit=10&offset=1000'), expected(0, 5))
  assert.deepEqual(await list('?offset=2000'), expected(1005))
  assert.equal((await fetchJson(`${OPERATOR}/bans?limit=0`, asOperator)).status, 400)
  const { body } = await fetchJson(`${OPERATOR}/bans?offset=-1`, asOperator)
  assert.equal(body.message, 'The parameter "offset" must be a whole number of at least 0.')
})

test('the reason of a ban must not contain control characters', async (t) => {
  const { fetchJson, asOperator } = await open(t)
  for (const unseen of ['\u0007', '\u001b[2J', '\n', '\u202e', '\u061c', '\u2028', '\u2029', 'x'.repeat(201)]) {
    const body = JSON.stringify({ address: '192.0.2.1', reason: `a${unseen}b` })
    const refused = await fetchJson(`${OPERATOR}/bans`, { ...asOperator, method: 'POST', body })
    assert.deepEqual([refused.body.code, refused.body.field], ['INVALID_BODY', 'reason'], JSON.stringify(unseen))
  }
  const body = JSON.stringify({ address: '192.0.2.1', reason: ' scrapes, “daily” 🦊 ' })
  const { body: made } = await fetchJson(`${OPERATOR}/bans`, { ...asOperator, method: 'POST', body })
  assert.equal(made.ban.reason, 'scrapes, “daily” 🦊')
})

test('a ban survives a restart', async (t) => {
  const first = await open(t)
  await first.fetchPath(`${OPERATOR}/.git/config`, first.from('203.0.113.11'))
  await first.service.stop()
  const second = await startTestService(t, { TRUST_PROXY: 'loopback', DATA_DIR: first.dataDir })
  assert.equal((await second.fetchPath('/healthz', first.from('203.0.113.11'))).status, 403)
})
