// Sources that send without end what is no picture, which costs more to read than to send.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { startRawSource, startSource } from '../../kit/source.ts'
import { fetcherFor, signal } from './kit.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const floods = {
  'interim replies': { start: '', again: 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' },
  'chunks of a byte': { start: CHUNKED, again: '1\r\nx\r\n' },
  'the extension of a chunk': { start: `${CHUNKED}1;a=`, again: 'bbbb' },
  'a status line': { start: 'HTTP/1.1 200 ', again: 'OKOK' },
  'empty lines': { start: '', again: '\r\n' },
}

function pour(socket: Socket, { start, again }: { start: string; again: string }): void {
  const piece = again.repeat(Math.ceil(60_000 / again.length))
  const pump = () => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', pump)
  }
  socket.write(start)
  pump()
}

for (const [what, flood] of Object.entries(floods)) {
  test(`${what} without end are cut off before the time is up`, async (t) => {
    const source = await startRawSource(t, (socket) => pour(socket, flood))
    const fetcher = fetcherFor([source], { totalTimeoutMs: 20_000, firstByteTimeoutMs: 20_000, maxBytes: 64e6 })
    const outcome = fetcher.get(source.url(), { signal: signal() })
    await assert.rejects(outcome, { code: 'IMAGE_UNREACHABLE', message: /sent more around it than in it/ })
  })
}

test('a large picture in small chunks, or in one, arrives whole', async (t) => {
  const picture = Buffer.alloc(6_000_000, 'picture')
  const small = await startSource(t, async (_request, response) => {
    for (let at = 0; at < picture.length; at += 1000) {
      if (!response.write(picture.subarray(at, at + 1000))) await new Promise((go) => response.once('drain', go))
    }
    response.end()
  })
  const whole = await startSource(t, (_request, response) => void response.end(picture))
  for (const source of [small, whole]) {
    const { body } = await fetcherFor([source], { maxBytes: 8e6 }).get(source.url(), { signal: signal() })
    assert.ok(body.equals(picture))
  }
})
