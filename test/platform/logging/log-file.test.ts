import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLogging, openLogSink } from '../../../src/platform/logging/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

const options = (dir: string) => ({ dir, level: 'info', fileBytes: 65_536, files: 3, hiddenFolders: [dir] })

const readAll = async (dir: string) => {
  const names = (await readdir(dir)).sort()
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))
  return { names, lines: texts.join('').split('\n').filter(Boolean) }
}

test('closing the log writes every line, as JSON with time and level', async (t) => {
  const dir = await temporaryFolder(t)
  const logging = openLogging(options(dir))
  for (let i = 0; i < 100; i++) logging.log.info({ i }, 'hello')
  await logging.close()
  const { lines } = await readAll(dir)
  assert.equal(lines.length, 100)
  const last = JSON.parse(lines[99] ?? '')
  assert.deepEqual({ ...last, time: '' }, { level: 'info', time: '', i: 99, msg: 'hello' })
  assert.equal(new Date(last.time).toISOString(), last.time)
})

test('a new file starts at the maximum size, and old files are deleted', async (t) => {
  const dir = await temporaryFolder(t)
  const logging = openLogging(options(dir))
  for (let i = 0; i < 40; i++) {
    logging.log.info({ filler: 'x'.repeat(10_000) }, 'long')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await logging.close()
  const { names } = await readAll(dir)
  assert.equal(names.length, 3)
  const day = new Date().toISOString().slice(0, 10)
  assert.deepEqual(
    names.map((name) => name.startsWith(`menagerie.${day}.`)),
    [true, true, true],
  )
})

test('files from a time when the clock was ahead are deleted before the current one', async (t) => {
  const dir = await temporaryFolder(t)
  for (const day of ['01', '02', '03']) await writeFile(join(dir, `menagerie.2999-12-${day}.log`), '')
  const logging = openLogging(options(dir))
  logging.log.info({}, 'hello')
  await logging.close()
  const { names, lines } = await readAll(dir)
  assert.equal(names.length, 3)
  assert.equal(lines.length, 1)
})

test('no line is lost when files fill faster than they are opened', async (t) => {
  const dir = await temporaryFolder(t)
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const logging = openLogging({ ...options(dir), files: 1000 })
  for (let i = 0; i < 400; i++) {
    logging.log.info({ i, filler: 'x'.repeat(10_000) }, 'long')
    if (i % 100 === 99) await new Promise(setImmediate)
  }
  await logging.close()
  const { names, lines } = await readAll(dir)
  assert.ok(names.length > 1)
  assert.equal(lines.length, 400)
  assert.deepEqual(warnings, [])
})

test('lines that do not fit into the buffer are dropped, and every dropped line is counted', async (t) => {
  const dir = await temporaryFolder(t)
  const logging = openLogging({ ...options(dir), fileBytes: 1e9 })
  // Nothing is written to the disk before the loop ends.
  for (let i = 0; i < 2000; i++) logging.log.info({ i, filler: 'x'.repeat(10_000) }, 'long')
  await logging.close()
  const [, dropped] = /^(\d+) log lines were dropped/.exec(logging.problem() ?? '') ?? []
  assert.ok(Number(dropped) > 0)
  assert.equal((await readAll(dir)).lines.length + Number(dropped), 2000)
})

test('dropped lines are a problem for an hour', async (t) => {
  const logging = openLogging({ ...options(await temporaryFolder(t)), fileBytes: 1e9 })
  for (let i = 0; i < 2000; i++) logging.log.info({ filler: 'x'.repeat(10_000) }, 'long')
  await logging.close()
  const real = performance.now.bind(performance)
  const clock = t.mock.method(performance, 'now', () => real() + 3_500_000)
  assert.match(logging.problem() ?? '', /log lines were dropped/)
  clock.mock.mockImplementation(() => real() + 3_600_001)
  assert.equal(logging.problem(), undefined)
})

test('closing the log loses no line and keeps no old file, whatever is being written', {
  timeout: 20_000,
}, async (t) => {
  for (let turns = 0; turns < 40; turns++) {
    const dir = await temporaryFolder(t)
    const logging = openLogging(options(dir))
    const fillFiles = (count: number) => {
      for (let i = 0; i < count; i++) logging.log.info({ filler: 'x'.repeat(140_000) }, 'long')
    }
    fillFiles(4)
    for (let turn = 0; turn < turns; turn++) await readdir(dir)
    fillFiles(2)
    await logging.close()
    const { names, lines } = await readAll(dir)
    const day = new Date().toISOString().slice(0, 10)
    const newest = [3, 4, 5].map((index) => `menagerie.${day}.${index}.log`)
    assert.deepEqual([names, lines.length], [newest, 3], `closed after ${turns} turns`)
  }
})

test('after a restart the newest file of the day is continued', async (t) => {
  const dir = await temporaryFolder(t)
  const day = new Date().toISOString().slice(0, 10)
  await writeFile(join(dir, `menagerie.${day}.2.log`), '{"old":true}\n')
  const logging = openLogging(options(dir))
  logging.log.info({}, 'new')
  await logging.close()
  const { names, lines } = await readAll(dir)
  assert.deepEqual(names, [`menagerie.${day}.2.log`])
  assert.equal(lines.length, 2)
})

/** A log that must start its next file while its folder is deleted. */
async function startLogWithoutFolder(t: TestContext) {
  const dir = join(await temporaryFolder(t), 'logs')
  const logging = openLogging(options(dir))
  const fillFile = () => logging.log.info({ filler: 'x'.repeat(70_000) }, 'long')
  fillFile()
  await until(async () => (await readAll(dir)).lines.length === 1)
  await rm(dir, { recursive: true })
  return { dir, logging, fillFile }
}

test('a deleted log folder is created again with the next file', async (t) => {
  const { dir, logging, fillFile } = await startLogWithoutFolder(t)
  fillFile()
  logging.log.info({}, 'after')
  await logging.close()
  assert.match((await readAll(dir)).lines.at(-1) ?? '', /"msg":"after"/)
})

test('a log folder that cannot be created is reported and does not stop the service', async (t) => {
  const { dir, logging, fillFile } = await startLogWithoutFolder(t)
  await writeFile(dir, 'in the way')
  await until(() => {
    fillFile()
    return /cannot be written/.test(logging.problem() ?? '')
  })
  await logging.close()
})

test('a log file that cannot be opened at the start is reported, and lines go to standard error', async (t) => {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, `menagerie.${new Date().toISOString().slice(0, 10)}.log`))
  const printed: string[] = []
  const sink = openLogSink({ ...options(dir), console: (text) => printed.push(text) })
  assert.match(printed.join(), /^Log files in .* cannot be written: .+\. Log lines go to standard error\./)
  assert.match(sink.problem() ?? '', /^log files cannot be written/)
  assert.ok(!sink.problem()?.includes(dir))
  await sink.close()
})

test('other files in the log folder are not deleted', async (t) => {
  const dir = await temporaryFolder(t)
  await writeFile(join(dir, 'notes.txt'), 'mine')
  const logging = openLogging({ ...options(dir), files: 1 })
  logging.log.info({}, 'x')
  await logging.close()
  assert.equal(await readFile(join(dir, 'notes.txt'), 'utf8'), 'mine')
})

test('an error is logged without addresses, URLs and folders, and printed', async (t) => {
  const dir = await temporaryFolder(t)
  const printed: string[] = []
  const logging = openLogging({ ...options(dir), console: (text) => printed.push(text) })
  logging.log.error({ err: new Error(`no ${dir}/x from 203.0.113.9 at https://a.example/secret`) }, 'broke')
  logging.log.info({}, 'quiet')
  await logging.close()
  const { lines } = await readAll(dir)
  assert.match(lines[0] ?? '', /no \.\/x from 203\.0\.113\.0\/24 at https:\/\/a\.example/)
  assert.doesNotMatch(lines.join('\n'), /secret|203\.0\.113\.9/)
  assert.equal(printed.length, 1)
  assert.match(printed[0] ?? '', /^error: broke\n {4}err: Error: no/)
})
