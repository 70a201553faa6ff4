// What caches may store: the Cache-Control table of docs/scaling.md, and replies that depend on the host.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { APP, startApp } from '../../kit/app.ts'
import { needsNginx, startCachingNginx } from '../../kit/proxies.ts'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

/** The paths in code in the first cell of a row; paths with … or <…> are patterns and cannot be requested. */
const pathsIn = (cell: string) =>
  [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path).filter((path) => !/[…<]/.test(path))

test('every path in the table of docs/scaling.md is served with the Cache-Control that the table names', async (t) => {
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')
  const { url } = await startTestService(t, {
    PUBLIC_URL: 'https://animals.example',
    SECURITY_CONTACT: 'security@animals.example',
  })
  const rows = [...text.matchAll(/^\| ([^|]*) \| ([^|]*) \| [^|]* \|$/gm)]
  const named = rows.flatMap(([, cell = '', policy = '']) => {
    const header = /^`(no-store|no-cache|public, [^`]+)`$/.exec(policy)?.[1]
    return header === undefined ? [] : pathsIn(cell).map((path) => ({ path, header }))
  })
  assert.ok(named.length > 8)
  const sent = named.map(async ({ path }) => {
    const reply = await fetch(url + path)
    return { path, header: reply.headers.get('cache-control') }
  })
  assert.deepEqual(await Promise.all(sent), named)
})

const HOST_PATHS = [
  '/',
  '/api',
  '/docs',
  '/docs/guides',
  '/openapi.json',
  '/operator',
  '/playground',
  '/v5-access',
  '/api/v1/animals/cat',
  '/api/v2/random/animal/cat?seed=x',
  '/api/v2/filter/invert?format=json&image=http://evil.example/media/animals/cat/~a.png',
  '/api/v2/filter/invert?image=http://evil.example/media/animals/cat/~a.png',
  '/api/v2/filter/invert?image=http://evil.example/x.png&fallback=cat',
  '/api/v2/filter/invert?image=http://animals.example/media/animals/cat/~a.svg&fallback=cat',
  `${APP}/launcher/updates`,
  `${APP}/launcher/updates/beta.yml`,
  `${APP}/launcher/news?format=atom`,
  `${APP}/launcher/news?format=json-feed`,
  `${APP}/version/app/launcher`,
  `${APP}/version/tier/2`,
]

const readAs = async (host: string, url: string, headers = {}) => {
  const [reply] = (await once(get(url, { headers: { ...headers, host } }), 'response')) as [IncomingMessage]
  const body = await buffer(reply)
  return {
    status: reply.statusCode,
    headers: reply.headers,
    text: JSON.stringify(reply.headers) + body.toString('latin1'),
  }
}

test('without PUBLIC_URL a shared cache stores no reply that depends on the host of a request', async (t) => {
  const { url } = await startTestService(t)
  let dependent = 0
  for (const path of HOST_PATHS) {
    const evil = await readAs('evil.example', url + path)
    const dependsOnImageHost = path.includes('image=')
    if (!evil.text.includes('evil.example') && !dependsOnImageHost) continue
    dependent++
    assert.equal(evil.status, 200, path)
    assert.match(evil.headers['cache-control'] ?? '', /^(?:no-store|no-cache|private, .*)$/, path)
    const again = await readAs('evil.example', url + path, { 'if-none-match': evil.headers.etag ?? '"none"' })
    // `max-age` is less after a second.
    const policyOf = ({ headers }: typeof evil) => headers['cache-control']?.replace(/\d+/, 'seconds')
    assert.equal(policyOf(again), policyOf(evil), path)
  }
  assert.ok(dependent >= 12, `${dependent}`)
})

test('no shared cache stores a negotiated reply to a request without Accept, which a client can have Squid and Apache remove', async (t) => {
  const { url } = await startTestService(t, { PUBLIC_URL: 'https://animals.example' })
  const picture = 'image=https://animals.example/media/animals/cat/~a.png'
  for (const path of [`/api/v2/filter/invert?${picture}`, `${APP}/launcher/news`]) {
    // As often as the reply comes from another cache of the service.
    for (let i = 0; i < 3; i++) {
      const without = await readAs('animals.example', url + path)
      assert.match(without.headers['cache-control'] ?? '', /^private, max-age=/, path)
      const etag = { 'if-none-match': without.headers.etag ?? '' }
      const unchanged = await readAs('animals.example', url + path, etag)
      assert.equal(unchanged.status, 304)
      assert.match(unchanged.headers['cache-control'] ?? '', /^private, max-age=/, path)
      const negotiated = await readAs('animals.example', url + path, { accept: '*/*' })
      assert.match(negotiated.headers['cache-control'] ?? '', /^public, max-age=/, path)
    }
  }
})

test('no shared cache stores a negotiated reply to a request with several headers of a name, of which Varnish reads the first', async (t) => {
  const { url } = await startTestService(t, { PUBLIC_URL: 'https://animals.example' })
  const cases = [
    { path: `${APP}/launcher/news`, accept: ['*/*', 'application/rss+xml'] },
    { path: '/openapi.json', 'accept-encoding': ['gzip', 'br, gzip;q=0'] },
  ]
  for (const { path, ...repeated } of cases) {
    const [[name, values]] = Object.entries(repeated) as [[string, string[]]]
    const accept = { accept: '*/*' }
    const ambiguous = await readAs('animals.example', url + path, { ...accept, ...repeated })
    assert.match(ambiguous.headers['cache-control'] ?? '', /^private, max-age=/, path)
    const joined = await readAs('animals.example', url + path, { ...accept, [name]: values.join(', ') })
    assert.match(joined.headers['cache-control'] ?? '', /^public, max-age=/, path)
    assert.equal(joined.headers.etag, ambiguous.headers.etag)
  }
})

test(
  'without PUBLIC_URL a request with another host does not change what nginx caches for others',
  needsNginx,
  async (t) => {
    const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
    const proxy = await startCachingNginx(t, url)
    for (const path of HOST_PATHS.filter((path) => !path.includes('image='))) {
      await readAs('evil.example', proxy + path)
      const { status, text } = await readAs('animals.example', proxy + path)
      assert.equal(status, 200, path)
      assert.ok(!text.includes('evil.example'), path)
    }
    await readAs('evil.example', `${proxy}/api/v1/version`)
    const { headers } = await readAs('animals.example', `${proxy}/api/v1/version`)
    assert.equal(headers['x-nginx-cache'], 'HIT')
  },
)

test('nginx with a cache takes no node for failed because a URL is long', needsNginx, async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback', RATE_LIMIT: 'off' })
  const proxy = await startCachingNginx(t, url)
  // The buffer for the headers of a reply also has the key of the cache, the URL.
  for (let length = 2000; length <= 8000; length += 200)
    assert.equal((await fetch(`${proxy}/${'y'.repeat(length)}`)).status, 404, `${length} characters`)
})

test('nginx serves each format and language of the news only to clients that prefer it', needsNginx, async (t) => {
  const { url } = await startApp(
    t,
    {
      'news/a.md': '---\ntitle: Hello\ndate: 2026-01-01\nlang: en\n---\nText',
      'news/a.de.md': '---\ntitle: Hallo\n---\nText',
    },
    { TRUST_PROXY: 'loopback', PUBLIC_URL: 'https://animals.example' },
  )
  const proxy = await startCachingNginx(t, url)
  const read = async (type: string, language: string) => {
    const headers = { accept: type, 'accept-language': language }
    const { headers: sent, text } = await readAs('animals.example', `${proxy}${APP}/launcher/news`, headers)
    return [sent['content-type']?.split(';')[0], /Hallo|Hello/.exec(text)?.[0], sent['x-nginx-cache']]
  }
  const variants = ['application/json', 'application/rss+xml'].flatMap((type) => [
    [type, 'de', 'Hallo'] as const,
    [type, 'en', 'Hello'] as const,
  ])
  for (const cached of ['MISS', 'HIT']) {
    for (const [type, language, title] of variants) {
      assert.deepEqual(await read(type, language), [type, title, cached], `${type} ${language}`)
    }
  }
  // Nginx takes a space for a comma, in its key only.
  for (const [invalid, language] of [
    ['de-DE de;q=0.9 en;q=0.7', 'de-DE,de;q=0.9,en;q=0.7'],
    ['de,, en;,q=0.5', 'de, en; q=0.5'],
    ['en,de;,q=0.5', 'en, de; q=0.5'],
  ] as const) {
    await read('application/json', invalid)
    const [, title] = await read('application/json', language)
    assert.equal(title, language.startsWith('de') ? 'Hallo' : 'Hello', language)
  }
})
