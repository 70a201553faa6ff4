import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UnknownEntry } from '../../../src/errors/index.ts'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { bytes, text } from '../../../src/http/kernel/replies.ts'
import type { ReplyBudgetOptions } from '../../../src/http/kernel/reply-budget.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { createTestLog } from '../../kit/log.ts'
import { openSocket } from '../../kit/raw-http.ts'
import { until } from '../../kit/until.ts'

/** More than the operating system buffers for one connection. */
const BODY_BYTES = 24 * 2 ** 20
const REQUEST = 'GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'

async function startLargeReplies(
  t: TestContext,
  replyBudget: Partial<ReplyBudgetOptions>,
  body: string | Buffer = Buffer.alloc(BODY_BYTES),
  options: Partial<Parameters<typeof createHttpServer>[0]> = {},
) {
  async function* readInChunks() {
    for (let at = 0; at < body.length; at += 2 ** 18) yield body.slice(at, at + 2 ** 18) as Buffer
  }
  const held = Promise.withResolvers<void>()
  let handled = 0
  const buildReply = () => {
    handled++
    return bytes(body, 'image/png')
  }
  const routes = [
    get('/large', { tag: 'Test', summary: 'A large reply', handle: buildReply }),
    get('/held', {
      tag: 'Test',
      summary: 'A reply that waits',
      handle: () => held.promise.then(() => text('', 'text/plain')),
    }),
    get('/missing', {
      tag: 'Test',
      summary: 'An error with a long message',
      handle: () => {
        throw new UnknownEntry('x'.repeat(body.length))
      },
    }),
    get('/file', {
      tag: 'Test',
      summary: 'A file',
      handle: () => ({ ...bytes(body, 'image/png'), body: readInChunks() }),
    }),
  ]
  const server = createHttpServer({
    routes,
    log: createTestLog() as never,
    observe: () => {},
    publicUrl: '',
    trustProxy: ['127.0.0.1'],
    replyBudget,
    ...options,
  })
  const url = await listen(server, '127.0.0.1', 0)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  /** Sends a request and reads nothing. */
  const openUnread = (request = REQUEST) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    t.after(() => socket.destroy())
    socket.pause().write(request)
    return socket
  }
  const readStatus = async (path = '/large') => {
    const { status, body } = await fetch(url + path)
    await body?.cancel()
    return status
  }
  const countConnections = () => promisify(server.getConnections).call(server)
  return { url, openUnread, readStatus, countConnections, held, handled: () => handled }
}

test('replies that clients do not read fill the budget; then others get BUSY until there is space', async (t) => {
  const { openUnread, readStatus } = await startLargeReplies(t, { maxBytes: 2.5 * BODY_BYTES })
  assert.equal(await readStatus(), 200)
  const unread = openUnread()
  await until(async () => (await readStatus()) === 503)
  unread.destroy()
  await until(async () => (await readStatus()) === 200)
})

test('texts fill the budget, too', async (t) => {
  const { openUnread, readStatus } = await startLargeReplies(t, { maxBytes: 2.5 * BODY_BYTES }, 'x'.repeat(BODY_BYTES))
  assert.equal(await readStatus(), 200)
  openUnread()
  await until(async () => (await readStatus()) === 503)
})

test('replies of 100 KiB fill the budget, too', async (t) => {
  const body = Buffer.alloc(100 * 2 ** 10)
  const { openUnread, readStatus, handled } = await startLargeReplies(t, { maxBytes: 1.5 * body.length }, body)
  assert.equal(await readStatus(), 200)
  const unread = openUnread()
  // The first ones fill the buffers of the operating system. One by one: those that wait for others fill the memory.
  for (let sent = 0; (await readStatus()) !== 503; sent++) {
    const before = handled()
    unread.write(REQUEST)
    await until(() => handled() > before)
    assert.ok(sent < 1000)
  }
})

test('small replies that wait for an earlier one on their connection close it if they fill the memory', async (t) => {
  const body = Buffer.alloc(10_000)
  const { url, readStatus, held, handled } = await startLargeReplies(t, { maxBytes: 40 * body.length }, body)
  const { received, isClosed } = await openSocket(url, REQUEST.replace('/large', '/held') + REQUEST.repeat(29))
  await until(() => handled() > 0)
  assert.equal(await readStatus(), 200)
  held.resolve()
  await until(isClosed)
  const replies = received().split('HTTP/1.1 200').length - 1
  assert.ok(replies > 1 && replies < 10, `${replies} replies`)
})

test('a client with a slow network gets its whole reply while there is space for others', async (t) => {
  const { openUnread, countConnections } = await startLargeReplies(t, { graceMs: 50, minBytesPerSecond: 2 ** 40 })
  const slow = openUnread()
  await until(async () => (await countConnections()) === 1)
  // Far more than the grace time.
  await sleep(1000)
  let received = 0
  for await (const chunk of slow) {
    received += (chunk as Buffer).length
    if (received >= BODY_BYTES) break
  }
  assert.ok(received >= BODY_BYTES, `${received} bytes`)
})

test('if there is no space for a new reply, a client whose grace time has passed loses its connection', async (t) => {
  const { openUnread, readStatus } = await startLargeReplies(t, { maxBytes: 2.5 * BODY_BYTES, graceMs: 2000 })
  await until(async () => {
    // Another one: if the machine stopped, the grace time of those before it may have passed.
    openUnread()
    return (await readStatus()) === 503
  })
  await until(async () => (await readStatus()) === 200)
})

test('one network cannot hold any number of files that it does not read', async (t) => {
  // The share of one network is three chunks.
  const { openUnread, readStatus } = await startLargeReplies(t, { maxBytes: 2 ** 20 })
  const request = REQUEST.replace('/large', '/file')
  const unread = [openUnread(request), openUnread(request)]
  assert.equal(await readStatus('/file'), 200)
  unread.push(openUnread(request))
  await until(async () => (await readStatus('/file')) === 503)
  unread[0]?.destroy()
  await until(async () => (await readStatus('/file')) === 200)
})

/** A request for the file from this network. */
const requestFrom = (network: number) =>
  REQUEST.replace('/large', '/file').replace('\r\n\r\n', `\r\nX-Forwarded-For: 192.0.${network}.1\r\n\r\n`)

test('if many networks do not read their files, the slowest downloads are cut', async (t) => {
  const options = { maxBytes: 2 ** 20, graceMs: 100, rateWindowMs: 50, minBytesPerSecond: 2 ** 40 }
  const { openUnread, readStatus, countConnections } = await startLargeReplies(t, options)
  for (let network = 0; network < 4; network++) openUnread(requestFrom(network))
  await until(async () => (await countConnections()) === 4)
  await until(async () => (await readStatus('/file')) === 200 && (await countConnections()) < 5)
})

test('a download that was fast enough on average is not cut because it sends nothing for a moment', async (t) => {
  // Any download that has begun is fast enough on average.
  const options = { maxBytes: 2 ** 20, graceMs: 0, rateWindowMs: 20, minBytesPerSecond: 1 }
  const { openUnread, readStatus, countConnections } = await startLargeReplies(t, options)
  for (let network = 0; network < 8; network++) openUnread(requestFrom(network))
  await until(async () => (await countConnections()) === 8)
  for (let others = 0; others < 4; others++) {
    assert.equal(await readStatus('/file'), 200)
    // More than the time of a measurement.
    await sleep(50)
  }
  assert.ok((await countConnections()) >= 8)
})

test('many networks that do not read their files do not keep others from downloads until their grace time has passed', async (t) => {
  const options = { maxBytes: 2 ** 19, graceMs: 2 ** 31, rateWindowMs: 200, minBytesPerSecond: 2 ** 40 }
  const { openUnread, readStatus, countConnections } = await startLargeReplies(t, options)
  for (let network = 0; network < 8; network++) openUnread(requestFrom(network))
  await until(async () => (await countConnections()) >= 8)
  await until(async () => (await readStatus('/file')) === 200)
  assert.ok((await countConnections()) >= 7, 'few are cut')
})

test('downloads get BUSY if many networks hold files and none of them is slow yet', async (t) => {
  const { openUnread, readStatus } = await startLargeReplies(t, { maxBytes: 2 ** 19 })
  const unread = Array.from({ length: 8 }, (_, network) => openUnread(requestFrom(network)))
  await until(async () => (await readStatus('/file')) === 503)
  unread[0]?.destroy()
  await until(async () => (await readStatus('/file')) === 200)
})

test('many networks together cannot hold more files open than the service may open', async (t) => {
  const { openUnread, readStatus } = await startLargeReplies(t, { maxFiles: 4 })
  const unread = Array.from({ length: 4 }, (_, network) => openUnread(requestFrom(network)))
  await until(async () => (await readStatus('/file')) === 503)
  unread[0]?.destroy()
  await until(async () => (await readStatus('/file')) === 200)
})

test('networks that do not read their replies cannot keep another from its own', async (t) => {
  // Three replies per network fit into its share.
  for (const [path, maxBytes, count] of [
    ['/large', 4.5 * BODY_BYTES, 4],
    ['/file', 2 ** 20, 16],
  ] as const) {
    const { url, readStatus } = await startLargeReplies(t, { maxBytes })
    const unread: Response[] = []
    for (let i = 0; i < count; i++)
      unread.push(await fetch(url + path, { headers: { 'X-Forwarded-For': `192.0.${Math.floor(i / 3)}.1` } }))
    assert.ok(unread.every(({ status }) => status === 200))
    assert.equal(await readStatus(path), 200, path)
  }
})

test('an error that is too long for the budget is replaced by BUSY, also if it is a page', async (t) => {
  const renderErrorPage = async () => text('x'.repeat(BODY_BYTES), 'text/html', { status: 404 })
  for (const options of [{}, { renderErrorPage }]) {
    const { url, openUnread, readStatus } = await startLargeReplies(
      t,
      { maxBytes: 1.5 * BODY_BYTES },
      Buffer.alloc(BODY_BYTES),
      options,
    )
    openUnread()
    await until(async () => (await readStatus()) === 503)
    const { status } = await fetch(`${url}/missing`, { headers: { Accept: 'text/html' } })
    assert.equal(status, 503)
    assert.equal(await readStatus('/none'), 404)
  }
})
