import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

describe('every reply', () => {
  const suite = forSuite((scope) => startTestService(scope))

  for (const path of ['/api/v1/version', '/nope', '/docs']) {
    it(`${path} carries the security headers, CORS and a request id`, async () => {
      const { headers } = await suite().ask(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f]{12}-/)
      assert.equal(headers.get('strict-transport-security'), null)
      assert.equal(headers.get('x-powered-by'), null)
    })
  }

  it('no two requests share an id', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await suite().ask('/healthz')).headers.get('x-request-id')),
    )
    assert.equal(new Set(ids).size, 50)
  })

  it('a preflight is answered for known paths only', async () => {
    const init = {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    }
    const known = await suite().ask('/api/v1/version', init)
    assert.equal(known.status, 204)
    assert.equal(known.headers.get('access-control-allow-methods'), 'GET, HEAD')
    assert.match(known.headers.get('access-control-allow-headers') ?? '', /X-Client-Key/)
    assert.equal((await suite().ask('/nope', init)).status, 404)
  })

  it('absolute URLs start with the host of the request, and never with a host that is no host', async () => {
    const docsOf = async (headers: Record<string, string>) => {
      const { request } = await import('node:http')
      return new Promise<string>((resolve) => {
        request(`${suite().url}/api`, { headers }, (response) => {
          let text = ''
          response.on('data', (part) => {
            text += part
          })
          response.on('end', () => resolve(JSON.parse(text).links.docs))
        }).end()
      })
    }
    assert.equal(await docsOf({ host: 'animals.example' }), 'http://animals.example/docs')
    assert.equal(await docsOf({ host: 'evil.example/x?' }), `${suite().url}/docs`)
    assert.equal(await docsOf({ host: 'a.example', 'x-forwarded-host': 'evil.example' }), 'http://a.example/docs')
  })

  it('the access log has a line a request, without query, with the network of the caller only', async () => {
    await suite().ask('/api/v1/version?image=https://secret.example/private.png')
    await suite().ask('/no/such/https://secret.example/private.png')
    await suite().ask('/api/v1/static/generated/https%3A%2F%2Fsecret.example%2Fprivate.png')
    const day = new Date().toISOString().slice(0, 10)
    const read = () => readFile(join(suite().dataDir, 'logs', `menagerie.${day}.log`), 'utf8')
    await until(async () => (await read()).includes('"/no/such'))
    const lines = (await read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const line = lines.findLast(({ path }) => path === '/api/v1/version')
    assert.equal(line.client, '127.0.0.0/24')
    assert.equal(line.status, 200)
    assert.equal(typeof line.ms, 'number')
    assert.doesNotMatch(await read(), /secret|private|127\.0\.0\.1/)
  })
})

it('behind a believed proxy the forwarded scheme, host and client count', async (t) => {
  const { ask, askJson, dataDir } = await startTestService(t, { TRUST_PROXY: 'loopback, 10.0.0.0/8' })
  const { body } = await askJson('/api', {
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'animals.example' },
  })
  assert.equal(body.links.docs, 'https://animals.example/docs')
  await ask('/healthz', { headers: { 'x-forwarded-for': '192.0.2.66, 198.51.100.7, 10.1.2.3' } })
  const day = new Date().toISOString().slice(0, 10)
  const read = () => readFile(join(dataDir, 'logs', `menagerie.${day}.log`), 'utf8')
  await until(async () => (await read()).includes('/healthz'))
  const line = (await read()).split('\n').find((text) => text.includes('/healthz')) ?? ''
  assert.match(line, /"client":"198\.51\.100\.0\/24"/)
})

it('PUBLIC_URL starts absolute URLs, and https asks browsers to stay with https', async (t) => {
  const { askJson } = await startTestService(t, { PUBLIC_URL: 'https://animals.example/base/' })
  const { body, headers } = await askJson('/api', { headers: { 'x-forwarded-host': 'evil.example' } })
  assert.equal(body.links.docs, 'https://animals.example/base/docs')
  assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d+/)
  const document = await askJson('/openapi.json')
  assert.deepEqual(document.body.servers, [{ url: 'https://animals.example/base' }])
})
