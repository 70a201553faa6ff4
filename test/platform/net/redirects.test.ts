import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import type { Scope } from '../../kit/scope.ts'
import { type Source, startSource } from '../../kit/source.ts'
import { failsWith, fetcherFor, signal } from './kit.ts'

/** Answers `/to?<location>` with a redirect there, `/hops?n` with one to `/hops?n-1`, and everything else with "here". */
const startRedirecting = (t: Scope, status = 302): Promise<Source> =>
  startSource(t, (request, response) => {
    const [path, query = ''] = request.url!.split(/\?(.*)/)
    const left = Number(query)
    if (path === '/to') response.writeHead(status, { location: decodeURIComponent(query) }).end()
    else if (path === '/hops' && left > 0) response.writeHead(status, { location: `?${left - 1}` }).end()
    else if (path === '/two-locations') response.writeHead(status, ['location', '/a', 'location', '/b']).end()
    else if (path === '/no-location') response.writeHead(status).end()
    else response.end('here')
  })

const to = (source: Source, location: string) => source.url(`/to?${encodeURIComponent(location)}`)

test('all redirect statuses are followed, also to relative URLs, and reported', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const source = await startRedirecting(t, status)
    const fetched = await fetcherFor([source]).get(to(source, '../b#c'), { signal: signal() })
    assert.equal(fetched.body.toString(), 'here')
    assert.equal(fetched.url, source.url('/b'))
    assert.deepEqual(
      fetched.redirects.map((hop) => [hop.url, hop.status]),
      [[to(source, '../b#c'), status]],
    )
  }
})

test('five redirects are followed, a sixth or a loop is not', async (t) => {
  const source = await startRedirecting(t)
  const fetcher = fetcherFor([source])
  assert.equal((await fetcher.get(source.url('/hops?5'), { signal: signal() })).redirects.length, 5)
  const tooOften = failsWith('bad-redirect', { sourceStatus: 302 })
  await assert.rejects(fetcher.get(source.url('/hops?6'), { signal: signal() }), tooOften)
  const before = source.connections().made
  const loop = await startSource(t, (_request, response) => void response.writeHead(302, { location: '/' }).end())
  await assert.rejects(fetcherFor([loop]).get(loop.url(), { signal: signal() }), tooOften)
  assert.deepEqual([source.connections().made, loop.connections().made], [before, 6])
})

test('one deadline covers all hops', async (t) => {
  const source = await startSource(t, (_request, response) => {
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 150)
  })
  const fetcher = fetcherFor([source], { totalTimeoutMs: 400 })
  await assert.rejects(fetcher.get(source.url(), { signal: signal() }), failsWith('timeout', { max: 400 }))
})

const badLocations = [
  ...['file:///etc/passwd', 'ftp://example.com/', 'data:image/png;base64,AAAA', 'gopher://127.0.0.1:6379/_'],
  ...['http://user:pass@example.com/', 'javascript:1', 'http://', 'http://a..b/'],
]

test('a redirect to another scheme, with credentials, or without one location fails as a bad redirect', async (t) => {
  const source = await startRedirecting(t)
  const badRedirect = failsWith('bad-redirect', { sourceStatus: 302 })
  for (const location of badLocations) {
    await assert.rejects(fetcherFor([source]).get(to(source, location), { signal: signal() }), badRedirect, location)
  }
  for (const path of ['/no-location', '/two-locations']) {
    await assert.rejects(fetcherFor([source]).get(source.url(path), { signal: signal() }), badRedirect, path)
  }
})

test('a redirect to a private address is refused without a connection', async (t) => {
  const [source, canary] = [await startRedirecting(t), await startRedirecting(t)]
  for (const location of [
    canary.url(),
    canary.url().replace('127.0.0.1', '2130706433'),
    'http://10.0.0.1/',
    '//[::1]/',
  ]) {
    await assert.rejects(
      fetcherFor([source]).get(to(source, location), { signal: signal() }),
      failsWith('forbidden-address'),
    )
  }
  assert.equal(canary.connections().made, 0)
})

test('an allowed host is allowed only on its port', async (t) => {
  const [source, other] = [await startRedirecting(t), await startRedirecting(t)]
  const fetcher = fetcherFor([source])
  await assert.rejects(fetcher.get(other.url(), { signal: signal() }), failsWith('forbidden-address'))
  const byName = source.url().replace('127.0.0.1', 'localhost')
  await assert.rejects(fetcher.get(byName, { signal: signal() }), failsWith('forbidden-address'))
  const named = fetcherFor([], { allowHosts: [source.host.replace('127.0.0.1', 'LocalHost')] })
  assert.equal((await named.get(byName, { signal: signal() })).body.toString(), 'here')
  assert.equal(other.connections().made, 0)
  assert.throws(() => fetcherFor([], { allowHosts: ['localhost'] }), /host:port/)
})

test('ports below 1024 other than 80 and 443 are refused', async () => {
  for (const port of [1, 22, 25, 79, 81, 442, 444, 1023]) {
    const refused = fetcherFor([]).get(`http://8.8.8.8:${port}/`, { signal: signal() })
    await assert.rejects(refused, failsWith('forbidden-address'))
  }
})

test('only the configured ports are allowed', async () => {
  const resolve = async () => []
  const fetcher = fetcherFor([], { resolve, ports: [[81, 90]] })
  for (const port of [80, 443, 91]) {
    const refused = fetcher.get(`http://pictures.example:${port}/`, { signal: signal() })
    await assert.rejects(refused, failsWith('forbidden-address'))
  }
  const allowed = fetcher.get('http://pictures.example:85/', { signal: signal() })
  await assert.rejects(allowed, failsWith('unreachable', { sourceStatus: undefined }))
})

test('a .invalid name is unreachable, not forbidden', async () => {
  const resolve = () => assert.fail('DNS need not be asked')
  const nowhere = fetcherFor([], { resolve }).get('http://no-such-host.invalid/cat.png', { signal: signal() })
  await assert.rejects(nowhere, failsWith('unreachable', { sourceStatus: undefined }))
})

test('a blocked host is refused in every spelling, on a redirect too, before its name is resolved', async (t) => {
  const source = await startRedirecting(t)
  const asked: string[] = []
  const fetcher = fetcherFor([source], {
    isBlockedHost: (host) => host === 'bad.example' || host.endsWith('.bad.example') || host === '2606:4700::1',
    resolve: async (name) => asked.splice(0, 0, name),
  })
  const blocked = [
    'http://bad.example/',
    'https://BAD.example./x',
    'http://a.b.bad.example:8080/',
    'http://b%61d.example',
  ]
  for (const url of [...blocked, 'http://[2606:4700:0::1]/']) {
    await assert.rejects(fetcher.get(url, { signal: signal() }), failsWith('blocked-host'), url)
    await assert.rejects(fetcher.get(to(source, url), { signal: signal() }), failsWith('blocked-host'), url)
  }
  assert.deepEqual(asked, [])
})

test('a request carries our user agent and nothing from the client, and cookies are not stored', async (t) => {
  const received: IncomingHttpHeaders[] = []
  const source = await startSource(t, (request, response) => {
    received.push(request.headers)
    if (request.url === '/a') response.writeHead(302, { location: '/b', 'set-cookie': 'a=b' }).end()
    else response.end()
  })
  await fetcherFor([source], { userAgent: 'menagerie/1.2.3', accept: 'image/*' }).get(source.url('/a'), {
    signal: signal(),
  })
  const expected = {
    host: source.host,
    connection: 'close',
    'user-agent': 'menagerie/1.2.3',
    accept: 'image/*',
    'accept-encoding': 'identity',
  }
  assert.deepEqual(received, [expected, expected])
})

test('conditional headers are sent only to the URL that they belong to', async (t) => {
  const received: string[] = []
  const source = await startSource(t, (request, response) => {
    received.push(`${request.url} ${request.headers['if-none-match']}`)
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200).end()
  })
  const headers = { 'if-none-match': '"1"' }
  const options = { signal: signal(), revalidate: { url: source.url('/b'), headers } }
  assert.equal((await fetcherFor([source]).get(source.url('/a'), options)).status, 304)
  assert.equal((await fetcherFor([source]).get(source.url('/c'), options)).status, 200)
  assert.deepEqual(received, ['/a undefined', '/b "1"', '/c undefined'])
})

test('check() refuses what needs no DNS lookup', () => {
  const fetcher = fetcherFor([], { isBlockedHost: (host) => host === 'bad.example' })
  assert.equal(fetcher.check('HTTP://good.example.:80/a#b').href, 'http://good.example/a')
  assert.throws(() => fetcher.check('http://bad.example/'), failsWith('blocked-host'))
  for (const url of ['http://0x7f.1/', 'http://a.localhost/', 'http://8.8.8.8:22/']) {
    assert.throws(() => fetcher.check(url), failsWith('forbidden-address'))
  }
  assert.throws(() => fetcher.check('x'), failsWith('invalid-url'))
})
