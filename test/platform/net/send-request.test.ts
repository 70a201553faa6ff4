import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { connect } from '../../../src/platform/net/connect.ts'
import { createSourceTurns, type FetchFailure } from '../../../src/platform/net/index.ts'
import { startRawSource, startSource } from '../../kit/source.ts'
import { passTurns } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'
import { failsWith, fetcherFor, signal } from './kit.ts'

const content = Buffer.from('some bytes to compress. '.repeat(100))

test('the body of a source arrives unchanged', async (t) => {
  const source = await startSource(t, (_request, response) => void response.end(content))
  const fetched = await fetcherFor([source]).get(source.url('/a.png?b#c'), { signal: signal() })
  assert.deepEqual(fetched.body, content)
  assert.deepEqual([fetched.status, fetched.url], [200, source.url('/a.png?b')])
})

test('of many addresses the last one is tried, too: it is an IPv6 address, and the machine may have only IPv6', async (t) => {
  const source = await startSource(t, (_request, response) => void response.end(content))
  const refusing = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`)
  const limits = { connectTimeoutMs: 4000, sourceTurns: createSourceTurns() }
  const { socket, address } = await connect(new URL(source.url()), [...refusing, '127.0.0.1'], limits, signal())
  t.after(() => socket.destroy())
  assert.equal(address, '127.0.0.1')
})

test('a body of unknown length keeps no more memory than its bytes', async (t) => {
  const source = await startSource(t, (_request, response) => {
    response.write(content)
    response.end()
  })
  const { body } = await fetcherFor([source]).get(source.url(), { signal: signal() })
  assert.deepEqual(body, content)
  assert.equal(body.buffer.byteLength, content.length)
})

test('a compressed body is decompressed, although the request did not accept compression', async (t) => {
  const encode = {
    gzip: gzipSync,
    'X-Gzip': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  }
  for (const [encoding, compress] of Object.entries(encode)) {
    const source = await startSource(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(content))
    })
    assert.deepEqual((await fetcherFor([source]).get(source.url(), { signal: signal() })).body, content, encoding)
  }
})

test('a decompression bomb fails as too large at the limit', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  assert.ok(bomb.length < 100_000)
  const source = await startSource(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    failsWith('too-large', { max: 100_000 }),
  )
})

test('memory of a decompressor counts, and one that takes very much is refused', async (t) => {
  const large = Buffer.alloc(17 * 2 ** 20)
  const withWindow = (bits: number) => zstdCompressSync(large, { params: { [constants.ZSTD_c_windowLog]: bits } })
  const bodies: Record<string, [encoding: string, body: Buffer]> = {
    '/br': ['br', brotliCompressSync(large)],
    '/zstd': ['zstd', withWindow(23)],
    '/large-window': ['zstd', withWindow(24)],
  }
  const source = await startSource(t, (request, response) => {
    const [encoding, body] = bodies[request.url!]!
    response.writeHead(200, { 'content-encoding': encoding }).end(body)
  })
  const fetcher = fetcherFor([source], { maxBytes: large.length })
  for (const path of ['/br', '/zstd']) {
    let counted = 0
    const onBytes = (bytes: number) => {
      counted += bytes
    }
    await fetcher.get(source.url(path), { signal: signal(), onBytes })
    assert.ok(counted > 2 * large.length, path)
  }
  const problem = 'sent a body with a broken content encoding'
  await assert.rejects(
    fetcher.get(source.url('/large-window'), { signal: signal() }),
    failsWith('unreachable', { problem }),
  )
})

test('bodies that take long to decompress do not keep files from being read', async (t) => {
  const bytes = 15 * 2 ** 20
  // Node decompresses in one step until there is output.
  const member = gzipSync('')
  const bomb = Buffer.concat(Array(Math.floor(bytes / member.length)).fill(member))
  const responses: ServerResponse[] = []
  const source = await startSource(t, (_request, response) => {
    responses.push(response.writeHead(200, { 'content-encoding': 'gzip' }))
    response.write(bomb.subarray(0, -1))
  })
  const fetcher = fetcherFor([source], { maxBytes: bytes, totalTimeoutMs: 60_000 })
  let [received, ended, reads] = [0, 0, 0]
  const onBytes = (count: number) => {
    received += count
  }
  const fetches = Array.from({ length: 8 }, (_, i) =>
    fetcher.get(source.url(), { client: `192.0.${i}.1`, signal: signal(), onBytes }).then(() => {
      ended++
    }),
  )
  await until(() => received === 8 * (bomb.length - 1))
  for (const response of responses) response.end(bomb.subarray(-1))
  for (; ended === 0; reads++) await readFile(import.meta.filename)
  await Promise.all(fetches)
  assert.ok(reads > 10, `${reads}`)
})

test('an endless body is cut off at the limit and its connection closed', async (t) => {
  const source = await startSource(t, (_request, response) => {
    const pump = () => {
      while (!response.destroyed && response.write(Buffer.alloc(10_000)));
    }
    response.on('drain', pump)
    pump()
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    failsWith('too-large', { max: 100_000 }),
  )
  await until(() => source.connections().open === 0)
})

test('a body of exactly the limit is accepted, one byte more is not, even in one-byte chunks', async (t) => {
  const source = await startRawSource(t, (socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(3000)}0\r\n\r\n`)
  })
  const { body } = await fetcherFor([source], { maxBytes: 3000 }).get(source.url(), { signal: signal() })
  assert.equal(body.toString(), 'x'.repeat(3000))
  const tooLarge = fetcherFor([source], { maxBytes: 2999 }).get(source.url(), { signal: signal() })
  await assert.rejects(tooLarge, failsWith('too-large', { max: 2999 }))
})

test('a source that sends one byte every 50 ms cannot exceed the deadline', async (t) => {
  const source = await startSource(t, (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  })
  const fetcher = fetcherFor([source], { totalTimeoutMs: 400 })
  await assert.rejects(fetcher.get(source.url(), { signal: signal() }), failsWith('timeout', { max: 400 }))
  await until(() => source.connections().open === 0)
})

const raw = (text: string) => (socket: Socket) => socket.end(text)
const sendEndlessHeaders = async (socket: Socket) => {
  socket.write('HTTP/1.1 200 OK\r\n')
  for (let n = 0; !socket.destroyed; n++) {
    socket.write(`x-${n}: y\r\n`)
    await sleep(50)
  }
}
const manyHeaders = `HTTP/1.1 200 OK\r\n${Array.from({ length: 100 }, (_, n) => `x-${n}: ${'y'.repeat(1000)}\r\n`).join('')}\r\n`

type Case = [response: string, answer: (socket: Socket) => unknown, reason: FetchFailure, sourceStatus?: number]

const badResponses: Case[] = [
  ['nothing and closes', (socket) => socket.end(), 'unreachable'],
  ['nothing and stays open', () => {}, 'timeout'],
  ['endless headers', sendEndlessHeaders, 'timeout'],
  ['100 KB of headers', raw(manyHeaders), 'unreachable'],
  ['something other than HTTP', raw('220 mail.example.com ESMTP\r\n'), 'unreachable'],
  ['fewer bytes than announced', raw('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc'), 'unreachable', 200],
  ['a content length over the limit', raw('HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n'), 'too-large'],
  ['a negative content length', raw('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc'), 'unreachable'],
  ['a broken chunk', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'), 'unreachable', 200],
  ['an unknown encoding', raw('HTTP/1.1 200 OK\r\nContent-Encoding: x-pack\r\n\r\nabc'), 'unreachable', 200],
  ['two encodings', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\nabc'), 'unreachable', 200],
  ['invalid gzip', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc'), 'unreachable', 200],
  ['204', raw('HTTP/1.1 204 No Content\r\n\r\n'), 'bad-status', 204],
  ['206', raw('HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nabc'), 'bad-status', 206],
  ['304 without a condition', raw('HTTP/1.1 304 Not Modified\r\n\r\n'), 'bad-status', 304],
  ['404', raw('HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc'), 'bad-status', 404],
  ['500', raw('HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nabc'), 'bad-status', 500],
  ['101', raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'), 'unreachable'],
]

for (const [response, answer, reason, sourceStatus] of badResponses) {
  test(`a source that sends ${response} fails as ${reason}`, async (t) => {
    const source = await startRawSource(t, answer)
    const fetcher = fetcherFor([source], reason === 'timeout' ? { headersTimeoutMs: 300 } : {})
    await assert.rejects(fetcher.get(source.url(), { signal: signal() }), failsWith(reason, { sourceStatus }))
    await until(() => source.connections().open === 0)
  })
}

test('a connection reset during the body fails as unreachable', async (t) => {
  const source = await startRawSource(t, (socket) => {
    const resetLater = () => void passTurns().then(() => socket.resetAndDestroy())
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc', resetLater)
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    failsWith('unreachable', { sourceStatus: 200 }),
  )
})

test('a refused connection fails as unreachable', async () => {
  const gone = { host: '127.0.0.1:1', url: () => '', connections: () => ({ made: 0, open: 0 }) }
  await assert.rejects(
    fetcherFor([gone]).get('http://127.0.0.1:1/', { signal: signal() }),
    failsWith('unreachable', { sourceStatus: undefined }),
  )
})

test('a reply without a length, which is not read to its end, does not end the process', async (t) => {
  const source = await startRawSource(
    t,
    (socket) => void socket.write('HTTP/1.1 404 Not Found\r\n\r\na body without an end'),
  )
  const client = new AbortController()
  const outcome = fetcherFor([source]).get(source.url(), { signal: client.signal })
  await assert.rejects(outcome, failsWith('bad-status', { sourceStatus: 404 }))
  client.abort()
  await until(() => source.connections().open === 0)
})
