import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createNotifier, type Notification } from '../../../src/features/notifications/index.ts'
import { createTestLog } from '../../kit/log.ts'
import { startReceiver } from '../../kit/receiver.ts'
import { until, untilEqual } from '../../kit/until.ts'

const notification = (
  lines: string[] = ['a line', 'another line'],
  more: Partial<Notification> = {},
): Notification => ({
  event: 'problem-began',
  title: 'Menagerie: problem',
  lines,
  priority: 'high',
  ...more,
})

function openNotifier(t: TestContext, urls: string[], options: { timeoutMs?: number } = {}) {
  const log = createTestLog()
  const notifier = createNotifier({ urls, userAgent: 'Menagerie/test', log, firstDelayMs: 5, ...options })
  t.after(() => notifier.close())
  return { ...notifier, log }
}

test('Discord gets a message without mentions', async (t) => {
  const receiver = await startReceiver(t)
  const notifier = openNotifier(t, [`discord+${receiver.url('/api/webhooks/1/secret')}`])
  notifier.send(notification(['@everyone look']))
  await until(() => notifier.status().sent === 1)
  const [{ method, path, headers, body } = assert.fail()] = receiver.received
  assert.deepEqual([method, path], ['POST', '/api/webhooks/1/secret'])
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['user-agent'], 'Menagerie/test')
  assert.deepEqual(JSON.parse(body), {
    content: '**Menagerie: problem**\n@everyone look',
    allowed_mentions: { parse: [] },
  })
})

test('ntfy gets the text as body, and title and priority as headers', async (t) => {
  const receiver = await startReceiver(t)
  const address = receiver.url('/alerts').replace('http://', 'http://:tk_secret%@')
  const notifier = openNotifier(t, [`ntfy+${address}`])
  notifier.send(notification())
  await until(() => notifier.status().sent === 1)
  const [{ path, headers, body } = assert.fail()] = receiver.received
  assert.deepEqual([path, body], ['/alerts', 'a line\nanother line'])
  assert.deepEqual([headers.title, headers.priority], ['Menagerie: problem', '4'])
  assert.equal(headers.authorization, `Basic ${Buffer.from(':tk_secret%').toString('base64')}`)
})

test('other URLs get JSON', async (t) => {
  const receiver = await startReceiver(t)
  const notifier = openNotifier(t, [receiver.url('/hook?key=1')])
  notifier.send(notification())
  await until(() => notifier.status().sent === 1)
  const [{ path, body } = assert.fail()] = receiver.received
  assert.equal(path, '/hook?key=1')
  const { time, ...message } = JSON.parse(body)
  assert.deepEqual(message, {
    event: 'problem-began',
    title: 'Menagerie: problem',
    message: 'a line\nanother line',
    priority: 'high',
  })
  assert.ok(Math.abs(Date.now() - Date.parse(time)) < 60_000)
})

test('long messages are cut to what Discord and ntfy accept', async (t) => {
  const receiver = await startReceiver(t)
  const notifier = openNotifier(t, [`discord+${receiver.url('/discord')}`, `ntfy+${receiver.url('/ntfy')}`])
  notifier.send(notification(['🦊'.repeat(3000)]))
  await until(() => notifier.status().sent === 2)
  const bodyOf = (path: string) => receiver.received.find((message) => message.path === path)?.body ?? ''
  const { content } = JSON.parse(bodyOf('/discord'))
  assert.ok(content.length <= 2000 && content.length > 1990 && content.endsWith('🦊…'), content.length)
  const bytes = Buffer.byteLength(bodyOf('/ntfy'))
  assert.ok(bytes <= 4096 && bytes > 3990 && bodyOf('/ntfy').endsWith('🦊…'), String(bytes))
})

test('a message is sent again after 500 and 429, and not before Retry-After', async (t) => {
  const times: number[] = []
  const receiver = await startReceiver(t, (response, attempt) => {
    times.push(performance.now())
    if (attempt === 1) response.writeHead(500).end()
    else if (attempt === 2) response.writeHead(429, { 'retry-after': '0.3' }).end()
    else response.writeHead(200).end('ok')
  })
  const notifier = openNotifier(t, [receiver.url()])
  notifier.send(notification())
  await untilEqual(notifier.status, { sent: 1, failed: 0, dropped: 0 })
  assert.equal(receiver.received.length, 3)
  assert.equal(new Set(receiver.received.map(({ body }) => JSON.parse(body).message)).size, 1)
  const [, second = 0, third = 0] = times
  assert.ok(third - second >= 290, `${third - second} ms`)
  assert.deepEqual([notifier.problem(), notifier.log.lines], [undefined, []])
})

test('a webhook that always fails is a problem and one log line, until a message arrives', async (t) => {
  let status = 503
  const receiver = await startReceiver(t, (response) => response.writeHead(status).end())
  const notifier = openNotifier(t, [receiver.url('/secret-path')])
  notifier.send(notification())
  await untilEqual(notifier.status, { sent: 0, failed: 1, dropped: 0 })
  assert.equal(receiver.received.length, 5)
  assert.match(notifier.problem() ?? '', /webhook 1 \(json\): replied with status 503$/)
  assert.equal(notifier.log.lines.length, 1)
  assert.doesNotMatch(JSON.stringify([notifier.log.lines, notifier.problem()]), /secret-path|127\.0\.0\.1/)
  status = 200
  notifier.send(notification())
  await until(() => notifier.status().sent === 1)
  assert.equal(notifier.problem(), undefined)
})

test('a wrong URL is tried once, and redirects are not followed', async (t) => {
  const target = await startReceiver(t)
  const redirecting = await startReceiver(t, (response) => response.writeHead(307, { location: target.url() }).end())
  const gone = await startReceiver(t, (response) => response.writeHead(404).end())
  const notifier = openNotifier(t, [redirecting.url(), gone.url()])
  notifier.send(notification())
  await until(() => notifier.status().failed === 2)
  assert.deepEqual([redirecting.received.length, gone.received.length, target.received.length], [1, 1, 0])
  assert.match(notifier.problem() ?? '', /webhook 1 \(json\): replied with status 307; redirects are not followed; /)
  assert.match(notifier.problem() ?? '', /webhook 2 \(json\): replied with status 404$/)
})

test('a webhook that asks for a long wait does not get the message', async (t) => {
  const receiver = await startReceiver(t, (response) => response.writeHead(429, { 'retry-after': '3600' }).end())
  const notifier = openNotifier(t, [receiver.url()])
  notifier.send(notification())
  await until(() => notifier.status().failed === 1)
  assert.equal(receiver.received.length, 1)
})

test('a webhook that hangs delays no other, and its queue is bounded', async (t) => {
  const hanging = await startReceiver(t, () => {})
  const working = await startReceiver(t)
  const notifier = openNotifier(t, [hanging.url(), working.url()])
  for (let number = 0; number < 60; number++) {
    notifier.send(notification([String(number)]))
    await until(() => notifier.status().sent === number + 1)
  }
  assert.deepEqual(notifier.status(), { sent: 60, failed: 0, dropped: 10 })
  assert.equal(hanging.received.length, 1)
})

test('a webhook that hangs is given up after the timeout', async (t) => {
  const hanging = await startReceiver(t, () => {})
  const notifier = openNotifier(t, [hanging.url()], { timeoutMs: 50 })
  notifier.send(notification())
  await until(() => notifier.status().failed === 1)
  assert.match(notifier.problem() ?? '', /did not reply within 50 ms/)
})
