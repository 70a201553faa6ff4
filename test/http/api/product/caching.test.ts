import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openReleases } from '../../../../src/features/releases/index.ts'
import { createReleaseReplyCache } from '../../../../src/http/api/product/release-reply-cache.ts'
import { channel, lang } from '../../../../src/http/api/product/schemas.ts'
import { listen } from '../../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../../src/http/kernel/http-server.ts'
import { createLimits } from '../../../../src/http/kernel/limits.ts'
import { success } from '../../../../src/http/kernel/replies.ts'
import { get } from '../../../../src/http/kernel/route.ts'
import { APP } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { createTestLog } from '../../../kit/log.ts'
import { silentLog } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

const MINUTES = 'max-age=60, stale-while-revalidate=300'

const gets = [
  '/stats/downloads',
  '/launcher/updates',
  '/launcher/updates?current=0.9.0',
  '/launcher/updates?format=electron&channel=beta',
  '/launcher/updates/beta.yml',
  '/launcher/news',
  '/launcher/news?format=atom',
  '/launcher/news?format=rss',
  '/launcher/news?format=json-feed',
  '/version/app/launcher',
  '/version/app/reshade',
  '/version/app/fpsUnlocker',
  '/version/app/launcher/resources',
  '/version/tier/2',
  '/version/tier/3',
]

describe('every endpoint', () => {
  const service = forSuite((scope) => startTestService(scope))

  for (const path of [...gets, '/download/launcher']) {
    test(`GET ${path}: HEAD, 304 and 405 work as HTTP defines them`, async () => {
      const { url } = service()
      const fetchPath = (path: string, { headers, ...init }: RequestInit = {}) =>
        service().fetchPath(path, { ...init, headers: { 'accept-encoding': 'identity', ...headers } })
      const reply = await fetchPath(APP + path)
      assert.equal(reply.status, 200)
      const body = await reply.bytes()
      const etag = reply.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]+"$/)
      // Links and the header Link contain the host of the request.
      const policy = path.startsWith('/download') ? 'private, no-cache' : `private, ${MINUTES}`
      assert.equal(reply.headers.get('cache-control'), policy)
      assert.equal(Number(reply.headers.get('content-length')), body.length)
      assert.equal(reply.headers.get('access-control-allow-origin'), '*')
      assert.equal(reply.headers.get('link'), `<${url}/v5-access>; rel="terms-of-service"`)

      const head = await fetchPath(APP + path, { method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal((await head.bytes()).length, 0)
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'link', 'vary']) {
        assert.equal(head.headers.get(name), reply.headers.get(name), name)
      }

      const compressed = await fetchPath(APP + path, { headers: { 'accept-encoding': 'br' } })
      const isLong = body.length >= 1000
      assert.equal(compressed.headers.get('content-encoding'), isLong ? 'br' : null)
      assert.equal(/accept-encoding/i.test(reply.headers.get('vary') ?? ''), isLong)
      assert.deepEqual(await compressed.bytes(), body)

      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await fetchPath(APP + path, { headers: { 'If-None-Match': known } })
        assert.equal(again.status, 304, known)
        assert.equal(again.headers.get('etag'), etag)
        assert.equal(again.headers.get('cache-control'), policy)
        assert.equal((await again.bytes()).length, 0)
      }
      assert.equal((await fetchPath(APP + path, { headers: { 'If-None-Match': '"other"' } })).status, 200)

      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const refused = await fetchPath(APP + path, { method })
        assert.equal(refused.status, 405, method)
        assert.equal(refused.headers.get('allow'), 'GET, HEAD')
        assert.equal(((await refused.json()) as { code: string }).code, 'METHOD_NOT_ALLOWED')
      }
    })
  }

  test('an unknown parameter is ignored, and errors are not cached', async () => {
    const reply = await service().fetchPath(`${APP}/version/tier/2?_=123&noCache=1`)
    assert.equal(reply.status, 200)
    const missing = await service().fetchPath(`${APP}/version/tier/9`)
    assert.equal(missing.headers.get('cache-control'), 'no-store')
  })

  test('URLs start with the host of the request, and each host has its own entity', async () => {
    const { url, fetchPath } = service()
    const path = `${APP}/version/app/launcher`
    const [one, other] = [await fetchPath(path), await fetch(url.replace('127.0.0.1', 'localhost') + path)]
    const { launcher } = (await other.json()) as { launcher: { url: string } }
    assert.match(launcher.url, /^http:\/\/localhost:\d+\/api\/v5\/app\/download\/launcher\?version=1\.0\.0$/)
    assert.notEqual(one.headers.get('etag'), other.headers.get('etag'))
  })

  test('made-up parameters of any length do not fill the memory', async () => {
    const sendMany = async (count: number, character: string) => {
      for (let i = 0; i < count; i++)
        await (await service().fetchPath(`${APP}/launcher/updates?target=${i}${character.repeat(2500)}`)).text()
    }
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const measureHeap = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    await sendMany(50, '%01')
    const before = measureHeap()
    await sendMany(200, '%02')
    // In JSON, each of these characters takes six bytes, so a parameter takes 15 KB.
    assert.ok((measureHeap() - before) / 200 < 10_000)
  })
})

/** Replies that say how often one was built. */
async function startReplies(t: TestContext) {
  const releases = await openReleases({ dir: await temporaryFolder(t), log: silentLog })
  t.after(() => releases.close())
  const replies = createReleaseReplyCache(releases, { access: 'open', prefix: APP })
  let built = 0
  const query = { channel, lang }
  const routes = [
    get('/news/:part', {
      tag: 'test',
      summary: 'test',
      query,
      handle: (ctx) => {
        const text = ctx.url === '/news/long' ? 'x'.repeat(200_000) : ''
        return replies.get(ctx, {}, () => success({ built: ++built, ...ctx.params, ...ctx.query, text }))
      },
    }),
  ]
  const log = createTestLog() as never
  const limits = createLimits({ requests: { count: 100, seconds: 36_000 } })
  const server = createHttpServer({ routes, log, observe: () => {}, publicUrl: '', trustProxy: [], limits })
  t.after(() => void server.close())
  return listen(server, '127.0.0.1', 0)
}

test('a reply is built once for all URLs that mean the same', async (t) => {
  const url = await startReplies(t)
  const read = async (path: string) => ((await (await fetch(url + path)).json()) as { built: number }).built
  const same = ['/news/a', '/news/a?x=1', '/news/%61', '/news/a?lang=xx', '/news/a?lang=yy&', '/news/a?localVersion=1']
  assert.deepEqual(await Promise.all(same.map(read)), Array(same.length).fill(1))
  const different = ['/news/b', '/news/a?channel=beta', '/news/b?channel=beta']
  assert.deepEqual(await Promise.all(different.map(read)), [2, 3, 4])
})

test('a long reply counts as several requests when it is built', async (t) => {
  const url = await startReplies(t)
  const remaining: number[] = []
  for (const path of ['/news/long', '/news/long', '/news/a'])
    remaining.push(Number((await fetch(url + path)).headers.get('ratelimit-remaining')))
  assert.deepEqual(remaining, [99, 95, 94])
})

test('with PUBLIC_URL all links start with it', async (t) => {
  const { fetchPath, fetchJson } = await startTestService(t, { PUBLIC_URL: 'https://api.example.org/zoo' })
  const { headers, body } = await fetchJson(`${APP}/launcher/updates`)
  assert.equal(body.updates[0].url, `https://api.example.org/zoo${APP}/download/launcher?version=1.0.0`)
  assert.equal(headers.get('cache-control'), `public, ${MINUTES}`)
  assert.equal(headers.get('link'), '<https://api.example.org/zoo/v5-access>; rel="terms-of-service"')
  assert.match(
    await (await fetchPath(`${APP}/launcher/news?format=atom`)).text(),
    /href="https:\/\/api\.example\.org\/zoo\//,
  )
})
