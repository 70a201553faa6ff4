import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  downloadedListFile,
  openBlocklist,
  scheduleUpdates,
  UpdateError,
  type UpdateOptions,
  updateBlocklist,
} from '../../../src/features/blocklist/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { startSource } from '../../kit/source.ts'
import { passTurns } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

const log = createTestLog()
const lines = (count: number) => Array.from({ length: count }, (_, at) => `n${at}.example\n`).join('')

/** A source whose answers the test controls, and an update from it. */
async function openUpdates(t: TestContext) {
  const target = downloadedListFile(await temporaryFolder(t))
  const requests: { etag: string | undefined; since: string | undefined }[] = []
  let answer: RequestListener = (_, response) => response.end()
  const source = await startSource(t, (request, response) => {
    requests.push({ etag: request.headers['if-none-match'], since: request.headers['if-modified-since'] })
    answer(request, response)
  })
  const url = source.url('/list.txt?key=secret')
  const update = (more: Partial<UpdateOptions> = {}) => updateBlocklist({ target, source: url, log, ...more })
  const serve = (text: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
    answer = (_, response) => response.writeHead(status, headers).end(text)
  }
  const answerWith = (listener: RequestListener) => {
    answer = listener
  }
  return { target, url, requests, update, serve, answerWith, host: source.host }
}

const isUpdateError =
  (message: RegExp, canBeForced = false) =>
  (error: unknown) => {
    assert.ok(error instanceof UpdateError, String(error))
    assert.equal(error.canBeForced, canBeForced)
    assert.match(error.message, message)
    return true
  }

test('a list is fetched and stored unchanged; the next update sends a conditional request', async (t) => {
  const { target, requests, update, serve } = await openUpdates(t)
  const validators = { etag: '"one"', 'last-modified': 'Sat, 31 Jan 2026 00:00:00 GMT' }
  const text = `# Capitals stay\r\nBAD.example\r\n${lines(10)}`
  serve(text, validators)
  const first = await update()
  const sha256 = createHash('sha256').update(text).digest('hex')
  assert.deepEqual(first, { changed: true, entries: 11, ignored: 0, sha256, size: text.length })
  assert.equal(await readFile(target, 'utf8'), text)

  serve('', validators, 304)
  assert.deepEqual(await update(), { ...first, changed: false })
  assert.deepEqual(requests, [
    { etag: undefined, since: undefined },
    { etag: '"one"', since: validators['last-modified'] },
  ])
  assert.deepEqual((await readdir(dirname(target))).sort(), ['blocklist.source.json', 'blocklist.txt'])
})

test('the same bytes from a source without validators are not a change', async (t) => {
  const { update, serve } = await openUpdates(t)
  serve(lines(3))
  assert.equal((await update()).changed, true)
  assert.equal((await update()).changed, false)
  serve(lines(4))
  assert.equal((await update()).changed, true)
})

test('after somebody replaced the downloaded list, the next update is not conditional', async (t) => {
  const { target, requests, update, serve } = await openUpdates(t)
  serve(lines(3), { etag: '"one"' })
  await update()
  await writeFile(target, 'mine.example\n')
  assert.equal((await update()).changed, true)
  assert.equal(requests[1]?.etag, undefined)
})

test('a failing source leaves the list as it is, and the error gives the reason', async (t) => {
  const { target, update, serve, answerWith } = await openUpdates(t)
  serve(lines(100))
  await update()
  const failing: [RequestListener, RegExp, canBeForced?: boolean][] = [
    [(_, response) => response.writeHead(500).end(lines(100)), /status 500/],
    [(_, response) => response.writeHead(404).end(), /status 404/],
    [(request) => request.socket.destroy(), /complete HTTP response/],
    [cutOff({ 'content-length': '5000' }), /complete HTTP response/],
    [cutOff({ 'transfer-encoding': 'chunked' }), /complete HTTP response/],
    [(_, response) => response.end('<html>\n<p>Please sign in</p>\n</html>'), /none of its 3 lines/],
    [(_, response) => response.end(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1])), /not UTF-8 text/],
    [(_, response) => response.end('# nothing\n'), /no entries/, true],
    [(_, response) => response.end(lines(49)), /49 entries, less than half of the previous 100/, true],
    [(_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(), /public internet/],
  ]
  for (const [listener, message, canBeForced] of failing) {
    answerWith(listener)
    await assert.rejects(update(), isUpdateError(message, canBeForced))
    assert.equal(await readFile(target, 'utf8'), lines(100))
  }
})

/** Sends half of what it announced. */
function cutOff(headers: Record<string, string>): RequestListener {
  return (request, response) => {
    response.writeHead(200, headers)
    response.write(lines(100), () => void passTurns().then(() => request.socket.destroy()))
  }
}

test('force accepts a list that shrank or is empty, but not one that cannot be read', async (t) => {
  const { target, update, serve } = await openUpdates(t)
  serve(lines(100))
  await update()
  const list = await openBlocklist({ sources: [{ file: target, source: 'update' }], log })
  t.after(() => list.close())
  serve(lines(50))
  assert.equal((await update()).entries, 50)
  serve(lines(3))
  assert.equal((await update({ force: true })).entries, 3)
  await until(() => list.infos()[0]?.entries === 3)
  serve('# nothing\n')
  assert.equal((await update({ force: true })).entries, 0)
  // A forced update is a confirmation, so the active list follows.
  await until(() => list.infos()[0]?.entries === 0 && list.problem() === undefined)
  serve('\0')
  await assert.rejects(update({ force: true }), isUpdateError(/not UTF-8 text/))
  assert.equal(await readFile(target, 'utf8'), '# nothing\n')
})

test('a list that exceeds the size limit is rejected', async (t) => {
  const { update, serve } = await openUpdates(t)
  serve(lines(1000))
  await assert.rejects(update({ fetching: { maxBytes: 1000 } }), isUpdateError(/larger than 1000 bytes/))
})

test('the public source of a list is a host or the word file', async (t) => {
  const { target, update, serve } = await openUpdates(t)
  serve(lines(3))
  await update()
  const list = await openBlocklist({ sources: [{ file: target, source: 'update' }], log })
  t.after(() => list.close())
  assert.equal(list.infos()[0]?.source, '127.0.0.1')
  const file = join(dirname(target), 'mine.txt')
  await writeFile(file, lines(5))
  assert.equal((await update({ source: file })).entries, 5)
  await list.reload()
  assert.equal(list.infos()[0]?.source, 'file')
  assert.equal(list.infos()[0]?.entries, 5)
  await assert.rejects(update({ source: join(file, 'none') }), isUpdateError(/cannot be read/))
})

test('an update reports its progress, and an aborted update changes nothing', async (t) => {
  const { target, update, serve, answerWith } = await openUpdates(t)
  const stages: string[] = []
  // More than is read on the event loop.
  serve(lines(20_000))
  await update({ onProgress: (stage) => stages.push(stage) })
  assert.deepEqual(stages, ['fetching', 'checking', 'writing'])
  const aborted = new AbortController()
  answerWith(() => aborted.abort())
  await assert.rejects(update({ signal: aborted.signal }), { name: 'AbortError' })
  assert.equal(await readFile(target, 'utf8'), lines(20_000))
})

async function openSchedule(t: TestContext) {
  const target = downloadedListFile(await temporaryFolder(t))
  const state = { status: 200, text: 'one.example\n', requests: 0 }
  const { url } = await startSource(t, (_, response) => {
    state.requests += 1
    response.writeHead(state.status).end(state.text)
  })
  const options = { target, source: url(), log: createTestLog() }
  const start = (intervalMs: number) => {
    const schedule = scheduleUpdates({ ...options, intervalMs })
    t.after(() => schedule.close())
    return schedule
  }
  return { target, state, options, start, text: () => readFile(target, 'utf8') }
}

test('a missing list is fetched at once, and then periodically', async (t) => {
  const { state, start, text } = await openSchedule(t)
  start(100)
  await until(async () => (await text().catch(() => '')) === 'one.example\n')
  state.text = 'two.example\n'
  await until(async () => (await text()) === 'two.example\n')
})

test('a list that was checked recently is not fetched at the start', async (t) => {
  const { state, options, start } = await openSchedule(t)
  await updateBlocklist(options)
  start(60_000)
  await sleep(150)
  assert.equal(state.requests, 1)
})

test('a failed update is reported, and retried sooner than after the interval', async (t) => {
  const { state, options, start, text } = await openSchedule(t)
  state.status = 500
  const intervalMs = 8000
  const startedAt = performance.now()
  const schedule = start(intervalMs)
  await until(() => state.requests >= 2)
  assert.ok(performance.now() - startedAt < intervalMs)
  assert.match(schedule.problem() ?? '', /not updated: the source replied with status 500/)
  assert.equal(options.log.lines[0]?.level, 'warn')
  await assert.rejects(text())
  state.status = 200
  await until(() => schedule.problem() === undefined)
  assert.equal(await text(), 'one.example\n')
})

test('a list that cannot be written is reported without the folder of the host', async (t) => {
  const { target, start } = await openSchedule(t)
  // A file in the place of the folder.
  await writeFile(dirname(target), '')
  const schedule = start(60_000)
  await until(() => schedule.problem() !== undefined)
  assert.match(schedule.problem() ?? '', /^the blocklist was not updated: [\w ]+$/)
})

test('a stopped schedule sends no more requests', async (t) => {
  const { state, start } = await openSchedule(t)
  const schedule = start(20)
  await until(() => state.requests >= 2)
  schedule.close()
  await sleep(50)
  const requests = state.requests
  await sleep(100)
  assert.equal(state.requests, requests)
})
