import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { listProcesses } from '../../../bench/process-usage.ts'
import { type ApiError, Busy, ImageTooLarge, ImageTooManyPixels } from '../../../src/errors/index.ts'
import { blackPng, gif, png, webpBomb } from '../../kit/broken-pictures.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { until } from '../../kit/until.ts'
import { attacks } from './attacks/webp.ts'
import { job, picture, startEngine } from './engine-kit.ts'

const MEGABYTE = 1_000_000

test('memory does not grow with many decoder bombs', async (t) => {
  const engine = startEngine(t)
  const bombs = [
    png(50_000, 50_000, Buffer.alloc(1000)),
    png(6000, 6000, Buffer.alloc(1000)),
    gif(60_000, 60_000, 1),
    gif(1, 1, 10_000),
    webpBomb(16_383, 16_383),
    webpBomb(6000, 6000),
  ]
  const explode = (nth: number) => assert.rejects(engine.process(job(bombs[nth % bombs.length]!, 'blur')))
  for (let nth = 0; nth < 12; nth++) await explode(nth)
  const level = process.memoryUsage.rss()
  for (let nth = 0; nth < 50; nth++) await explode(nth)
  const grown = (process.memoryUsage.rss() - level) / MEGABYTE
  assert.ok(grown < 60, `${grown} MB more than before`)
})

test('the configured limits apply', async (t) => {
  const engine = startEngine(t, { maxPixels: 10_000, maxFrames: 3 })
  assert.equal((await engine.process(job(blackPng(100, 100)))).width, 100)
  await assert.rejects(
    engine.process(job(blackPng(100, 101))),
    new ImageTooManyPixels('pixels over all frames', 10_000),
  )
  assert.equal((await engine.process(job(gif(50, 50, 3)))).frameCount, 3)
  await assert.rejects(engine.process(job(gif(5, 5, 4))), new ImageTooManyPixels('frames', 3))
  await assert.rejects(engine.process(job(gif(60, 60, 3))), ImageTooManyPixels)
})

test('a result that is too large fails', async (t) => {
  const engine = startEngine(t, { maxOutputBytes: 1000 })
  const bytes = await picture(createPhotograph(60, 40)).jpeg().toBuffer()
  await assert.rejects(engine.process(job(bytes, 'invert', { output: 'png' })), new ImageTooLarge(1000, 'result'))
  assert.equal((await engine.process(job(blackPng(60, 40)))).width, 60)
})

/** BUSY if other programs used the cores meanwhile. */
const isTooSlow = ({ code }: ApiError) => ['IMAGE_UNREADABLE', 'BUSY'].includes(code)

test('an image that exceeds the time limit fails', async (t) => {
  const engine = startEngine(t, { decodeTimeoutMs: 40 })
  await assert.rejects(engine.process(job(blackPng(6200, 6200), 'blur', { output: 'webp' })), isTooSlow)
  assert.deepEqual(engine.status(), { running: 0, queued: 0, processes: 2 })
})

test('a good image fails with BUSY if its process gets no CPU time', async (t) => {
  const engine = startEngine(t, { decodeTimeoutMs: 200 })
  const refused = assert.rejects(engine.process(job(blackPng(2, 2))), Busy)
  for (const pid of listProcesses(process.pid).slice(1)) process.kill(pid, 'SIGSTOP')
  await refused
})

test('an engine whose images wait for longer than its time limit reports a problem until a process is free', async (t) => {
  const engine = startEngine(t, { processes: 1, hasReserve: false, decodeTimeoutMs: 100 })
  assert.equal(engine.problem(), undefined)
  const slow = assert.rejects(engine.process(job(blackPng(6200, 6200), 'blur', { output: 'webp' })), isTooSlow)
  const waiting = engine.process(job(blackPng(1, 1), 'blur'))
  await until(() => engine.problem() !== undefined)
  await slow
  // On a busy machine it fails, too.
  await Promise.allSettled([waiting])
  assert.equal(engine.problem(), undefined)
})

test('work beyond the queue limit is refused, accepted work is done', async (t) => {
  const engine = startEngine(t, { processes: 1, maxQueued: 2 })
  const bytes = await picture(createPhotograph(900, 700)).jpeg().toBuffer()
  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => engine.process(job(bytes, 'blur'))))
  const refused = answers.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 3)
  for (const answer of refused) assert.ok('reason' in answer && answer.reason instanceof Busy)
})

test('the event loop stays responsive while images are filtered', async (t) => {
  const engine = startEngine(t)
  const bytes = await picture(createPhotograph(2000, 1500)).jpeg().toBuffer()
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  t.after(() => clearInterval(ticking))
  const { timings } = await engine.process(job(bytes, 'blur', { strength: 256 }))
  assert.ok(turns >= 10, `${turns} turns of the event loop in ${Object.values(timings).join(' + ')} ms`)
})

test('an aborted job fails and the engine continues', async (t) => {
  const engine = startEngine(t, { processes: 1 })
  const calling = new AbortController()
  const called = engine.process(job(blackPng(3000, 3000)), calling.signal)
  setTimeout(() => calling.abort(), 30)
  await assert.rejects(called, { name: 'AbortError' })
  assert.equal((await engine.process(job(blackPng(2, 2)))).width, 2)
})

test('the bytes of the caller stay unchanged', async (t) => {
  const engine = startEngine(t)
  const bytes = new Uint8Array(await picture(createPhotograph(30, 20)).png().toBuffer())
  const before = bytes.slice()
  await engine.process(job(bytes))
  assert.deepEqual(bytes, before)
})

test('a drawing of our own does not fail because of the memory that earlier images left', async (t) => {
  // As if the process still held nearly all the memory that it may have.
  const engine = startEngine(t, { maxIdleBytes: -15 * MEGABYTE })
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="5"/></svg>')
  assert.ok((await engine.renderSvg(svg, 'png', 4000)).length > 0)
})

test('a client that requests many drawings does not cause the drawing of another to be refused or delayed', async (t) => {
  const engine = startEngine(t, { processes: 1, hasReserve: false, maxQueued: 5 })
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="5"/></svg>')
  const finished: string[] = []
  const render = (client: string) => engine.renderSvg(svg, 'png', 512, client).then(() => finished.push(client))
  const flood = Promise.allSettled(Array.from({ length: 30 }, (_, nth) => render(`192.0.2.${nth}`)))
  await render('198.51.100.1')
  const refused = (await flood).filter(({ status }) => status === 'rejected')
  assert.ok(refused.length >= 20)
  assert.ok(finished.indexOf('198.51.100.1') <= 2, String(finished))
})

test('images that take long, of many networks, do not delay a short one', async (t) => {
  const engine = startEngine(t)
  // So small that its memory would allow to process it at once.
  const bytes = await picture(createPhotograph(1000, 1000)).jpeg().toBuffer()
  // Encoded six times, because the first result is too large.
  const long = job(bytes, 'invert', { output: 'avif', maxBytes: 1000 })
  let ended = 0
  const all = Array.from({ length: 6 }, (_, n) =>
    engine.process(long, undefined, `192.0.${n}.1`).finally(() => ended++),
  )
  const closed = Promise.allSettled(all)
  assert.equal((await engine.process(job(blackPng(60, 40)), undefined, '203.0.113.1')).width, 60)
  assert.equal(ended, 0)
  await engine.close()
  await closed
})

test('images that take much longer than their headers say, of many networks, do not delay a short one', async (t) => {
  const engine = startEngine(t)
  const bytes = await attacks.find(({ name }) => name.startsWith('a set of Huffman'))!.build(1000)
  let ended = 0
  const all = Array.from({ length: 8 }, (_, n) =>
    engine.process(job(bytes), undefined, `192.0.${n}.1`).finally(() => ended++),
  )
  const refused = assert.rejects(all[0]!, { code: 'IMAGE_UNREADABLE' })
  const closed = Promise.allSettled(all)
  const short = async () => (await engine.process(job(blackPng(60, 40)), undefined, '203.0.113.1')).width
  for (let nth = 0; nth < 4; nth++) assert.equal(await short(), 60)
  assert.ok(ended < 5, `${ended} were before it`)
  await refused
  await engine.close()
  await closed
})

test('images that take half a second, of many networks that are new, do not delay a short one', async (t) => {
  const engine = startEngine(t)
  const bytes = await picture(createPhotograph(700, 500)).jpeg().toBuffer()
  let ended = 0
  const all = Array.from({ length: 12 }, (_, n) =>
    engine.process(job(bytes, 'invert', { output: 'gif' }), undefined, `192.0.${n}.1`).finally(() => ended++),
  )
  const closed = Promise.allSettled(all)
  assert.equal((await engine.process(job(blackPng(60, 40)), undefined, '203.0.113.1')).width, 60)
  assert.ok(ended < 6, `${ended} were before it`)
  await engine.close()
  await closed
})

test('the dominant colour is that of most visible pixels', async (t) => {
  const engine = startEngine(t)
  const paint = (background: string, spot: string, side: number) =>
    sharp({ create: { width: 300, height: 200, channels: 4, background } }).composite([
      { input: { create: { width: side, height: side, channels: 4, background: spot } }, left: 0, top: 0 },
    ])
  const pictures = {
    '#2060a0': paint('#2060a0', '#ff0000', 150),
    '#ff0000': paint('#ff000000', '#ff0000', 50),
    '#ffffff': paint('#00000000', '#00000000', 50),
  }
  for (const [color, picture] of Object.entries(pictures)) {
    assert.equal(await engine.findColor(await picture.png().toBuffer()), color)
    assert.equal(await engine.findColor(await picture.webp({ lossless: true }).toBuffer()), color)
  }
  await assert.rejects(engine.findColor(Buffer.from('not a picture')), { code: 'IMAGE_UNREADABLE' })
})
