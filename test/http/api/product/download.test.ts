import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { open, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { APP, startApp, type TestApp } from '../../../kit/app.ts'
import { assertRangesInTurns, readParts } from '../../../kit/byte-ranges.ts'
import { assets, record, releasesYaml } from '../../../kit/releases.ts'
import { until } from '../../../kit/until.ts'

const BYTES = Buffer.from('0123456789'.repeat(100))
const sha256 = createHash('sha256').update(BYTES).digest('hex')
const file = (name: string) => ({ file: name, bytes: BYTES.length, sha256 })

const files = {
  'releases.yaml': releasesYaml({
    launcher: [record('2.0.0', file("it's (new) ü.exe")), record('1.0.0', file('old.exe')), record('2.1.0-beta.1')],
    reshade: [record('5.0.0')],
  }),
  'resources.yaml': `resources:\n  - ${record('7.0.0', file('resources.zip'))}\n`,
  "files/it's (new) ü.exe": String(BYTES),
  'files/old.exe': String(BYTES),
  'files/resources.zip': String(BYTES),
}

const readStatistics = async ({ fetchJson }: TestApp) => (await fetchJson(`${APP}/stats/downloads`)).body

test('a local file is served with its name, digest and cache headers', async (t) => {
  const app = await startApp(t, files)
  const reply = await app.fetchPath(`${APP}/download/launcher`)
  assert.equal(reply.status, 200)
  assert.deepEqual(Buffer.from(await reply.bytes()), BYTES)
  const headers = Object.fromEntries(reply.headers)
  assert.equal(headers['content-type'], 'application/octet-stream')
  assert.equal(headers['content-length'], '1000')
  assert.equal(headers['accept-ranges'], 'bytes')
  assert.equal(headers['cache-control'], 'private, no-cache')
  assert.equal(headers.etag, `"${sha256}"`)
  assert.equal(headers['last-modified'], 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.equal(
    headers['content-disposition'],
    `attachment; filename="it's (new) _.exe"; filename*=UTF-8''it%27s%20%28new%29%20%C3%BC.exe`,
  )
  const head = await app.fetchPath(`${APP}/download/launcher`, { method: 'HEAD' })
  for (const name of ['content-length', 'etag', 'content-disposition']) {
    assert.equal(head.headers.get(name), headers[name], name)
  }
})

test('a client that compares dates only gets a file that replaced another one of the release', async (t) => {
  const app = await startApp(t, {
    'releases.yaml': releasesYaml({ launcher: [assets('2.0.0', { ...file('a.exe'), date: '2026-02-01' })] }),
    'files/a.exe': String(BYTES),
  })
  const get = (since: string) => app.fetch('/download/launcher', { headers: { 'If-Modified-Since': since } })
  const reply = await get('Thu, 01 Jan 2026 00:00:00 GMT')
  assert.deepEqual([reply.status, reply.headers.get('last-modified')], [200, 'Sun, 01 Feb 2026 00:00:00 GMT'])
  assert.equal((await get('Sun, 01 Feb 2026 00:00:00 GMT')).status, 304)
})

test('version and channel select a release, and an unknown version is 404', async (t) => {
  const app = await startApp(t, files)
  const place = async (path: string) => {
    const { status, headers } = await app.fetch(path)
    return [status, headers.get('location') ?? headers.get('content-disposition')?.split("''")[1]]
  }
  assert.deepEqual(await place('/download/launcher?version=1.0.0'), [200, 'old.exe'])
  assert.deepEqual(await place('/download/launcher?channel=beta'), [302, 'https://cdn.example/2.1.0-beta.1.exe'])
  assert.deepEqual(await place('/download/launcher?version=2.1.0-beta.1'), [
    302,
    'https://cdn.example/2.1.0-beta.1.exe',
  ])
  assert.deepEqual(await place('/download/reshade'), [302, 'https://cdn.example/5.0.0.exe'])
  assert.deepEqual(await place('/download/launcher/1.0.0/old.exe'), [200, 'old.exe'])
  assert.deepEqual(await place('/download/launcher/resources'), [200, 'resources.zip'])
  const elsewhere = await app.fetch('/download/reshade')
  assert.equal(elsewhere.headers.get('cache-control'), 'no-store')
  assert.equal(elsewhere.headers.get('content-length'), '0')
  for (const path of ['/download/launcher?version=9.9.9', '/download/launcher/1.0.0/old.exe.blockmap']) {
    assert.equal((await app.fetchJson(APP + path)).body.code, 'NOT_PUBLISHED', path)
  }
  const { body } = await app.fetchJson(`${APP}/version/app/launcher/resources`)
  assert.deepEqual(Buffer.from(await (await fetch(body.url)).bytes()), BYTES)
})

test('a redirect target may contain non-ASCII characters', async (t) => {
  const url = 'https://cdn.example/日本/ä b.exe?x=\t1'
  const app = await startApp(t, { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0', { url })] }) })
  const { status, headers } = await app.fetch('/download/launcher')
  assert.equal(status, 302)
  assert.equal(headers.get('location'), 'https://cdn.example/%E6%97%A5%E6%9C%AC/%C3%A4%20b.exe?x=1')
})

test('ranges are served', async (t) => {
  const app = await startApp(t, files)
  const part = (range: string, more = {}) => app.fetch('/download/launcher', { headers: { Range: range, ...more } })
  for (const [range, content, expected] of [
    ['bytes=0-9', 'bytes 0-9/1000', '0123456789'],
    ['bytes=995-', 'bytes 995-999/1000', '56789'],
    ['bytes=-3', 'bytes 997-999/1000', '789'],
  ] as const) {
    const reply = await part(range)
    assert.deepEqual([reply.status, reply.headers.get('content-range')], [206, content])
    assert.equal(await reply.text(), expected)
  }
  const beyond = await part('bytes=1000-')
  assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */1000'])
  assert.equal((await part('bytes=1000-', { 'If-None-Match': `"${sha256}"` })).status, 304)
  assert.equal((await part('bytes=1000-', { 'If-None-Match': '"another"' })).status, 416)
  assert.equal((await part('bytes=5-6', { 'If-Range': `"${sha256}"` })).status, 206)
  assert.equal((await part('bytes=5-6', { 'If-Range': '"another"' })).status, 200)
  const parts = await readParts(await part('bytes=500-599, 0-9, 995-'))
  assert.deepEqual(
    parts.map(({ start, end, bytes }) => [start, end, bytes.equals(BYTES.subarray(start, end + 1))]),
    [
      [500, 599, true],
      [0, 9, true],
      [995, 999, true],
    ],
  )
})

test('requests with a thousand ranges that waited for the same digest take turns', async (t) => {
  const large = Buffer.alloc(60 * 2 ** 20, 'x')
  const digest = createHash('sha256').update(large).digest('hex')
  const releases = { launcher: [record('1.0.0', { file: 'a.exe', bytes: large.length, sha256: digest })] }
  const app = await startApp(
    t,
    { 'releases.yaml': releasesYaml(releases), 'files/a.exe': String(large) },
    { RATE_LIMIT: 'off' },
  )
  await assertRangesInTurns(t, `${app.url}${APP}/download/launcher`)
})

test('a file name cannot add a parameter or a header', async (t) => {
  const name = 'a";%41\t😺.exe'
  const app = await startApp(t, {
    'releases.yaml': releasesYaml({ launcher: [record('1.0.0', file(name))] }),
    [`files/${name}`]: String(BYTES),
  })
  const { headers } = await app.fetch('/download/launcher')
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="a_;_41__.exe"; filename*=UTF-8''a%22%3B%2541%09%F0%9F%98%BA.exe`,
  )
})

test('a download that is refused with BUSY, because its network has too many at a time, is not counted', async (t) => {
  // More than the operating system buffers for one connection.
  const large = Buffer.alloc(12 * 2 ** 20, 'x')
  const digest = createHash('sha256').update(large).digest('hex')
  const app = await startApp(
    t,
    {
      'releases.yaml': releasesYaml({
        launcher: [record('1.0.0', { file: 'large.exe', bytes: large.length, sha256: digest })],
        reshade: [record('5.0.0')],
      }),
      'files/large.exe': String(large),
    },
    { MEMORY_LIMIT: String(256 * 2 ** 20), RATE_LIMIT: 'off' },
  )
  const { hostname, port } = new URL(app.url)
  const sockets: Socket[] = []
  /** The client reads only the first bytes. */
  const startDownload = async () => {
    const socket = connect(Number(port), hostname).on('error', () => {})
    sockets.push(socket)
    socket.write(`GET ${APP}/download/launcher HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [bytes] = await once(socket, 'data')
    socket.pause()
    return Number(String(bytes).slice('HTTP/1.1 '.length).split(' ')[0])
  }
  const statuses: number[] = []
  while (!statuses.includes(503)) statuses.push(await startDownload())
  assert.equal(await startDownload(), 503)
  // A redirect needs no memory. Counts are written in order.
  assert.equal((await app.fetch('/download/reshade')).status, 302)
  await until(async () => (await readStatistics(app)).applications.reshade.total === 1)
  assert.equal((await readStatistics(app)).applications.launcher.total, statuses.length - 1)
  for (const socket of sockets) socket.destroy()
})

test('a download counts once: not HEAD, 304, later parts or errors, but redirects', async (t) => {
  const app = await startApp(t, files)
  const get = async (path: string, init?: RequestInit) => (await app.fetch(path, init)).bytes()
  const range = (text: string) => ({ headers: { Range: text } })

  await get('/download/launcher', { method: 'HEAD' })
  await get('/download/reshade', { method: 'HEAD' })
  await get('/download/launcher', { headers: { 'If-None-Match': `"${sha256}"` } })
  await get('/download/launcher', { headers: { 'If-None-Match': `"${sha256}"`, Range: 'bytes=0-9' } })
  const modified = 'Thu, 01 Jan 2026 00:00:00 GMT'
  await get('/download/launcher', { headers: { 'If-Modified-Since': modified } })
  await get('/download/launcher', { headers: { 'If-Match': '"another"' } })
  await get('/download/launcher', { headers: { 'If-Unmodified-Since': 'Wed, 31 Dec 2025 23:59:59 GMT' } })
  await get('/download/launcher', { method: 'HEAD', headers: { Range: 'bytes=0-9' } })
  const tooMany = `bytes=${'0-,'.repeat(1001)}`
  for (const part of ['bytes=1-', 'bytes=500-999', 'bytes=-1', 'bytes=5000-', 'bytes=500-599,1-9', tooMany]) {
    await get('/download/launcher', range(part))
    await get('/download/reshade', range(part))
  }
  await get('/download/launcher', { method: 'POST' })
  await get('/download/launcher?version=9.9.9')
  await get('/download/launcher/1.0.0/other.exe')

  await get('/download/launcher')
  await get('/download/launcher', { headers: { 'If-None-Match': '"another"' } })
  await get('/download/launcher', range('bytes=0-'))
  await get('/download/launcher', range('bytes=0-99'))
  await get('/download/launcher', range('bytes=500-599,0-9'))
  await get('/download/launcher', { headers: { 'If-Match': `"${sha256}"`, 'If-Modified-Since': 'never' } })
  // The client has the start of another version, so it gets the whole file.
  await get('/download/launcher', { headers: { 'If-Range': '"another"', Range: 'bytes=500-' } })
  await get('/download/launcher?version=1.0.0')
  await get('/download/reshade')
  await get('/download/launcher/resources')
  // Counts are written in order, so the others would be in the sums, too.
  await until(async () => (await readStatistics(app)).applications.resources !== undefined)
  const { total, applications, daily } = await readStatistics(app)
  assert.equal(total, 10)
  assert.deepEqual(applications.launcher, { total: 8, versions: { '1.0.0': 1, '2.0.0': 7 } })
  assert.deepEqual(applications.reshade, { total: 1, versions: { '5.0.0': 1 } })
  assert.deepEqual(applications.resources, { total: 1, versions: { '7.0.0': 1 } })
  assert.equal(daily.at(-1).count, 10)
})

/** Without problems of the machine, such as a blocked event loop. */
const readProblems = async ({ fetchJson }: TestApp): Promise<string[]> =>
  (await fetchJson('/readyz')).body.problems.flatMap(({ file, message }: Record<string, string>) =>
    file === undefined ? [] : [`${file}: ${message}`],
  )

test('a file that is removed or truncated is 404 FILE_GONE, not offered, and /readyz names it', async (t) => {
  const app = await startApp(t, files)
  const readLatest = async () => (await app.fetchJson(`${APP}/launcher/updates`)).body.latest
  assert.deepEqual(await readProblems(app), [])
  assert.equal(await readLatest(), '2.0.0')
  const newest = join(app.appDir, 'files', "it's (new) ü.exe")
  await truncate(newest, 999)
  await writeFile(join(app.appDir, 'files', 'resources.zip'), 'shorter')
  for (const path of ['/download/launcher?version=2.0.0', '/download/launcher/resources']) {
    const { status, body } = await app.fetchJson(APP + path)
    assert.deepEqual([status, body.code], [404, 'FILE_GONE'], path)
    assert.ok(!JSON.stringify(body).includes(app.appDir))
  }
  await until(async () => (await readProblems(app)).length === 2)
  const problems = (await readProblems(app)).sort()
  assert.match(problems[0] ?? '', /^app\/files\/it's \(new\) ü\.exe: .* has 999 bytes instead of 1000/)
  assert.match(problems[1] ?? '', /^app\/files\/resources\.zip: .* has 7 bytes instead of 1000/)
  assert.equal((await app.fetchJson('/readyz')).body.state, 'degraded')
  assert.equal(await readLatest(), '1.0.0')
  const older = await app.fetch('/download/launcher')
  assert.match(older.headers.get('content-disposition') ?? '', /"old\.exe"/)
  await rm(join(app.appDir, 'files', 'old.exe'))
  await until(async () => (await readLatest()) === null)
  await writeFile(newest, BYTES)
  await until(async () => (await readLatest()) === '2.0.0')
  assert.equal((await app.fetch('/download/launcher')).status, 200)
})

/** Writes other bytes of the same length, and restores the modification time. */
async function changeInPlace(path: string): Promise<void> {
  const { atime, mtime } = await stat(path)
  await using handle = await open(path, 'r+')
  await handle.write('x', 0)
  await handle.utimes(atime, mtime)
}

test('a file that changes at the same size and time is never served under its old digest', async (t) => {
  const app = await startApp(t, files)
  const path = join(app.appDir, 'files', 'old.exe')
  const download = () => app.fetchJson(`${APP}/download/launcher?version=1.0.0`)
  assert.deepEqual(Buffer.from(await (await app.fetch('/download/launcher?version=1.0.0')).bytes()), BYTES)
  await changeInPlace(path)
  const changed = await download()
  assert.deepEqual([changed.status, changed.body.code], [404, 'FILE_GONE'])
  const conditional = { headers: { 'If-None-Match': `"${sha256}"` } }
  assert.equal((await app.fetch('/download/launcher?version=1.0.0', conditional)).status, 404)
  await until(async () => (await readProblems(app)).some((text) => /old\.exe: .* another SHA-256/.test(text)))
  const { updates } = (await app.fetchJson(`${APP}/launcher/updates`)).body
  assert.deepEqual(
    updates.map(({ version }: { version: string }) => version),
    ['2.0.0'],
  )
  // `touch` does not change the bytes.
  await writeFile(path, BYTES)
  await utimes(path, new Date(), new Date())
  await until(async () => (await readProblems(app)).length === 0)
  assert.equal((await app.fetch('/download/launcher?version=1.0.0')).status, 200)
})

test('a change while the service does not run is found by the first download', async (t) => {
  const app = await startApp(t, { ...files, 'files/old.exe': String(BYTES).replace('0', 'x') })
  assert.deepEqual(await readProblems(app), [])
  const { body } = await app.fetchJson(`${APP}/download/launcher?version=1.0.0`)
  assert.equal(body.code, 'FILE_GONE')
  await until(async () => (await readProblems(app)).some((text) => /old\.exe: .* another SHA-256/.test(text)))
})
