// Programs and operators who send what looks like an attack, or an old token. Browsers: ban-visitors.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, createToken, revokeToken } from '../../../kit/app.ts'
import { ATTACK, BROWSER, createBanSuite, OPERATOR } from '../../../kit/bans.ts'
import { parseRaw, sendRaw } from '../../../kit/raw-http.ts'
import { until } from '../../../kit/until.ts'

describe('bans', () => {
  const { service, nextAddress, requestAs, isBannedAfterBody } = createBanSuite()

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
    // Discord, Gmail and Steam read the pictures and links of messages.
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 11.6; rv:92.0) Gecko/20100101 Firefox/92.0',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
    'Mozilla/5.0 (Windows; U; Windows NT 10.0; en-US; Valve Steam Client/default/1596241936; ) AppleWebKit/537.36',
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
    // Playlists (HLS) of Firefox on Android, videos on televisions, and icons of Safari.
    'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/5.0 TV Safari/537.36',
    'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36',
    'MobileSafari/8617.2 CFNetwork/1498 Darwin/23.3.0',
    'passd/1.0 CFNetwork/1498 Darwin/23.3.0',
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
        // Of the server that redirected to this URL. Discourse sends cookies of any server to the next one.
        'if-none-match': '"../../etc/passwd"',
        cookie: 'a=../../etc/passwd',
      }
      const read = await requestAs(ATTACK, { ...headers, ...repeated })
      assert.deepEqual(read, { codes: ['TOKEN_REQUIRED'], isBanned: false }, userAgent)
      assert.equal(await isBannedAfterBody('{"content":"<img src=../../etc/passwd>"}', headers), false, userAgent)
      // Posts, notifications (Web Push) to the URL that a user named, and registrations of a pass (Apple Wallet).
      for (const scheme of [
        'Signature keyId="https://social.example/u",signature="eA=="',
        'vapid t=e30.e30.eA, k=BA',
        'WebPush e30.e30.eA',
        'ApplePass e30',
      ])
        assert.equal((await requestAs(ATTACK, { ...headers, authorization: scheme }, 6)).isBanned, false, userAgent)
      assert.equal((await requestAs(ATTACK, { 'user-agent': `${userAgent} <script>` })).isBanned, true, userAgent)
    }
    for (const userAgent of [true, false].map((kind) => READS_FOR_OTHERS.find((name) => isBrowser(name) === kind)!)) {
      const headers = { 'user-agent': userAgent }
      const guessed = await requestAs(`${OPERATOR}/overview`, { authorization: 'Bearer x', ...headers }, 5)
      assert.equal(guessed.isBanned, true, userAgent)
    }
  })

  const PROOFS = [
    // Google Pub/Sub and Cloud Tasks, bots of Microsoft.
    'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'AWS4-HMAC-SHA256 Credential=a/20261119/eu/s3/aws4_request, SignedHeaders=host, Signature=b',
    'OAuth oauth_consumer_key="a"',
  ]
  test('do not hit servers that prove who they are to a URL that somebody else named', async () => {
    const server = { 'user-agent': 'CloudPubSub-Google' }
    for (const authorization of PROOFS) {
      assert.equal((await requestAs(ATTACK, { ...server, authorization }, 6)).isBanned, false, authorization)
      assert.equal(await isBannedAfterBody('{"a":"../../etc/passwd"}', { ...server, authorization }), false)
      // A proxy in front adds the JWT of a visitor to each request.
      const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
      const page = { ...own, 'user-agent': BROWSER, authorization }
      assert.equal((await requestAs(`${OPERATOR}/overview`, page, 6)).isBanned, false, authorization)
      const tool = { 'user-agent': 'curl/8.14.1', authorization }
      assert.equal((await requestAs(`${OPERATOR}/overview`, tool, 5)).isBanned, true, `${authorization}: a tool`)
    }
    for (const authorization of ['Bearer a.b.c', 'Bearer eyJhbGciOiJSUzI1NiJ9', 'eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln'])
      assert.equal((await requestAs(`${OPERATOR}/overview`, { ...server, authorization }, 5)).isBanned, true)
  })

  test('do not hit those who follow a link to a host name with an attack, which leads to the service', async () => {
    const rest = `User-Agent: LibreOffice 24.2\r\nX-Forwarded-For: ${nextAddress()}\r\nConnection: close\r\n\r\n`
    const request = (host: string) => sendRaw(service().url, `OPTIONS ${ATTACK} HTTP/1.1\r\nHost: ${host}\r\n${rest}`)
    assert.equal(parseRaw(await request('a`id.evil.example')).body.code, 'BAD_REQUEST')
    assert.equal(parseRaw(await request('animals.example')).body.code, 'TOKEN_REQUIRED')
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

  test('do not hit programs that go on with old tokens of the service, or of another instance', async () => {
    const old = `mng_${'a'.repeat(43)}`
    for (const authorization of [`Bearer ${old}`, `Bearer "${old}"`, old, `Bearer mngc_${'b'.repeat(43)}`]) {
      const refused = await requestAs(`${OPERATOR}/overview`, { authorization }, 8)
      assert.deepEqual(refused, { codes: Array(8).fill('TOKEN_INVALID'), isBanned: false }, authorization)
    }
    const from = { 'x-forwarded-for': nextAddress() }
    const guess = async (number: number) => {
      const headers = { ...from, authorization: `Bearer mng_${String(number).padStart(43, 'a')}` }
      return (await service().fetchJson(`${OPERATOR}/overview`, { headers })).body.code
    }
    // One for each program of a network, after a restore. Fifty are guesses.
    for (let number = 1; number < 50; number++) assert.equal(await guess(number), 'TOKEN_INVALID')
    assert.equal(await guess(1), 'TOKEN_INVALID')
    await guess(50)
    assert.equal(await guess(51), 'BANNED')
  })

  test('do not hit a chat bot that puts a word of its user into a path, or a server that signs such a request', async () => {
    const word = encodeURIComponent(`../../../../../../..${ATTACK}`)
    const signed = { authorization: 'X-Matrix origin="social.example",key="ed25519:a",sig="eA"' }
    for (const path of [
      `/api/v2/random/${word}/cat`,
      `/api/v1/${word}/cat`,
      `/api/v2/random/animal/cat/${word}`,
      `/a/${word}`,
      `${APP}/launcher/${word}`,
      // Matrix: the host of a server may be any, and the id of a picture that a user requests from it any text.
      `/_matrix/federation/v1/media/download/${word}`,
    ]) {
      assert.deepEqual(await requestAs(path, {}), { codes: ['UNKNOWN_PATH'], isBanned: false }, path)
      assert.deepEqual(await requestAs(path, signed), { codes: ['UNKNOWN_PATH'], isBanned: false }, path)
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
