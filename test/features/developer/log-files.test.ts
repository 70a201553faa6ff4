import assert from 'node:assert/strict'
import { mkdir, open, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { buildDeveloperRoutes } from '../../../src/http/api/developer.ts'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { sendRaw } from '../../kit/raw-http.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

const line = (i: number) => `${JSON.stringify({ level: 'info', i })}\n`

describe('log files', () => {
  const service = forSuite((scope) => startTestService(scope))
  const file = (name: string) => join(service().dataDir, 'logs', name)
  const fetchFile = (name: string) => service().fetchJson(`/api/v1/static/logs/${name}`)

  it('are listed newest first and contain the log of the service', async () => {
    const newest = async () => (await service().fetchJson('/api/v1/static/logs')).body.files[0]
    await until(async () => (await newest()) !== undefined)
    const { name, fileName, modifiedAt, time } = await newest()
    assert.deepEqual([name, time], [fileName, modifiedAt])
    assert.match(fileName, /^menagerie\.\d{4}-\d\d-\d\d\.log$/)
    const isListening = ({ msg }: { msg: string }) => msg === 'listening'
    await until(async () => (await fetchFile(fileName)).body.lines.some(isListening))
    const { body: log } = await fetchFile(fileName)
    assert.equal(log.total, log.lines.length)
    assert.equal(log.truncated, false)
  })

  it('return their newest lines in the order of the file', async () => {
    await writeFile(file('a.log'), Array.from({ length: 250 }, (_, i) => line(i)).join(''))
    const { body } = await fetchFile('a.log')
    assert.deepEqual([body.total, body.truncated, body.lines.length], [250, true, 100])
    assert.deepEqual([body.lines[0].i, body.lines[99].i], [150, 249])
    assert.equal((await fetchFile('a.log?lines=1000')).body.lines.length, 250)
    assert.deepEqual((await fetchFile('a.log?lines=1')).body.lines, [{ level: 'info', i: 249 }])
  })

  it('count added lines, and start again when the file is replaced', async () => {
    await writeFile(file('b.log'), line(0))
    assert.equal((await fetchFile('b.log')).body.total, 1)
    await writeFile(file('b.log'), line(1) + line(2), { flag: 'a' })
    assert.equal((await fetchFile('b.log')).body.total, 3)
    await truncate(file('b.log'), 0)
    assert.deepEqual((await fetchFile('b.log')).body.lines, [])
    await rm(file('b.log'))
    await writeFile(file('b.log'), line(5))
    assert.equal((await fetchFile('b.log')).body.total, 1)
  })

  it('omit a line that is still being written, and return lines that are not JSON objects as text', async () => {
    await writeFile(file('c.log'), `plain text\n"a string"\n[1]\n${line(1)}{"half":`)
    assert.deepEqual((await fetchFile('c.log')).body.lines, [
      { text: 'plain text' },
      { text: '"a string"' },
      { text: '[1]' },
      { level: 'info', i: 1 },
    ])
  })

  it('with binary data or one endless line cause bounded replies', async () => {
    await writeFile(file('d.log'), Buffer.alloc(5_000_000, 0xfe))
    const { status, body } = await fetchFile('d.log')
    assert.equal(status, 200)
    assert.deepEqual([body.lines, body.total], [[], 0])
  })

  it('of 100 MB cause a bounded reply, and other requests are served meanwhile', async () => {
    const handle = await open(file('huge.log'), 'w')
    const block = Buffer.from(line(123456789).repeat(20_000))
    const blocks = Math.ceil(100_000_000 / block.length)
    for (let i = 0; i < blocks; i++) await handle.write(block)
    await handle.close()
    const huge = fetchFile('huge.log?lines=1000')
    assert.equal((await service().fetchPath('/healthz')).status, 200)
    const { status, body } = await huge
    assert.equal(status, 200)
    assert.equal(body.lines.length, 1000)
    assert.equal(body.total, blocks * 20_000)
    await rm(file('huge.log'))
  })

  it('return 404 for a folder, a missing file and a file that is not a log', async () => {
    await writeFile(file('notes.txt'), 'x')
    await mkdir(file('sub.log'))
    for (const name of ['sub.log', 'missing.log', 'notes.txt']) assert.equal((await fetchFile(name)).status, 404, name)
  })
})

test('requests for many lines of a log delay a client of another network only by turns', async (t) => {
  const requests = 50
  let decoded = 0
  const decode = () => {
    keepThreadBusy(5)
    decoded++
    return { lines: [], truncated: false }
  }
  const logs = { read: async () => ({ decode }) }
  const routes = buildDeveloperRoutes({ logs, version: {}, startedAt: new Date() } as never)
  const trustProxy = ['127.0.0.1']
  const server = createHttpServer({ routes, log: {} as never, observe() {}, publicUrl: '', trustProxy })
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const send = (path: string, client: string) =>
    sendRaw(url, `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: ${client}\r\n\r\n`)
  const flood = Array.from({ length: requests }, (_, i) => send('/static/logs/a.log', `10.0.${i}.1`))
  await until(() => decoded > 0)
  await send('/version', '203.0.113.1')
  const before = decoded
  await Promise.all(flood)
  assert.equal(decoded, requests)
  assert.ok(before < requests / 2, String(before))
})
