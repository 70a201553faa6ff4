import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '../../../packages/client/src/index.ts'
import { startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'
import { failureOf } from './failure.ts'

const NO_RETRIES = { retries: 0 }

async function startClient(t: TestContext, listener: RequestListener, options = {}) {
  const { url } = await startSource(t, listener)
  return createClient(url(''), { ...NO_RETRIES, ...options })
}

test('an unreachable service is reported in a sentence with its cause', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await promisify(server.close.bind(server))()
  const error = await failureOf(createClient(url, NO_RETRIES).version())
  assert.deepEqual([error.code, error.status], ['NO_ANSWER', 0])
  assert.equal(error.message, `${url} does not reply. Check the address and the connection.`)
  assert.ok(error.cause instanceof Error)
})

test('a call ends after timeoutMs if the service never answers or stops in the middle', async (t) => {
  const silent = await startClient(t, () => {}, { timeoutMs: 80 })
  assert.equal((await failureOf(silent.version())).code, 'NO_ANSWER_IN_TIME')
  const stalling = await startClient(t, (_, response) => void response.write('{"success":true,'), { timeoutMs: 80 })
  const error = await failureOf(stalling.version())
  assert.deepEqual([error.code, error.message], ['NO_ANSWER_IN_TIME', 'The service did not reply within 80 ms.'])
  assert.equal(
    (await failureOf(stalling.version({ timeoutMs: 20 }))).message,
    'The service did not reply within 20 ms.',
  )
})

test('an infinite timeout is possible', async (t) => {
  const slow = await startClient(t, (_, response) => void setTimeout(() => response.end('{"success":true}'), 60))
  await slow.version({ timeoutMs: Number.POSITIVE_INFINITY })
})

test('an aborted call rejects with the reason of its signal and closes the connection', async (t) => {
  let closed = 0
  let begun = 0
  const silent = await startClient(t, (request) => {
    begun++
    request.socket.once('close', () => closed++)
  })
  const controller = new AbortController()
  const call = silent.version({ signal: controller.signal })
  await until(() => begun === 1)
  controller.abort()
  await assert.rejects(call, { name: 'AbortError' })
  await until(() => closed === 1)
  await assert.rejects(silent.version({ signal: controller.signal }), { name: 'AbortError' })
  assert.equal(begun, 1, 'with an aborted signal no request is sent')
})

for (const [what, status, type, body] of [
  ['a page of HTML', 200, 'text/html', '<!doctype html><title>Sign in</title>'],
  ['a page of a proxy', 502, 'text/html', '<h1>Bad gateway</h1>'],
  ['half a JSON text', 200, 'application/json', '{"success":tr'],
  ['JSON that is no object', 200, 'application/json', '"fine"'],
  ['JSON of another service', 200, 'application/json', '{"ok":true}'],
  ['an error of another service', 404, 'application/json', '{"error":"no such thing"}'],
  ['nothing', 200, 'application/json', ''],
  ['null', 500, 'application/json', 'null'],
] as const) {
  test(`${what} is an unexpected reply (${status})`, async (t) => {
    const client = await startClient(t, (_, response) => response.writeHead(status, { 'content-type': type }).end(body))
    const error = await failureOf(client.version())
    assert.deepEqual([error.code, error.status], ['UNEXPECTED_REPLY', status])
    assert.match(error.message, new RegExp(`not a reply of a Menagerie service \\(status ${status}, ${type}\\)`))
  })
}

test('a filter reply other than an image is an error', async (t) => {
  const client = await startClient(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  )
  assert.equal((await failureOf(client.filter('invert', 'https://example.org/a.png'))).code, 'UNEXPECTED_REPLY')
})

test('a reply that breaks off is reported as NO_ANSWER', async (t) => {
  const client = await startClient(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100', 'content-type': 'image/png' })
    response.write('half', () => response.destroy())
  })
  assert.equal((await failureOf(client.filter('invert', 'https://example.org/a.png'))).code, 'NO_ANSWER')
})

test('a reply that is too long is not read to its end', async (t) => {
  const padding = Buffer.alloc(2 ** 20, ' ')
  function* createBody() {
    for (let n = 0; n <= 128; n++) yield padding
    yield '{"success":true}'
  }
  const client = await startClient(t, ({ url = '' }, response) => {
    response.setHeader('content-type', url.includes('filter') ? 'image/png' : 'application/json')
    pipeline(Readable.from(createBody()), response, () => {})
  })
  assert.equal((await failureOf(client.version())).code, 'UNEXPECTED_REPLY')
  assert.equal((await failureOf(client.filter('invert', 'https://example.org/a.png'))).code, 'UNEXPECTED_REPLY')
})

test('key and install id are sent to v5 only, tokens to operator endpoints only, and none follows a redirect', async (t) => {
  const seen: string[] = []
  const thief = await startSource(t, (_, response) => {
    seen.push('thief')
    response.end('{"success":true}')
  })
  const client = await startClient(
    t,
    ({ url = '', headers }, response) => {
      seen.push(`${url} ${headers['x-client-key']} ${headers['x-install-id']} ${headers.authorization}`)
      if (url.includes('news')) response.writeHead(302, { location: thief.url('/') }).end()
      else response.end('{"success":true}')
    },
    { clientKey: 'secret', installId: 'laptop' },
  )
  await client.version()
  await client.app('a b').tier(2)
  await client.app().operator('token').bans()
  assert.equal((await failureOf(client.app().news())).code, 'NO_ANSWER')
  assert.deepEqual(seen, [
    '/api/v1/version undefined undefined undefined',
    '/api/v5/a%20b/version/tier/2 secret laptop undefined',
    '/api/v5/app/operator/bans secret laptop Bearer token',
    '/api/v5/app/launcher/news secret laptop undefined',
  ])
})

test('a custom fetch replaces the global one', async () => {
  const requested: string[] = []
  const customFetch: typeof fetch = async (url) => {
    requested.push(String(url))
    return Response.json({ success: true, status: 200 })
  }
  await createClient('http://menagerie.example', { fetch: customFetch }).version()
  assert.deepEqual(requested, ['http://menagerie.example/api/v1/version'])
})
