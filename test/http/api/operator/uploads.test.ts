import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { digestOf, OPERATOR, startPublisher } from '../../../kit/operator.ts'
import { openSocket } from '../../../kit/raw-http.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

const MAX_BYTES = 1000

describe('uploads', () => {
  const operator = forSuite((scope) => startPublisher(scope, {}, { UPLOAD_MAX_BYTES: String(MAX_BYTES) }))
  const pathOf = (sha256: string) => `${OPERATOR}/uploads/${sha256}`
  const head = (sha256: string) => operator().fetchPath(pathOf(sha256), { method: 'HEAD', headers: operator().token })
  const range = (start: number, last: number, total: number) => ({ 'content-range': `bytes ${start}-${last}/${total}` })
  const listFiles = async () =>
    (await readdir(join(operator().dataDir, 'uploads'))).filter((name) => !name.endsWith('.json'))

  test('arrive whole, and a second time', async () => {
    const sha256 = digestOf('a whole file')
    for (let i = 0; i < 2; i++) {
      const { status, body } = await operator().upload('a whole file')
      assert.deepEqual([status, body.sha256, body.bytes, body.complete], [200, sha256, 12, true])
    }
    const { status, headers } = await head(sha256)
    assert.deepEqual([status, headers.get('upload-offset'), headers.get('upload-complete')], [200, '12', '?1'])
    assert.equal((await operator().upload('')).body.complete, true)
  })

  test('arrive in parts, also if a part is repeated', async () => {
    const sha256 = digestOf('0123456789')
    assert.equal((await head(sha256)).status, 404)
    const first = await operator().upload('0123', range(0, 3, 10), sha256)
    assert.deepEqual([first.body.bytes, first.body.complete], [4, false])
    assert.equal((await head(sha256)).headers.get('upload-offset'), '4')
    const gap = await operator().upload('6789', range(6, 9, 10), sha256)
    assert.deepEqual([gap.status, gap.body.code, gap.body.bytes], [409, 'UPLOAD_OFFSET', 4])
    await operator().upload('0123', range(0, 3, 10), sha256)
    const last = await operator().upload('3456789', range(3, 9, 10), sha256)
    assert.deepEqual([last.body.bytes, last.body.complete], [10, true])
  })

  test('continue after a broken connection', async () => {
    const bytes = 'x'.repeat(600)
    const sha256 = digestOf(bytes)
    const { host } = new URL(operator().url)
    const { Authorization } = operator().token
    const request = `PUT ${pathOf(sha256)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\nContent-Length: 600\r\n\r\n`
    const { socket } = await openSocket(operator().url, request + bytes.slice(0, 250))
    await until(async () => (await head(sha256)).headers.get('upload-offset') === '250')
    socket.destroy()
    const rest = await operator().upload(bytes.slice(250), range(250, 599, 600), sha256)
    assert.deepEqual([rest.status, rest.body.complete], [200, true])
  })

  test('with another digest are removed', async () => {
    const sha256 = digestOf('the truth')
    const lie = await operator().upload('a lie', {}, sha256)
    assert.deepEqual([lie.status, lie.body.code, lie.body.sha256], [422, 'UPLOAD_DIGEST', digestOf('a lie')])
    assert.equal((await head(sha256)).status, 404)
    assert.equal((await operator().upload('the truth')).body.complete, true)
  })

  test('that state a wrong length are refused', async () => {
    const sha256 = digestOf('length')
    for (const [contentRange, message] of [
      ['bytes 0-9/20', /The body has 6 bytes, but Content-Range states 10/],
      ['bytes 0-5/3', /must have the form/],
      ['bytes 5-0/6', /must have the form/],
      ['bytes */6', /must have the form/],
      ['lines 0-5/6', /must have the form/],
      [`bytes 0-5/${'9'.repeat(16)}`, /must have the form/],
    ] as const) {
      const { status, body } = await operator().upload('length', { 'content-range': contentRange }, sha256)
      assert.deepEqual([status, body.code], [400, 'INVALID_CONTENT_RANGE'], contentRange)
      assert.match(body.message, message)
    }
    assert.equal((await head(sha256)).status, 404)
  })

  test('that are too large are refused before and while they arrive', async () => {
    const large = 'y'.repeat(MAX_BYTES + 1)
    assert.deepEqual((await operator().upload(large)).body.code, 'BODY_TOO_LARGE')
    const tenGigabytes = await operator().upload('z', range(0, 0, 10_000_000_000), digestOf('z'))
    assert.deepEqual([tenGigabytes.status, tenGigabytes.body.max], [413, MAX_BYTES])
    // Without Content-Length, the size is known only at the end.
    const before = await listFiles()
    const body = new Blob([large]).stream()
    const chunked = { method: 'PUT', headers: operator().token, body, duplex: 'half' } as RequestInit
    const { status, body: reply } = await operator().fetchJson(pathOf(digestOf(large)), chunked)
    assert.deepEqual([status, reply.code], [413, 'BODY_TOO_LARGE'])
    assert.deepEqual(await listFiles(), before)
    // The same for an upload that is complete, whose body is not stored.
    await operator().upload('complete')
    const again = { ...chunked, body: new Blob([large]).stream() } as RequestInit
    assert.equal((await operator().fetchJson(pathOf(digestOf('complete')), again)).body.code, 'BODY_TOO_LARGE')
  })

  test('have no other names than digests', async () => {
    const before = await listFiles()
    for (const name of ['..%2fx', 'con', 'a%00b', '%F0%9F%A6%8A', 'ab'.repeat(33)]) {
      const { status, body } = await operator().fetchJson(pathOf(name), {
        method: 'PUT',
        headers: operator().token,
        body: 'x',
      })
      assert.deepEqual([status, body.code], [400, 'INVALID_PARAMETER'], name)
    }
    assert.deepEqual(await listFiles(), before)
  })

  test('that nobody published are removed after a day, also if the clock was ahead when they arrived', async () => {
    for (const hours of [-25, 25]) {
      const sha256 = digestOf('old')
      await operator().upload('old')
      const time = new Date(Date.now() + hours * 3600_000)
      await utimes(join(operator().dataDir, 'uploads', sha256), time, time)
      await operator().upload(`new ${hours}`)
      assert.equal((await head(sha256)).status, 404)
    }
  })

  test('are refused while there are too many', async () => {
    const other = join(operator().dataDir, 'uploads', 'f'.repeat(64))
    await writeFile(other, Buffer.alloc(4 * MAX_BYTES))
    const { status, body } = await operator().upload('one more')
    assert.deepEqual([status, body.code], [507, 'STORAGE_FULL'])
    await utimes(other, 0, 0)
    assert.equal((await operator().upload('one more')).status, 200)
  })

  test('that arrive at the same time count before they are complete', async () => {
    const { host } = new URL(operator().url)
    const { Authorization } = operator().token
    // Of unknown length: each may become as large as allowed, and all of a token together three times as large.
    const open = (text: string) => {
      const head = `PUT ${pathOf(digestOf(text))} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\n`
      return openSocket(operator().url, `${head}Transfer-Encoding: chunked\r\n\r\n`)
    }
    for (const name of await listFiles()) await rm(join(operator().dataDir, 'uploads', name))
    const uploads = await Promise.all(['one', 'two', 'three', 'four'].map(open))
    await until(() => uploads.some(({ received }) => received().includes('STORAGE_FULL')))
    assert.equal(uploads.filter(({ received }) => received() === '').length, 3)
    for (const { socket } of uploads) socket.destroy()
    await until(async () => (await operator().upload('six')).status === 200)
  })

  test('count until their own request ends, if another request sends the same file', async () => {
    const { host } = new URL(operator().url)
    const { Authorization } = operator().token
    const head = (text: string) =>
      `PUT ${pathOf(digestOf(text))} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\n`
    for (const name of await listFiles()) await rm(join(operator().dataDir, 'uploads', name))
    const texts = ['first', 'second', 'third']
    const uploads = await Promise.all(
      texts.map((text) => openSocket(operator().url, `${head(text)}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`)),
    )
    await until(async () => (await listFiles()).length === texts.length)
    for (const text of texts) assert.equal((await operator().upload('y', range(0, 0, 2), digestOf(text))).status, 200)
    assert.equal((await operator().upload('fifth')).status, 507)
    for (const { socket } of uploads) socket.destroy()
    await until(async () => (await operator().upload('fifth')).status === 200)
  })

  test('of one token leave quota to other tokens, also after a restart', async () => {
    const folder = join(operator().dataDir, 'uploads')
    for (const name of await listFiles()) await rm(join(folder, name))
    const other = await operator().authorize(['publish'])
    // As after 499 tiny uploads.
    await operator().upload('first')
    const owners = JSON.parse(await readFile(join(folder, 'owners.json'), 'utf8'))
    for (let number = 1; number < 500; number++) {
      const sha256 = digestOf(String(number))
      await writeFile(join(folder, sha256), '')
      owners[sha256] = owners[digestOf('first')]
    }
    await writeFile(join(folder, 'owners.json'), JSON.stringify(owners))
    const { status, body } = await operator().upload('one more')
    assert.deepEqual([status, body.code], [507, 'STORAGE_FULL'])
    assert.match(body.message, /^This token has 501 uploads/)
    assert.equal((await operator().upload('of another token', other)).status, 200)
    // An hour later they are removed, the oldest first.
    const old = new Date(Date.now() - 61 * 60_000)
    for (const number of [7, 8]) await utimes(join(folder, digestOf(String(number))), old, old)
    assert.equal((await operator().upload('one more')).status, 200)
    assert.equal((await listFiles()).length, 501)
    for (const name of await listFiles()) await rm(join(folder, name))
  })

  test('of two tokens are removed for a third token, also while they arrive', async () => {
    const folder = join(operator().dataDir, 'uploads')
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    const { host } = new URL(operator().url)
    const open = (text: string, authorization = '') => {
      const head = `PUT ${pathOf(digestOf(text))} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n`
      return openSocket(operator().url, `${head}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`)
    }
    const [first, second] = [await operator().authorize(['publish']), await operator().authorize(['publish'])]
    const uploads: Awaited<ReturnType<typeof open>>[] = []
    for (const [text, { Authorization }] of [
      ['a', first],
      ['b', first],
      ['c', first],
      ['d', second],
    ] as const) {
      uploads.push(await open(text, Authorization))
      await until(async () => (await listFiles()).length === uploads.length)
    }
    assert.equal((await operator().upload('of the operator')).status, 200)
    // At once, also if nothing more arrives.
    await until(() => uploads.some(({ received }) => received().includes('STORAGE_FULL')))
    assert.equal(uploads.filter(({ received }) => received() === '').length, 3)
    // The second token has no more than its share.
    assert.equal(uploads[3]?.received(), '')
    for (const { socket } of uploads) socket.destroy()
    for (const name of await listFiles()) await rm(join(folder, name))
  })

  test('require the scope publish', async () => {
    for (const scopes of [['read'], ['read', 'write']] as const) {
      const headers = await operator().authorize(scopes)
      const { status, body } = await operator().fetchJson(pathOf(digestOf('x')), { method: 'PUT', headers, body: 'x' })
      assert.deepEqual([status, body.code, body.scope], [403, 'TOKEN_SCOPE_MISSING', 'publish'])
    }
  })
})
