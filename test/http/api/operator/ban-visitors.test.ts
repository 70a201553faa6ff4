// Visitors of pages, of other sites and of our own.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ATTACK, BROWSER, createBanSuite, OPERATOR, PUBLIC_URL } from '../../../kit/bans.ts'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'
import { startTestService } from '../../../kit/service.ts'

describe('bans', () => {
  const { service, nextAddress, requestAs, isBannedAfterBody } = createBanSuite()

  const BROWSER_HEADERS: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'null' },
    // Chromium 76 to 79, as in televisions of 2021.
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://evil.example' },
    { 'content-type': 'application/reports+json', origin: 'https://evil.example' },
    // Safari, if `fetch` is redirected or a script waits for the reply (`XMLHttpRequest.open(method, url, false)`).
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  test('do not hit visitors of another site', async () => {
    for (const sent of BROWSER_HEADERS) {
      const headers = { ...sent, 'user-agent': BROWSER }
      const label = JSON.stringify(headers)
      assert.deepEqual(await requestAs(ATTACK, headers), { codes: ['TOKEN_REQUIRED'], isBanned: false }, label)
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 8)
      assert.deepEqual(guessed, { codes: Array(8).fill('TOKEN_INVALID'), isBanned: false }, label)
    }
  })

  test('do not hit a browser whose request does not tell that a page of another site caused it', async () => {
    // `fetch` adds headers of its own.
    const attack = async (method: string, proto: string, head: string) => {
      const from = `X-Forwarded-For: ${nextAddress()}\r\nX-Forwarded-Proto: ${proto}`
      const rest = `${from}\r\n${head}\r\nAccept: */*\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nPING`
      return parseRaw(await sendRaw(service().url, `${method} ${ATTACK} HTTP/1.1\r\n${rest}`)).body.code
    }
    const own = 'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: empty'
    // A page can set the language of a request without Origin, also to that of Node's `fetch`.
    const languages = ['Accept-Language: en', 'Accept-Language: *', 'Accept-Language: ']
    const chromium79 = 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nAccept-Language: en'
    for (const proto of ['http', 'https']) {
      for (const method of ['GET', 'POST']) {
        for (const sign of [...languages, 'Origin: https://animals.example', own, chromium79]) {
          const label = `${proto} ${method} ${sign}`
          // Redirected pings and beacons in Safari have no Origin, and no Sec-Fetch-*, or `same-origin`. Older versions of
          // Firefox and Chrome, as in televisions, send only a language.
          const browser = `${sign}\r\nUser-Agent: ${BROWSER}`
          assert.equal(await attack(method, proto, browser), 'TOKEN_REQUIRED', label)
          assert.equal(
            await attack(method, proto, `${browser}\r\nAuthorization: Bearer x`),
            'BANNED',
            `${label}: a token`,
          )
          assert.equal(await attack(method, proto, `${sign}\r\nUser-Agent: curl/8.14.1`), 'BANNED', `${label}: a tool`)
        }
        // WebKit on Linux after a redirect, of a page that was left. Scripts do not name a language.
        for (const language of languages)
          assert.equal(await attack(method, proto, language), 'TOKEN_REQUIRED', language)
        assert.equal(await attack(method, proto, 'X-A: b'), 'BANNED', 'a script')
        assert.equal(await attack(method, proto, `User-Agent: ${BROWSER}`), 'BANNED', 'only the name of a browser')
      }
    }
  })

  test('do not hit users of our own pages because of a cookie, which sites under the same domain can set', async () => {
    const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const cookie = 'last=..%2f..%2fetc%2fpasswd'
    const page = { ...script, origin: 'https://animals.example', 'user-agent': BROWSER, cookie }
    assert.equal(await isBannedAfterBody('{}', page), false, 'a visitor of the API reference')
    const mistyped = await requestAs(`${OPERATOR}/overview`, { ...page, authorization: 'Bearer mng_typo' })
    assert.deepEqual(mistyped, { codes: ['TOKEN_INVALID'], isBanned: false })
    assert.equal((await requestAs(`${OPERATOR}/overview`, { ...page, 'user-agent': 'curl/8.14.1' })).isBanned, true)
  })

  test('do not hit links and pictures in pages of the service, such as those of a text that an operator previews', async () => {
    const page = { 'sec-fetch-site': 'same-origin', 'user-agent': BROWSER }
    const shown = [
      { ...page, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      { ...page, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ]
    for (const headers of shown) {
      assert.deepEqual(await requestAs(ATTACK, headers), { codes: ['TOKEN_REQUIRED'], isBanned: false })
      // For a proxy in front.
      const signedIn = { ...headers, authorization: 'Basic YWRtaW46YWRtaW4=' }
      assert.equal((await requestAs(ATTACK, signedIn)).isBanned, false)
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 5)
      assert.equal(guessed.isBanned, true)
    }
  })

  test('do not hit a visitor of the API reference who sends requests without entering a token', async () => {
    const own: Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, { origin: 'https://animals.example' }]
    for (const headers of own) {
      const page = { ...headers, 'user-agent': BROWSER }
      const sent = await requestAs(`${OPERATOR}/overview`, { ...page, authorization: 'Bearer' }, 8)
      assert.deepEqual(sent, { codes: Array(8).fill('TOKEN_REQUIRED'), isBanned: false }, JSON.stringify(headers))
      const program = await requestAs(`${OPERATOR}/overview`, { ...headers, authorization: 'Bearer' }, 5)
      assert.equal(program.isBanned, true, 'a program')
    }
    const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const typed = { ...script, 'user-agent': BROWSER, authorization: 'Bearer' }
    assert.equal((await requestAs(ATTACK, typed)).isBanned, false, 'a text in the form of the page')
    assert.equal(await isBannedAfterBody('{"markdown":"<img src=../a.png>"}', typed), false, 'a body')
  })

  test('do not hit users of a launcher that shows pictures and pages of others', async () => {
    for (const headers of BROWSER_HEADERS.slice(0, 3)) {
      const shown = await requestAs(ATTACK, { ...headers, 'user-agent': 'FoxLauncher/2.0' })
      assert.deepEqual(shown, { codes: ['TOKEN_REQUIRED'], isBanned: false }, JSON.stringify(headers))
    }
    // Scripts of such a page may set these headers.
    const script = { ...BROWSER_HEADERS[3]!, 'user-agent': 'FoxLauncher/2.0' }
    assert.equal((await requestAs(ATTACK, { ...script, accept: '../../etc/passwd' })).isBanned, false)
    assert.equal((await requestAs(`${OPERATOR}/overview`, { ...script, authorization: 'Bearer x' }, 6)).isBanned, false)
    // Without Sec-Fetch headers: WebSockets, and all requests over plain HTTP.
    const byScripts = ['accept', 'accept-language', 'content-language', 'content-type', 'if-none-match']
    for (const name of [...byScripts, 'last-event-id', 'ping-to', 'sec-websocket-protocol']) {
      const headers = { 'user-agent': 'FoxLauncher/2.0', [name]: 'text/plain;x=../../etc/passwd' }
      assert.equal((await requestAs(ATTACK, headers)).isBanned, false, name)
      assert.equal((await requestAs(ATTACK, { ...headers, 'user-agent': 'curl/8.14.1' })).isBanned, true, name)
    }
    const guess = { 'user-agent': 'FoxLauncher/2.0', authorization: 'Bearer ../../etc/passwd' }
    for (const origin of ['http://evil.example', 'null'])
      assert.equal((await requestAs(`${OPERATOR}/overview`, { ...guess, origin }, 6)).isBanned, false, origin)
    for (const origin of ['https://animals.example', ''])
      assert.equal(
        (await requestAs(`${OPERATOR}/overview`, { ...guess, ...(origin && { origin }) })).isBanned,
        true,
        origin,
      )
  })

  test('do not hit visitors of a page that sets their User-Agent: a browser asks first, and is refused', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'GET', 'user-agent': BROWSER }
    for (const asked of ['user-agent', 'x-any']) {
      const headers = { ...preflight, 'access-control-request-headers': asked }
      const reply = await service().fetchPath(`${OPERATOR}/overview`, { method: 'OPTIONS', headers })
      assert.equal(reply.status, 204)
      assert.doesNotMatch(reply.headers.get('access-control-allow-headers') ?? '*', /\*|user-agent/i)
    }
    // The preflight is accepted, because the paths are those of public files.
    const tool = { origin: 'https://evil.example', 'user-agent': 'curl/8.14.1' }
    for (const path of ['/docs/..%5capi%5cv5%5capp%5coperator%5cx', '/site/..%2f..%2fapi%2fv5%2fapp%2foperator%2fx']) {
      const from = { 'x-forwarded-for': nextAddress() }
      const headers = { ...from, ...preflight, 'access-control-request-method': 'POST' }
      assert.equal((await service().fetchPath(path, { method: 'OPTIONS', headers })).status, 204)
      await service().fetchPath(`${path}?x=<script>`, { method: 'POST', body: 'x', headers: { ...from, ...tool } })
      assert.equal((await service().fetchPath('/api/v1/version', { headers: from })).status, 200, path)
    }
  })

  test('do not hit a preflight: that of Safari has the User-Agent that the page sets, that of a report no Sec-Fetch', async () => {
    const address = { 'x-forwarded-for': '203.0.113.250' }
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const userAgent of ['curl/8.14.1', BROWSER]) {
      const headers = { ...address, ...preflight, 'user-agent': userAgent }
      const { status } = await service().fetchPath(ATTACK, { method: 'OPTIONS', headers })
      assert.equal(status, 404)
      assert.equal((await service().fetchPath('/api/v1/version', { headers: address })).status, 200, userAgent)
    }
  })
})

test('a page whose name leads to the service (DNS rebinding) cannot get its visitors banned', async (t) => {
  const { url } = await startTestService(t, { BAN_EXEMPT: '' })
  const attack = (headers: string) =>
    sendRaw(url, `POST ${ATTACK} HTTP/1.1\r\nHost: evil.example\r\n${headers}Content-Length: 0\r\n\r\n`)
  const page = `Origin: http://evil.example\r\nUser-Agent: ${BROWSER}\r\n`
  assert.equal(parseRaw(await attack(page)).body.code, 'TOKEN_REQUIRED')
  assert.equal(parseRaw(await attack('Origin: http://evil.example\r\n')).body.code, 'BANNED')
})

test('nor can it with a token, or the User-Agent of a tool, which such a page can set over plain HTTP', async (t) => {
  for (const [host, publicUrl, isBanned] of [
    ['evil.example', '', false],
    ['evil.example', PUBLIC_URL, false],
    ['Animals.example:4010', PUBLIC_URL, true],
    ['192.0.2.1', '', true],
    ['[2001:db8::1]:4010', '', true],
  ] as const) {
    const { url } = await startTestService(t, { BAN_EXEMPT: '', PUBLIC_URL: publicUrl })
    const request = async (target: string, headers: string) => {
      const head = `Host: ${host}\r\n${headers}Connection: close`
      return parseRaw(await sendRaw(url, `GET ${target} HTTP/1.1\r\n${head}\r\n\r\n`)).body.code
    }
    const page = `Accept-Language: en\r\nUser-Agent: ${BROWSER}\r\n`
    for (let i = 0; i < 5; i++) await request(`${OPERATOR}/overview`, `${page}Authorization: Bearer x${i}\r\n`)
    assert.equal((await request('/api/v1/version', '')) === 'BANNED', isBanned, `${host}: tokens`)
    const tool = 'Accept-Language: en\r\nUser-Agent: curl/8.14.1\r\n'
    assert.equal(await request(ATTACK, tool), isBanned ? 'BANNED' : 'TOKEN_REQUIRED', `${host}: a tool`)
    assert.equal(await request(ATTACK, 'User-Agent: curl/8.14.1\r\n'), 'BANNED', `${host}: without a language`)
  }
})

test('nor can a page with a name that looks like a loopback address', async (t) => {
  const { url } = await startTestService(t, { BAN_EXEMPT: '' })
  const image = `Host: 127.evil.example\r\nAccept-Language: en\r\nUser-Agent: ${BROWSER}\r\nConnection: close`
  assert.equal(parseRaw(await sendRaw(url, `GET ${ATTACK} HTTP/1.1\r\n${image}\r\n\r\n`)).body.code, 'TOKEN_REQUIRED')
})

test('a page of another site cannot get its visitors banned through the port behind an HTTPS proxy', async (t) => {
  // Browsers send no Sec-Fetch headers over plain HTTP.
  const { fetchJson } = await startTestService(t, { BAN_EXEMPT: '', PUBLIC_URL })
  const image = { 'user-agent': BROWSER, 'accept-language': 'en' }
  assert.equal((await fetchJson(ATTACK, { headers: image })).body.code, 'TOKEN_REQUIRED')
  const script = { 'user-agent': BROWSER, origin: 'http://evil.example' }
  assert.equal((await fetchJson(ATTACK, { headers: script })).body.code, 'TOKEN_REQUIRED')
  assert.equal((await fetchJson(ATTACK)).body.code, 'BANNED')
})
