import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  Blocklist,
  fetchedListFile,
  listFetcherOptions,
  type UpdateOptions,
  UpdateRefused,
  updateBlocklist,
} from '../../../src/features/blocklist/index.ts'
import { createFetcher } from '../../../src/platform/net/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { startSource } from '../../kit/source.ts'

const log = rememberingLog()
const lines = (count: number) => Array.from({ length: count }, (_, at) => `n${at}.example\n`).join('')

/** A source whose answers a test sets, and an update from it. */
async function openUpdates(t: TestContext) {
  const target = fetchedListFile(await temporaryFolder(t))
  const asked: { etag: string | undefined; since: string | undefined }[] = []
  let answer: RequestListener = (_, response) => response.end()
  const source = await startSource(t, (request, response) => {
    asked.push({ etag: request.headers['if-none-match'], since: request.headers['if-modified-since'] })
    answer(request, response)
  })
  const url = source.url('/list.txt?key=secret')
  const fetcher = createFetcher(listFetcherOptions(url))
  t.after(() => fetcher.close())
  const update = (more: Partial<UpdateOptions> = {}) => updateBlocklist({ target, source: url, fetcher, log, ...more })
  const serve = (text: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
    answer = (_, response) => response.writeHead(status, headers).end(text)
  }
  const answerWith = (listener: RequestListener) => {
    answer = listener
  }
  return { target, url, asked, update, serve, answerWith, host: source.host }
}

const isRefused = (reason: UpdateRefused['reason'], message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UpdateRefused, String(error))
  assert.equal(error.reason, reason)
  assert.match(error.message, message)
  return true
}

test('a list is fetched, put in place as it came, and then only asked whether it changed', async (t) => {
  const { target, asked, update, serve } = await openUpdates(t)
  const validators = { etag: '"one"', 'last-modified': 'Sat, 31 Jan 2026 00:00:00 GMT' }
  const text = `# Capitals stay\r\nBAD.example\r\n${lines(10)}`
  serve(text, validators)
  const first = await update()
  const sha256 = createHash('sha256').update(text).digest('hex')
  assert.deepEqual(first, { changed: true, entries: 11, ignored: 0, sha256, size: text.length })
  assert.equal(await readFile(target, 'utf8'), text)

  serve('', validators, 304)
  assert.deepEqual(await update(), { ...first, changed: false })
  assert.deepEqual(asked, [
    { etag: undefined, since: undefined },
    { etag: '"one"', since: validators['last-modified'] },
  ])
  assert.deepEqual((await readdir(dirname(target))).sort(), ['blocklist.source.json', 'blocklist.txt'])
})

test('the same bytes from a source without validators are no change', async (t) => {
  const { update, serve } = await openUpdates(t)
  serve(lines(3))
  assert.equal((await update()).changed, true)
  assert.equal((await update()).changed, false)
  serve(lines(4))
  assert.equal((await update()).changed, true)
})

test('a list that someone put in the place of the fetched one is not taken for it', async (t) => {
  const { target, asked, update, serve } = await openUpdates(t)
  serve(lines(3), { etag: '"one"' })
  await update()
  await writeFile(target, 'mine.example\n')
  assert.equal((await update()).changed, true)
  assert.equal(asked[1]?.etag, undefined)
})

test('a source that fails leaves the list as it is, and the reason is told', async (t) => {
  const { target, update, serve, answerWith } = await openUpdates(t)
  serve(lines(100))
  await update()
  const failing: [RequestListener, UpdateRefused['reason'], RegExp][] = [
    [(_, response) => response.writeHead(500).end(lines(100)), 'unreachable', /status 500/],
    [(_, response) => response.writeHead(404).end(), 'unreachable', /status 404/],
    [(request) => request.socket.destroy(), 'unreachable', /complete HTTP response/],
    [cutOff({ 'content-length': '5000' }), 'unreachable', /complete HTTP response/],
    [cutOff({ 'transfer-encoding': 'chunked' }), 'unreachable', /complete HTTP response/],
    [(_, response) => response.end('<html>\n<p>Please sign in</p>\n</html>'), 'unreadable', /none of its 3 lines/],
    [(_, response) => response.end(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 1])), 'unreadable', /not text/],
    [(_, response) => response.end('# nothing\n'), 'empty', /no entries/],
    [(_, response) => response.end(lines(49)), 'shrank', /49 entries, less than half of the 100/],
    [
      (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'unreachable',
      /public internet/,
    ],
  ]
  for (const [listener, reason, message] of failing) {
    answerWith(listener)
    await assert.rejects(update(), isRefused(reason, message))
    assert.equal(await readFile(target, 'utf8'), lines(100))
  }
})

/** Sends half of what it announced. */
function cutOff(headers: Record<string, string>): RequestListener {
  return (request, response) => {
    response.writeHead(200, headers)
    response.write(lines(100), () => setTimeout(() => request.socket.destroy(), 20))
  }
}

test('who knows better takes a list that shrank, or an empty one, but none that cannot be read', async (t) => {
  const { target, update, serve } = await openUpdates(t)
  serve(lines(100))
  await update()
  serve(lines(50))
  assert.equal((await update()).entries, 50)
  serve(lines(3))
  assert.equal((await update({ force: true })).entries, 3)
  serve('# nothing\n')
  assert.equal((await update({ force: true })).entries, 0)
  serve('\0')
  await assert.rejects(update({ force: true }), isRefused('unreadable', /not text/))
  assert.equal(await readFile(target, 'utf8'), '# nothing\n')
})

test('a list that is larger than the fetcher takes is refused', async (t) => {
  const { url, update, serve } = await openUpdates(t)
  const fetcher = createFetcher({ ...listFetcherOptions(url), maxBytes: 1000 })
  t.after(() => fetcher.close())
  serve(lines(1000))
  await assert.rejects(update({ fetcher }), isRefused('unreachable', /larger than 1000 bytes/))
})

test('the public is told the host that a list is from, or that it is from a file', async (t) => {
  const { target, update, serve } = await openUpdates(t)
  serve(lines(3))
  await update()
  const list = await Blocklist.open({ candidates: [{ file: target, source: 'update' }], log })
  t.after(() => list.close())
  assert.equal(list.facts()?.source, '127.0.0.1')
  const file = join(dirname(target), 'mine.txt')
  await writeFile(file, lines(5))
  assert.equal((await update({ source: file, fetcher: undefined })).entries, 5)
  await list.reload()
  assert.equal(list.facts()?.source, 'file')
  assert.equal(list.facts()?.entries, 5)
  await assert.rejects(update({ source: join(file, 'none') }), isRefused('unreachable', /cannot be read/))
})

test('progress is told, and an update that is called off changes nothing', async (t) => {
  const { target, update, serve, answerWith } = await openUpdates(t)
  const stages: string[] = []
  // More than is read on the event loop.
  serve(lines(20_000))
  await update({ onProgress: ({ stage }) => stages.push(stage) })
  assert.deepEqual(stages, ['fetching', 'checking', 'writing'])
  const calledOff = new AbortController()
  answerWith(() => calledOff.abort())
  await assert.rejects(update({ signal: calledOff.signal }), { name: 'AbortError' })
  assert.equal(await readFile(target, 'utf8'), lines(20_000))
})
