// What breaks on a connection while an earlier request of it is still worked on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp } from '../../../src/http/kernel/app.ts'
import { readBody } from '../../../src/http/kernel/body.ts'
import { listen } from '../../../src/http/kernel/listen.ts'
import { json, type Reply, text } from '../../../src/http/kernel/replies.ts'
import { get, post } from '../../../src/http/kernel/route.ts'
import { rememberingLog } from '../../kit/log.ts'
import { forSuite } from '../../kit/scope.ts'
import { openSocket } from '../../kit/sockets.ts'
import { until } from '../../kit/until.ts'

const spec = { tag: '', summary: '' }
const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const statuses = (received: string) => received.match(/HTTP\/1\.1 \d+/g)

describe('a request that is still worked on', () => {
  let waiting = Promise.withResolvers<Reply>()
  const early: string[] = []
  const suite = forSuite(async (scope) => {
    const routes = [
      get('/slow', spec, () => waiting.promise),
      get('/quick', spec, () => text('quick', 'text/plain')),
      post('/body', spec, async ({ request }) => json(await readBody(request))),
    ]
    const server = createApp({
      routes,
      log: rememberingLog() as never,
      observe: () => {},
      publicUrl: '',
      trustProxy: [],
      onEarlyError: (code) => early.push(code),
    })
    scope.after(() => void server.close())
    return listen(server, '127.0.0.1', 0)
  })

  const behind: Record<string, [text: string, code: string]> = {
    rubbish: ['rubbish\r\n\r\n', 'BAD_REQUEST'],
    'headers without end': [`GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, 'HEADERS_TOO_LARGE'],
    CONNECT: ['CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 'METHOD_NOT_ALLOWED'],
  }
  for (const [what, [bytes, code]] of Object.entries(behind)) {
    it(`gets its own reply where ${what} comes behind it, and then the connection ends`, async () => {
      waiting = Promise.withResolvers()
      early.length = 0
      const { socket, received, isClosed } = await openSocket(suite(), ask('/slow') + ask('/quick') + bytes)
      await until(() => early.length > 0)
      assert.deepEqual(early, [code])
      socket.write('more rubbish\r\n\r\n')
      assert.equal(received(), '')
      waiting.resolve(text('slow', 'text/plain'))
      await until(isClosed)
      assert.deepEqual(statuses(received()), ['HTTP/1.1 200', 'HTTP/1.1 200'])
      assert.match(received(), /slow[\s\S]*quick$/)
    })
  }

  it('is answered with 400 where it is its own body that is broken', async () => {
    const head =
      'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const { received, isClosed } = await openSocket(suite(), `${head}no length\r\n`)
    await until(isClosed)
    assert.deepEqual(statuses(received()), ['HTTP/1.1 400'])
    assert.match(received(), /BAD_REQUEST/)
  })
})
