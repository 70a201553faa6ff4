// A streamed body whose length was announced keeps to it: what follows on the connection is the next reply.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { createApp } from '../../../src/http/kernel/app.ts'
import { listen } from '../../../src/http/kernel/listen.ts'
import { text } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { forSuite } from '../../kit/scope.ts'
import { openSocket } from '../../kit/sockets.ts'
import { until } from '../../kit/until.ts'

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const spec = { tag: '', summary: '' }
const streamed = (path: string, length: number | undefined, parts: string[]) =>
  get(path, spec, () => ({
    status: 200,
    headers: [],
    ...(length !== undefined && { length }),
    body: Readable.from(
      parts.map((part) => Buffer.from(part)),
      { objectMode: false },
    ),
  }))

const routes = [
  streamed('/exact', 6, ['abc', 'def']),
  streamed('/unknown', undefined, ['abc', 'def']),
  streamed('/longer', 4, ['abc', 'def']),
  streamed('/appended', 3, ['abc', 'HTTP/1.1 200 OK\r\n\r\n']),
  streamed('/shorter', 9, ['abc', 'def']),
  streamed('/empty', 9, []),
  get('/next', spec, () => text('next', 'text/plain')),
]

describe('a streamed body', () => {
  const suite = forSuite(async (scope) => {
    const server = createApp({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
    scope.after(() => void server.close())
    return listen(server, '127.0.0.1', 0)
  })

  it('of the announced length, or of none, is followed by the next reply', async () => {
    for (const path of ['/exact', '/unknown']) {
      const { socket, received } = await openSocket(suite(), ask(path) + ask('/next'))
      await until(() => received().endsWith('next'))
      assert.equal(received().match(/HTTP\/1\.1 200 OK/g)?.length, 2, path)
      assert.match(received(), /abc[\s\S]*def/)
      socket.destroy()
    }
  })

  for (const [path, announced] of [
    ['/longer', 4],
    ['/appended', 3],
    ['/shorter', 9],
    ['/empty', 9],
  ] as const) {
    it(`${path} than announced: nothing else is sent, and the connection is cut`, async () => {
      const { received, isClosed } = await openSocket(suite(), ask(path) + ask('/next'))
      await until(isClosed)
      // The head may not be out yet when the connection is cut.
      const [, body = ''] = received().split('\r\n\r\n')
      assert.ok('abcdef'.slice(0, announced).startsWith(body), body)
      assert.doesNotMatch(received(), /next|HTTP[\s\S]*HTTP/)
    })
  }
})
