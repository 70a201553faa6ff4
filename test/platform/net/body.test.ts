import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { seen } from '../../kit/seen.ts'
import { startRawSource, startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'
import { fetcherFor, signal } from './kit.ts'

const picture = Buffer.from('not a picture, but bytes of one'.repeat(100))

test('the bytes of a source arrive as they are', async (t) => {
  const source = await startSource(t, (_request, response) => void response.end(picture))
  const fetched = await fetcherFor([source]).get(source.url('/a.png?b#c'), { signal: signal() })
  assert.deepEqual(fetched.body, picture)
  assert.deepEqual([fetched.status, fetched.url], [200, source.url('/a.png?b')])
})

test('a source that compresses unasked is decoded', async (t) => {
  const encode = {
    gzip: gzipSync,
    'X-Gzip': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  }
  for (const [encoding, compress] of Object.entries(encode)) {
    const source = await startSource(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(picture))
    })
    assert.deepEqual((await fetcherFor([source]).get(source.url(), { signal: signal() })).body, picture, encoding)
  }
})

test('a compressed bomb is too large as soon as it unfolds past the limit', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  assert.ok(bomb.length < 100_000)
  const source = await startSource(t, (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    seen('IMAGE_TOO_LARGE', { max: 100_000 }),
  )
})

test('an endless body is cut at the limit and its connection closed', async (t) => {
  const source = await startSource(t, (_request, response) => {
    const pump = () => {
      while (!response.destroyed && response.write(Buffer.alloc(10_000)));
    }
    response.on('drain', pump)
    pump()
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    seen('IMAGE_TOO_LARGE', { max: 100_000 }),
  )
  await until(() => source.connections().open === 0)
})

test('a body of exactly the limit is taken, a byte more is not, also in chunks of a byte', async (t) => {
  const source = await startRawSource(t, (socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(3000)}0\r\n\r\n`)
  })
  const { body } = await fetcherFor([source], { maxBytes: 3000 }).get(source.url(), { signal: signal() })
  assert.equal(body.toString(), 'x'.repeat(3000))
  const tooLarge = fetcherFor([source], { maxBytes: 2999 }).get(source.url(), { signal: signal() })
  await assert.rejects(tooLarge, seen('IMAGE_TOO_LARGE', { max: 2999 }))
})

test('a byte now and then does not outlive the deadline', async (t) => {
  const source = await startSource(t, (_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  })
  const fetcher = fetcherFor([source], { totalTimeoutMs: 400 })
  await assert.rejects(fetcher.get(source.url(), { signal: signal() }), seen('IMAGE_TIMEOUT', { max: 400 }))
  await until(() => source.connections().open === 0)
})

const raw = (text: string) => (socket: Socket) => socket.end(text)
const headersThatNeverEnd = async (socket: Socket) => {
  socket.write('HTTP/1.1 200 OK\r\n')
  for (let n = 0; !socket.destroyed; n++) {
    socket.write(`x-${n}: y\r\n`)
    await sleep(50)
  }
}
const manyHeaders = `HTTP/1.1 200 OK\r\n${Array.from({ length: 100 }, (_, n) => `x-${n}: ${'y'.repeat(1000)}\r\n`).join('')}\r\n`

const strange: [name: string, answer: (socket: Socket) => unknown, code: string, sourceStatus?: number | null][] = [
  ['nothing, and hangs up', (socket) => socket.end(), 'IMAGE_UNREACHABLE', null],
  ['nothing, and stays', () => {}, 'IMAGE_TIMEOUT'],
  ['headers that never end', headersThatNeverEnd, 'IMAGE_TIMEOUT'],
  ['100 KB of headers', raw(manyHeaders), 'IMAGE_UNREACHABLE', null],
  ['no HTTP', raw('220 mail.example.com ESMTP\r\n'), 'IMAGE_UNREACHABLE', null],
  ['less than it announced', raw('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 200],
  ['a length over the limit', raw('HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n'), 'IMAGE_TOO_LARGE'],
  ['a length that is none', raw('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc'), 'IMAGE_UNREACHABLE', null],
  ['a broken chunk', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'), 'IMAGE_UNREACHABLE', 200],
  ['an unknown encoding', raw('HTTP/1.1 200 OK\r\nContent-Encoding: x-pack\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 200],
  ['two encodings', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 200],
  ['gzip that is none', raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 200],
  ['204', raw('HTTP/1.1 204 No Content\r\n\r\n'), 'IMAGE_UNREACHABLE', 204],
  ['206', raw('HTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 206],
  ['304 unasked', raw('HTTP/1.1 304 Not Modified\r\n\r\n'), 'IMAGE_UNREACHABLE', 304],
  ['404', raw('HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 404],
  ['500', raw('HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nabc'), 'IMAGE_UNREACHABLE', 500],
  [
    '101',
    raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'IMAGE_UNREACHABLE',
    null,
  ],
]

for (const [name, answer, code, sourceStatus] of strange) {
  test(`a source that answers ${name} is ${code}`, async (t) => {
    const source = await startRawSource(t, answer)
    const fetcher = fetcherFor([source], code === 'IMAGE_TIMEOUT' ? { firstByteTimeoutMs: 300 } : {})
    await assert.rejects(
      fetcher.get(source.url(), { signal: signal() }),
      seen(code, sourceStatus === undefined ? {} : { sourceStatus }),
    )
    await until(() => source.connections().open === 0)
  })
}

test('a reset half way is unreachable', async (t) => {
  const source = await startRawSource(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc', () =>
      setTimeout(() => socket.resetAndDestroy(), 50),
    )
  })
  await assert.rejects(
    fetcherFor([source]).get(source.url(), { signal: signal() }),
    seen('IMAGE_UNREACHABLE', { sourceStatus: 200 }),
  )
})

test('a source that is not there is unreachable', async () => {
  const gone = { host: '127.0.0.1:1', url: () => '', connections: () => ({ made: 0, open: 0 }) }
  await assert.rejects(
    fetcherFor([gone]).get('http://127.0.0.1:1/', { signal: signal() }),
    seen('IMAGE_UNREACHABLE', { sourceStatus: null }),
  )
})
