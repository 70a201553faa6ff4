import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { buildRangedReply, createPartReads, parseRanges, selectContent } from '../../../src/http/kernel/ranges.ts'
import { cache } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { createCollector } from '../../../src/platform/concurrency/index.ts'
import { joinPieces, type Pieces } from '../../../src/platform/files/index.ts'
import { readParts } from '../../kit/byte-ranges.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

const range = (start: number, end: number) => ({ start, end })

test('a Range header is one or more ranges; overlapping and adjacent ones are joined', () => {
  for (const [header, expected] of [
    ['bytes=0-9', [range(0, 9)]],
    ['Bytes=0-9', [range(0, 9)]],
    ['bytes=95-', [range(95, 99)]],
    ['bytes=95-200', [range(95, 99)]],
    ['bytes=-5', [range(95, 99)]],
    ['bytes=-500', [range(0, 99)]],
    [`bytes=0-${'9'.repeat(400)}`, [range(0, 99)]],
    ['bytes=0-9,20-29', [range(0, 9), range(20, 29)]],
    ['bytes= 0-9 ,\t, 20-29', [range(0, 9), range(20, 29)]],
    ['bytes=20-29,0-9', [range(20, 29), range(0, 9)]],
    ['bytes=20-29,100-,0-9', [range(20, 29), range(0, 9)]],
    ['bytes=0-9,10-19', [range(0, 19)]],
    ['bytes=50-,0-59,-1', [range(0, 99)]],
    ['bytes=50-60,0-9,55-70', [range(0, 9), range(50, 70)]],
    ['bytes=100-', []],
    ['bytes=100-,200-300', []],
    [`bytes=${'9'.repeat(400)}-`, []],
    ['bytes=-0', []],
    [`bytes=${'0-0,'.repeat(1000)}`, [range(0, 0)]],
    [`bytes=${'0-0,'.repeat(1001)}`, []],
    [undefined, undefined],
    ['bytes=', undefined],
    ['bytes=,', undefined],
    ['bytes=-', undefined],
    ['bytes=9-0', undefined],
    ['bytes=0-9,9-0', undefined],
    ['bytes=0-9,x', undefined],
    ['bytes=+1-2', undefined],
    ['bytes 0-9', undefined],
    ['items=0-9', undefined],
  ] as const) {
    assert.deepEqual(parseRanges(header, 100), expected, header ?? 'no header')
  }
  assert.deepEqual(parseRanges('bytes=0-', 0), [])
})

const CONTENT = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251))
const ETAG = '"one"'
const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT'

const serve = (path: string, content: Buffer) =>
  get(path, {
    tag: '',
    summary: '',
    handle: (ctx) => {
      const file = {
        type: 'text/plain',
        size: content.length,
        etag: ETAG,
        modifiedAt: new Date(Date.parse(MODIFIED) + 999),
        open: (pieces = [range(0, content.length - 1)]) => joinPieces(content, pieces),
      }
      return buildRangedReply(file, selectContent(file, ctx), cache.revalidate, ctx)
    },
  })

const routes = [serve('/file', CONTENT), serve('/small', CONTENT.subarray(0, 100))]

describe('a file', () => {
  const suite = forSuite(async (scope) => {
    const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
    scope.after(() => void server.close())
    return listen(server, '127.0.0.1', 0)
  })
  const request = (headers: Record<string, string>, method = 'GET', path = '/file') =>
    fetch(suite() + path, { method, headers })

  it('is sent in the requested ranges, whatever they are', async () => {
    const bound = fc.nat({ max: 12_000 })
    const spec = fc.oneof(
      fc.tuple(bound, bound).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      bound.map((start) => `${start}-`),
      bound.map((length) => `-${length}`),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(spec, { minLength: 1, maxLength: 8 }), async (specs) => {
        const reply = await request({ Range: `bytes=${specs.join(',')}` })
        const ranges = parseRanges(`bytes=${specs.join(',')}`, CONTENT.length)!
        assert.equal(reply.status, ranges.length === 0 ? 416 : 206)
        const length = Number(reply.headers.get('content-length'))
        if (ranges.length === 0) return void (await reply.body?.cancel())
        const parts = await readParts(reply)
        assert.deepEqual(
          parts.map(({ start, end, size }) => ({ start, end, size })),
          ranges.map((one) => ({ ...one, size: CONTENT.length })),
        )
        for (const { start, end, bytes } of parts) assert.deepEqual(bytes, CONTENT.subarray(start, end + 1))
        assert.ok(length <= CONTENT.length + 4096, `${length} bytes`)
      }),
      { numRuns: 100 },
    )
  })

  it('costs no more than itself and 4 KiB, whatever is requested', async () => {
    const every = (step: number, count: number) => Array.from({ length: count }, (_, i) => `${i * step}-${i * step}`)
    const lists = [every(10, 1000), every(10, 1000).reverse(), every(2, 30), every(0, 1000)]
    for (const path of ['/file', '/small']) {
      for (const list of lists) {
        const reply = await request({ Range: `bytes=${list.join(',')}` }, 'GET', path)
        const size = path === '/file' ? CONTENT.length : 100
        const { length } = await reply.bytes()
        assert.equal(reply.status, 206)
        assert.ok(length <= size + 4096, `${length} of ${size} bytes`)
      }
    }
    const spanned = await request({ Range: `bytes=${every(2, 45).slice(1).join(',')}` }, 'GET', '/small')
    assert.equal(spanned.headers.get('content-range'), 'bytes 2-88/100')
    assert.deepEqual(Buffer.from(await spanned.bytes()), CONTENT.subarray(2, 89))
    const tooMany = await request({ Range: `bytes=${'0-,'.repeat(10_000)}` })
    assert.deepEqual([tooMany.status, tooMany.headers.get('content-range')], [416, 'bytes */10000'])
  })

  it('is sent whole to HEAD, which ignores Range', async () => {
    for (const header of ['bytes=0-9', 'bytes=0-9,20-29', 'bytes=99999-']) {
      const reply = await request({ Range: header }, 'HEAD')
      assert.deepEqual([reply.status, reply.headers.get('content-length')], [200, '10000'])
      assert.equal(reply.headers.get('content-range'), null)
      assert.equal(reply.headers.get('accept-ranges'), 'bytes')
    }
  })

  const before = 'Wed, 31 Dec 2025 23:59:59 GMT'
  const after = 'Thu, 01 Jan 2026 00:00:01 GMT'
  const part = { Range: 'bytes=0-9' }
  const cases: [string, Record<string, string>, number][] = [
    ['If-None-Match with its ETag', { 'If-None-Match': ETAG }, 304],
    ['If-None-Match with its ETag as a weak one', { 'If-None-Match': `"x", W/${ETAG}` }, 304],
    ['If-None-Match with any ETag', { 'If-None-Match': '*' }, 304],
    ['If-None-Match with another ETag', { 'If-None-Match': '"x"' }, 200],
    ['If-Modified-Since with its time', { 'If-Modified-Since': MODIFIED }, 304],
    ['If-Modified-Since with a later time', { 'If-Modified-Since': after }, 304],
    ['If-Modified-Since with an earlier time', { 'If-Modified-Since': before }, 200],
    ['If-Modified-Since in the format of RFC 850', { 'If-Modified-Since': 'Thursday, 01-Jan-26 00:00:00 GMT' }, 304],
    ['If-Modified-Since in the format of asctime', { 'If-Modified-Since': 'Thu Jan  1 00:00:00 2026' }, 304],
    ['If-Modified-Since in the format of asctime, too early', { 'If-Modified-Since': 'Wed Dec 31 23:59:59 2025' }, 200],
    ['If-Modified-Since with no date', { 'If-Modified-Since': '2027' }, 200],
    ['If-Modified-Since in ISO 8601', { 'If-Modified-Since': '2027-01-01T00:00:00Z' }, 200],
    [
      'If-Modified-Since with a date that does not exist',
      { 'If-Modified-Since': 'Thu, 99 Jan 2027 00:00:00 GMT' },
      200,
    ],
    ['If-None-Match before If-Modified-Since', { 'If-None-Match': '"x"', 'If-Modified-Since': after }, 200],
    ['If-None-Match before If-Modified-Since, its ETag', { 'If-None-Match': ETAG, 'If-Modified-Since': before }, 304],
    ['If-Match with its ETag', { 'If-Match': `"x", ${ETAG}` }, 200],
    ['If-Match with any ETag', { 'If-Match': '*' }, 200],
    ['If-Match with another ETag', { 'If-Match': '"x"' }, 412],
    ['If-Match with a weak ETag', { 'If-Match': `W/${ETAG}` }, 412],
    ['If-Unmodified-Since with its time', { 'If-Unmodified-Since': MODIFIED }, 200],
    ['If-Unmodified-Since with an earlier time', { 'If-Unmodified-Since': before }, 412],
    ['If-Unmodified-Since with no date', { 'If-Unmodified-Since': 'yesterday' }, 200],
    ['If-Match before If-Unmodified-Since', { 'If-Match': ETAG, 'If-Unmodified-Since': before }, 200],
    ['If-Match before If-None-Match', { 'If-Match': '"x"', 'If-None-Match': ETAG }, 412],
    ['If-Match and If-None-Match with its ETag', { 'If-Match': ETAG, 'If-None-Match': ETAG }, 304],
    ['If-None-Match before Range', { ...part, 'If-None-Match': ETAG }, 304],
    ['If-Modified-Since before a range outside', { Range: 'bytes=99999-', 'If-Modified-Since': MODIFIED }, 304],
    ['If-Match before a range outside', { Range: 'bytes=99999-', 'If-Match': '"x"' }, 412],
    ['If-Match with its ETag, and a range', { ...part, 'If-Match': ETAG }, 206],
    ['If-Range with its ETag', { ...part, 'If-Range': ETAG }, 206],
    ['If-Range with another ETag', { ...part, 'If-Range': '"x"' }, 200],
    ['If-Range with a weak ETag', { ...part, 'If-Range': `W/${ETAG}` }, 200],
    ['If-Range with its time', { ...part, 'If-Range': MODIFIED }, 206],
    ['If-Range with a later time', { ...part, 'If-Range': after }, 200],
    ['If-Range with another ETag, and a range outside', { Range: 'bytes=99999-', 'If-Range': '"x"' }, 200],
    ['If-Range with its ETag, and several ranges', { Range: 'bytes=0-9,20-29', 'If-Range': ETAG }, 206],
  ]
  for (const [name, headers, status] of cases) {
    it(`answers ${name} with ${status}`, async () => {
      const reply = await request(headers)
      assert.equal(reply.status, status)
      const { length } = await reply.bytes()
      if (status !== 412) {
        assert.equal(reply.headers.get('etag'), ETAG)
        assert.equal(reply.headers.get('last-modified'), MODIFIED)
      }
      if (status === 304) assert.deepEqual([length, reply.headers.get('content-type')], [0, null])
      if (status === 200) assert.equal(length, CONTENT.length)
      const { Range: _, ...conditions } = headers
      const head = await request(conditions, 'HEAD')
      assert.equal(head.status, status === 206 ? 200 : status, 'HEAD evaluates the same conditions')
    })
  }
})

test('few parts of files are read at a time, however many are requested at once, and clients take turns', async (t) => {
  const started: string[] = []
  let [reading, mostReading] = [0, 0]
  async function* read(client: string, pieces: Pieces) {
    for (const piece of pieces) {
      started.push(client)
      mostReading = Math.max(mostReading, ++reading)
      await setImmediate()
      reading--
      yield joinPieces(CONTENT, [piece])
    }
  }
  const route = get('/file', {
    tag: '',
    summary: '',
    handle: (ctx) => {
      const open = (pieces: Pieces = []) => read(ctx.client, pieces)
      const file = { type: 'text/plain', size: CONTENT.length, etag: ETAG, modifiedAt: undefined, open }
      return buildRangedReply(file, selectContent(file, ctx), cache.revalidate, ctx)
    },
  })
  const server = createHttpServer({
    routes: [route],
    log: {} as never,
    observe: () => {},
    publicUrl: '',
    trustProxy: ['127.0.0.1'],
  })
  t.after(() => void server.close())
  const url = `${await listen(server, '127.0.0.1', 0)}/file`
  const Range = `bytes=${Array.from({ length: 50 }, (_, i) => `${200 * i}-${200 * i}`).join(',')}`
  const request = async (client: string) =>
    (await readParts(await fetch(url, { headers: { Range, 'X-Forwarded-For': client } }))).length
  const many = Array.from({ length: 20 }, () => request('192.0.2.1'))
  const one = until(() => started.length > 0).then(() => request('198.51.100.1'))
  assert.equal(await one, 50)
  const ofMany = started.filter((client) => client === '192.0.2.1').length
  assert.ok(ofMany < 10 * 101, `${ofMany} reads for others`)
  assert.deepEqual(await Promise.all(many), Array(20).fill(50))
  assert.equal(mostReading, 2)
})

async function* streamPieces(pieces: Pieces) {
  yield joinPieces(CONTENT, pieces)
}

test('a reply with a thousand ranges that waits takes little memory', () => {
  const collect = createCollector()
  const measure = () => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const file = { type: 'text/plain', size: 1e9, etag: ETAG, modifiedAt: undefined }
  const waiting: unknown[] = []
  const acquireReads = async () => undefined
  const build = () => {
    const open = (pieces: Pieces = []) => streamPieces(pieces)
    const ranges = Array.from({ length: 1000 }, (_, i) => range(60_000 * i, 60_000 * i + 10))
    return buildRangedReply({ ...file, open }, ranges, cache.revalidate, { isHead: false, acquireReads })
  }
  build()
  const before = measure()
  for (let i = 0; i < 100; i++) waiting.push(build())
  const bytes = (measure() - before) / waiting.length
  assert.ok(bytes < 25_000, `${bytes} bytes`)
})

test('the parts of a client that disconnects are not read', async () => {
  let [reads, isClosed] = [0, false]
  async function* read(pieces: Pieces) {
    try {
      for (const piece of pieces) {
        reads++
        await setImmediate()
        yield joinPieces(CONTENT, [piece])
      }
    } finally {
      isClosed = true
    }
  }
  const caller = new AbortController()
  const { signal } = caller
  const file = { type: 'text/plain', size: CONTENT.length, etag: ETAG, modifiedAt: undefined }
  const selection = [range(0, 0), range(200, 200), range(400, 400)]
  const content = { ...file, open: (pieces: Pieces = []) => read(pieces) }
  const partReads = createPartReads()
  const acquireReads = () => partReads('192.0.2.1', signal)
  const reply = buildRangedReply(content, selection, cache.revalidate, { isHead: false, acquireReads })
  const chunks = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  await chunks.next()
  caller.abort()
  await assert.rejects(chunks.next(), { name: 'AbortError' })
  assert.deepEqual([reads, isClosed], [1, true])
})
