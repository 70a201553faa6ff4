import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { APP, createToken, startApp } from '../../../kit/app.ts'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'
import { forSuite } from '../../../kit/scope.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const request = { name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates once a day.' }

describe('a request for a client key', () => {
  const app = forSuite((scope) => startApp(scope, {}, { TRUST_PROXY: '127.0.0.1' }))
  let lastAddress = 0

  /** Uses a new network unless the headers name one. */
  const requestKey = (body: unknown, headers: Record<string, string> = {}) =>
    app().fetchJson(`${APP}/clients`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'X-Forwarded-For': `198.51.${++lastAddress}.1`, ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    })

  test('gets an id, and the operator sees its text unchanged', async () => {
    const written = {
      name: '<b onclick="x()">Füchse 🦊</b>',
      contact: "o'fox@example.org",
      reason: 'Line one\r\nline two: <script>alert(1)</script> 🦊 =cmd()',
    }
    const { status, headers, body } = await requestKey({ ...written, state: 'granted', id: 'mine', keyHash: 'x' })
    assert.deepEqual([status, body.status, body.state], [201, 201, 'pending'])
    assert.equal(headers.get('cache-control'), 'no-store')
    const operator = await createToken(app().dataDir, { scopes: ['read'] })
    const { clients } = (await app().fetchJson(`${APP}/operator/clients?state=pending`, operator)).body
    const found = clients.find(({ id }: { id: string }) => id === body.id)
    const { createdAt, ...rest } = found
    const reason = written.reason.replace('\r\n', '\n')
    assert.deepEqual(rest, { id: body.id, ...written, reason, state: 'pending', decidedAt: null })
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
  })

  test('with a missing, too long or malformed field is 400 with the field', async () => {
    for (const [field, value] of [
      ['name', undefined],
      ['name', 'x'],
      ['name', 7],
      ['name', ['Fox Launcher']],
      ['name', 'Fox\nLauncher'],
      ['name', 'Fox\u0000Launcher'],
      ['name', 'Fox\u001b[2JLauncher'],
      ['name', 'Fox\u202eLauncher'],
      ['name', '   '],
      ['name', '\u3164\u200b\u200d'],
      ['reason', '\u2800'.repeat(20)],
      ['contact', 'x'.repeat(201)],
      ['reason', 'too short'],
      ['reason', 'x'.repeat(1001)],
      ['reason', 'x'.repeat(10_240)],
      ['reason', { toString: 'x'.repeat(20) }],
    ] as const) {
      const { status, body } = await requestKey({ ...request, [field]: value })
      assert.deepEqual([status, body.code, body.field], [400, 'INVALID_BODY', field], JSON.stringify(value))
      assert.match(body.message, new RegExp(`^"${field}" must be text of \\d+ to \\d+ characters`))
    }
  })

  test('without a JSON object or the JSON media type is 400', async () => {
    const valid = JSON.stringify(request)
    for (const body of ['', '{', 'null', '[]', '"text"', '7', `${valid}${valid}`, Buffer.from([0x7b, 0xff, 0x7d])]) {
      const reply = await requestKey(body)
      assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_BODY'], String(body))
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
    ]) {
      const reply = await requestKey(valid, { 'Content-Type': type })
      assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_BODY'], type)
    }
    assert.equal((await requestKey(valid, { 'Content-Type': 'Application/JSON; charset=utf-8' })).status, 201)
    const bodiless = 'Host: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'
    const { status, body } = parseRaw(await sendRaw(app().url, `POST ${APP}/clients HTTP/1.1\r\n${bodiless}`))
    assert.deepEqual([status, body.code], [400, 'INVALID_BODY'])
    assert.equal((await requestKey('{"__proto__": {"name": "x"}}')).status, 400)
  })

  test('with more than 16 KiB is 413, also without Content-Length', async () => {
    const large = JSON.stringify({ ...request, reason: 'x'.repeat(20_000) })
    const { status, body } = await requestKey(large)
    assert.deepEqual([status, body.code, body.max], [413, 'BODY_TOO_LARGE', 16_384])
    const stream = new Blob([large]).stream()
    const init = { method: 'POST', headers: JSON_TYPE, body: stream, duplex: 'half' } as RequestInit
    assert.equal((await app().fetch('/clients', init)).status, 413)
  })

  test('is 429 with Retry-After after five in an hour, not counting invalid ones', async () => {
    const from = (address: string, body: unknown = request) => requestKey(body, { 'X-Forwarded-For': address })
    for (let n = 0; n < 10; n++) assert.equal((await from('2001:db8::1', {})).status, 400)
    for (let n = 0; n < 5; n++) assert.equal((await from(`2001:db8::${n}`)).status, 201)
    const { status, headers, body } = await from('2001:db8::ffff:1')
    assert.deepEqual([status, body.code], [429, 'RATE_LIMITED'])
    assert.ok(body.retryAfter > 700 && body.retryAfter <= 720, String(body.retryAfter))
    assert.equal(headers.get('retry-after'), String(body.retryAfter))
    assert.equal((await from('2001:db8:0:1::1')).status, 201, 'another /64')
    assert.equal((await from('203.0.113.9')).status, 201)
    const together = await Promise.all(Array.from({ length: 12 }, () => from('203.0.113.10')))
    assert.equal(together.filter((reply) => reply.status === 201).length, 5)
  })

  test('is refused if its network sent 20 within a day', async () => {
    for (const [from, other] of [
      [(n: number) => `192.0.2.${n}`, '192.0.3.1'],
      [(n: number) => `2001:db8:1:${n}::1`, '2001:db8:2::1'],
    ] as const) {
      for (let n = 0; n < 20; n++) assert.equal((await requestKey(request, { 'X-Forwarded-For': from(n) })).status, 201)
      // More than the limit of one address, which requests that are refused do not use up.
      for (let n = 0; n < 7; n++) {
        const refused = await requestKey(request, { 'X-Forwarded-For': from(20) })
        assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED'])
        assert.match(refused.body.message, /^The limit is 20 requests in 86400 s per network\./)
      }
      assert.equal((await requestKey(request, { 'X-Forwarded-For': other })).status, 201)
    }
  })

  test('holds no part of the limit of its network while its body arrives', async () => {
    const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(new URL(app().url).port), '127.0.0.1')
      const from = `X-Forwarded-For: 198.18.0.${n}\r\n`
      await new Promise((resolve) => socket.write(`POST ${APP}/clients HTTP/1.1\r\n${from}${head}{`, resolve))
      // The service has read the head of this request when it replies to a later one.
      await app().fetchJson('/api/v1/version')
      after(() => socket.destroy())
    }
    assert.equal((await requestKey(request, { 'X-Forwarded-For': '198.18.0.99' })).status, 201)
  })

  test('is only possible with POST', async () => {
    const { status, headers } = await app().fetchJson(`${APP}/clients`)
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  })
})

test('a request for a key is refused while 200 others are undecided', async (t) => {
  const { fetchJson } = await startApp(t, {}, { TRUST_PROXY: '127.0.0.1' })
  const from = (n: number) =>
    fetchJson(`${APP}/clients`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'X-Forwarded-For': `198.51.${n}.1` },
      body: JSON.stringify(request),
    })
  for (let n = 0; n < 200; n++) assert.equal((await from(n)).status, 201)
  const { status, headers, body } = await from(201)
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'TOO_MANY_REQUESTS_OPEN', '3600'])
})
