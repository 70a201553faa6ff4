import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { createGeneratedFiles, createLogFiles } from '../../../../src/features/developer/index.ts'
import { buildDeveloperRoutes } from '../../../../src/http/api/developer.ts'
import { listen } from '../../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../../src/http/kernel/http-server.ts'
import { createLimits } from '../../../../src/http/kernel/limits.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { sendRaw } from '../../../kit/raw-http.ts'
import { ROOT } from '../../../kit/root.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const ENDPOINTS = [
  '/api',
  '/api/v1/version',
  '/api/v1/uptime',
  '/api/v1/static/generated',
  '/api/v1/static/generated/errors.json',
  '/api/v1/static/logs',
  '/api/v1/static/cache',
  '/api/v1/static/cache/blocklist.txt',
  '/openapi.json',
  '/docs',
]

// fetch closes the connection after a HEAD.
const OF_ONE_REQUEST = ['date', 'x-request-id', 'etag', 'content-length', 'connection', 'keep-alive']

describe('the developer endpoints', () => {
  const service = forSuite((scope) => startTestService(scope))

  for (const path of ENDPOINTS) {
    it(`HEAD ${path} replies like GET without a body`, async () => {
      // fetch would decompress a body, and then its length is another one.
      const headers = { 'accept-encoding': 'identity' }
      const get = await service().fetchPath(path, { headers })
      const head = await service().fetchPath(path, { headers, method: 'HEAD' })
      assert.equal(get.status, 200)
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      const stable = (headers: Headers) => [...headers].filter(([name]) => !OF_ONE_REQUEST.includes(name))
      assert.deepEqual(stable(head.headers), stable(get.headers))
      assert.equal(Number(get.headers.get('content-length')), (await get.bytes()).length)
      assert.ok(Number(head.headers.get('content-length')) > 0)
    })

    it(`POST ${path} is 405 with Allow`, async () => {
      const response = await service().fetchPath(path, { method: 'POST', body: '{}' })
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'GET, HEAD')
    })

    it(`${path} has ETag and Cache-Control, and supports If-None-Match`, async () => {
      if (path === '/api/v1/uptime') return // It never stays the same.
      const check = async (etag: string) => {
        assert.match(etag, /^"[\w-]+"$/)
        for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await service().fetchPath(path, { headers: { 'if-none-match': given } })
          assert.equal(again.status, 304, given)
          assert.equal(await again.text(), '')
          assert.equal(again.headers.get('etag'), etag)
          assert.equal(again.headers.get('content-type'), null)
        }
      }
      // The log may grow by lines of earlier requests. Then the list has changed, and is read again.
      const etagOf = async () => (await service().fetchPath(path)).headers.get('etag') ?? ''
      await until(async () => {
        const etag = await etagOf()
        const failure = await check(etag).catch((error) => error)
        if (failure && (await etagOf()) === etag) throw failure
        return !failure
      })
      const other = await service().fetchPath(path, { headers: { 'if-none-match': '"other"' } })
      assert.equal(other.status, 200)
      assert.match(other.headers.get('cache-control') ?? '', /max-age|no-cache/)
    })
  }

  it('/api/v1/version returns versions of service and Node, and the commit', async () => {
    const { body } = await service().fetchJson('/api/v1/version')
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const { commit, ...rest } = body
    assert.deepEqual(rest, { success: true, status: 200, code: 200, version, node: process.versions.node })
    let head: string | null = null
    try {
      head = execFileSync('git', ['rev-parse', 'HEAD'], {
        cwd: ROOT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {}
    assert.equal(commit, head)
  })

  it('/api/v1/uptime increases', async () => {
    const first = (await service().fetchJson('/api/v1/uptime')).body
    await new Promise((resolve) => setTimeout(resolve, 50))
    const second = (await service().fetchJson('/api/v1/uptime')).body
    assert.ok(second.uptime > first.uptime)
    assert.equal(second.startedAt, first.startedAt)
    assert.ok(Math.abs(Date.parse(first.startedAt) + first.uptime * 1000 - Date.now()) < 5000)
  })

  it('the blocklist has the digest that sha256sum prints', async () => {
    const { body } = await service().fetchJson('/api/v1/static/cache/blocklist.txt')
    const file = await readFile(join(service().contentDir, 'blocklist.txt'))
    const digest = createHash('sha256').update(file).digest('hex')
    assert.equal(body.message, digest)
    assert.equal(body.sha256, digest)
    assert.equal(body.type, 'sha256')
    assert.equal(body.size, file.length)
    const lines = file
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    assert.equal(body.entries, lines.length)
  })

  it('generated files match their listing', async () => {
    const { body } = await service().fetchJson('/api/v1/static/generated')
    const names = body.files.map(({ name }: { name: string }) => name)
    for (const name of ['openapi.json', 'endpoints.json', 'errors.json', 'catalogue.json', 'statistics'])
      assert.ok(names.includes(name), name)
    for (const file of body.files.filter(({ isDir }: { isDir: boolean }) => !isDir)) {
      const { body: content } = await service().fetchJson(`/api/v1/static/generated/${file.path}`)
      const onDisk = await readFile(join(service().dataDir, 'generated', file.path))
      assert.equal(content.sha256, file.sha256)
      assert.equal(content.sha256, createHash('sha256').update(onDisk).digest('hex'))
      assert.equal(content.size, onDisk.length)
      assert.equal(content.encoding, 'json')
      assert.deepEqual(content.content, JSON.parse(onDisk.toString()))
    }
    const document = await (await service().fetchPath('/openapi.json')).json()
    const { body: generated } = await service().fetchJson('/api/v1/static/generated/openapi.json')
    assert.deepEqual(generated.content, document)
  })

  it('/api links the documents', async () => {
    const { body } = await service().fetchJson('/api')
    for (const link of Object.values<string>(body.links)) assert.equal((await fetch(link)).status, 200, link)
  })
})

test('a client that requests many files at once gets BUSY for some, and another client is served', async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const send = async (client: string, requests: number) => {
    const head = `GET /api/v1/static/generated/errors.json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`
    const received = await sendRaw(url, head.repeat(requests))
    return received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []
  }
  const floods = Promise.all(Array.from({ length: 10 }, () => send('192.0.2.1', 30)))
  assert.deepEqual(await send('198.51.100.1', 1), ['200'])
  assert.deepEqual([...new Set((await floods).flat())].sort(), ['200', '503'])
})

test('a generated file is decoded once for all requests, until it changes', async (t) => {
  const generated = createGeneratedFiles(await temporaryFolder(t))
  let decoded = 0
  const read = async (path: string) => {
    const file = await generated.read(path)
    const decode = () => {
      decoded++
      return file!.decode()
    }
    return file && { ...file, decode }
  }
  const routes = buildDeveloperRoutes({
    generated: { ...generated, read },
    version: {},
    startedAt: new Date(),
  } as never)
  const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
  t.after(() => server.close())
  const url = `${await listen(server, '127.0.0.1', 0)}/api/v1/static/generated`
  for (const content of [['one'], ['three']]) {
    await generated.put('a/b.json', content)
    for (let i = 0; i < 3; i++) {
      const reply = await fetch(`${url}/a/b.json?x=${i}`)
      assert.deepEqual(((await reply.json()) as { content: unknown }).content, content)
    }
  }
  assert.equal(decoded, 2)
})

test('a long reply with log lines counts as several requests', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'a.log'), `${JSON.stringify({ msg: 'x'.repeat(500) })}\n`.repeat(400))
  const routes = buildDeveloperRoutes({ logs: createLogFiles(folder), version: {}, startedAt: new Date() } as never)
  const limits = createLimits({ requests: { count: 100, seconds: 3600 } })
  const server = createHttpServer({ routes, limits, log: {} as never, observe() {}, publicUrl: '', trustProxy: [] })
  t.after(() => server.close())
  const url = `${await listen(server, '127.0.0.1', 0)}/api/v1/static/logs/a.log?lines=`
  const remaining: number[] = []
  for (const lines of [400, 1, 1]) remaining.push(Number((await fetch(url + lines)).headers.get('ratelimit-remaining')))
  assert.deepEqual(remaining, [99, 95, 94])
})

test('a downloaded blocklist and that of the content folder are listed apart, and the metric counts both', async (t) => {
  const { contentDir, dataDir, fetchJson, fetchPath } = await startTestService(t)
  const own = (await fetchJson('/api/v1/static/cache/blocklist.txt')).body
  await mkdir(join(dataDir, 'cache'), { recursive: true })
  await writeFile(join(dataDir, 'cache', 'blocklist.txt'), 'fetched.example\n')
  const list = async () => (await fetchJson('/api/v1/static/cache')).body.files
  await until(async () => (await list()).length === 2)
  const files = {
    'blocklist.txt': `${dataDir}/cache/blocklist.txt`,
    'content/blocklist.txt': `${contentDir}/blocklist.txt`,
  }
  const found = await list()
  assert.deepEqual(
    found.map(({ path, source }: { path: string; source: string }) => [path, source]),
    [
      ['blocklist.txt', 'update'],
      ['content/blocklist.txt', 'content'],
    ],
  )
  for (const [path, file] of Object.entries(files)) {
    const { body } = await fetchJson(`/api/v1/static/cache/${path}`)
    assert.deepEqual(
      [body.path, body.message],
      [
        path,
        createHash('sha256')
          .update(await readFile(file))
          .digest('hex'),
      ],
    )
  }
  const metrics = await (await fetchPath('/metrics')).text()
  assert.match(metrics, new RegExp(`^menagerie_blocklist_entries ${own.entries + 1}$`, 'm'))
})
