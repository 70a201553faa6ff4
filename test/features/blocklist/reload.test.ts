import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Blocklist } from '../../../src/features/blocklist/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

async function openList(t: TestContext, text: string | Buffer) {
  const file = join(await temporaryFolder(t), 'blocklist.txt')
  await writeFile(file, text)
  const log = rememberingLog()
  const list = await Blocklist.open({ candidates: [{ file, source: 'content' }], log })
  t.after(() => list.close())
  return { file, list, log }
}

const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}.example\n`).join('')

test('a large list is read by a worker, with the digest of its bytes', async (t) => {
  const text = `KEPT.example\r\n${many(50_000, 'n')}not a host\n`
  const { list, log } = await openList(t, text)
  const { sha256, size, entries } = list.facts() ?? {}
  assert.deepEqual(
    { sha256, size, entries },
    { sha256: createHash('sha256').update(text).digest('hex'), size: text.length, entries: 50_001 },
  )
  assert.equal(list.blocks('a.n49999.example'), true)
  assert.equal(list.entryFor('a.n49999.example'), 'n49999.example')
  assert.equal(list.blocks('n50000.example'), false)
  assert.partialDeepStrictEqual(log.lines, [{ fields: { entries: 50_001, ignored: 1 } }])
})

test('while a list is replaced, one of both is in force at every moment', async (t) => {
  const { file, list } = await openList(t, `${many(40_000, 'n')}both.example\n`)
  let gaps = 0
  let looks = 0
  const timer = setInterval(() => {
    looks += 1
    if (!list.blocks('both.example') || list.blocks('n0.example') === list.blocks('m0.example')) gaps += 1
  }, 1)
  t.after(() => clearInterval(timer))
  // At once: a list that is missing for as long as it takes to be sure of that is gone.
  rmSync(file)
  writeFileSync(file, `${many(40_000, 'm')}both.example\n`)
  await until(() => list.blocks('m39999.example'), 4000)
  assert.equal(gaps, 0)
  assert.ok(looks > 10)
})

const bad: Record<string, string | Buffer> = {
  'a binary file': Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 31) % 256)),
  'text in UTF-16': Buffer.from('bad.example\r\n', 'utf16le'),
  'an error page': '<html>\n<p>Sorry</p>\n</html>\n',
}
for (const [what, bytes] of Object.entries(bad)) {
  test(`${what} changes nothing, is told once, and is forgotten with the next good list`, async (t) => {
    const { file, list, log } = await openList(t, 'one.example\n')
    const before = list.facts()
    writeFileSync(file, bytes)
    await until(() => list.problem() !== undefined, 4000)
    await list.reload()
    assert.equal(list.blocks('one.example'), true)
    assert.equal(list.facts(), before)
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 1)
    await writeFile(file, 'two.example\n')
    await until(() => list.blocks('two.example'), 4000)
    assert.equal(list.problem(), undefined)
  })
}

test('a list that cannot be opened leaves the old in force until it can be again', async (t) => {
  const { file, list } = await openList(t, 'one.example\n')
  renameSync(file, `${file}.away`)
  mkdirSync(file)
  await until(() => list.problem() !== undefined, 4000)
  assert.match(list.problem() ?? '', /it is not a file/)
  assert.equal(list.blocks('one.example'), true)
  await rm(file, { recursive: true })
  await rename(`${file}.away`, file)
  await until(() => list.problem() === undefined, 4000)
  assert.equal(list.blocks('one.example'), true)
})

test('a fetched list that is bad when the service starts leaves the one that comes with the content in force', async (t) => {
  const folder = await temporaryFolder(t)
  const [fetched, shipped] = [join(folder, 'fetched.txt'), join(folder, 'shipped.txt')]
  await writeFile(fetched, '\0')
  await writeFile(shipped, 'shipped.example\n')
  const candidates = [
    { file: fetched, source: 'update' },
    { file: shipped, source: 'content' },
  ]
  const list = await Blocklist.open({ candidates, log: rememberingLog() })
  t.after(() => list.close())
  assert.equal(list.blocks('shipped.example'), true)
  assert.equal(list.facts()?.source, 'content')
  assert.match(list.problem() ?? '', /not text/)
  await writeFile(fetched, 'fetched.example\n')
  await until(() => list.blocks('fetched.example'), 4000)
  assert.equal(list.blocks('shipped.example'), false)
  assert.equal(list.problem(), undefined)
})

test('an empty list, and one of comments only, block nothing and are no problem', async (t) => {
  for (const text of ['', '# nothing\n\n! here\r\n', '\uFEFF']) {
    const { list } = await openList(t, text)
    assert.equal(list.facts()?.entries, 0)
    assert.equal(list.problem(), undefined)
    assert.equal(list.blocks('example.com'), false)
  }
})

test('a list that is being written is not taken half', async (t) => {
  const { file, list } = await openList(t, 'one.example\n')
  let parts = 0
  let taken = 0
  writeFileSync(file, '')
  const writing = setInterval(() => {
    if (list.facts()?.entries !== 1) taken += 1
    appendFileSync(file, `part${parts++}.example\n`)
  }, 60)
  t.after(() => clearInterval(writing))
  await sleep(900)
  clearInterval(writing)
  assert.equal(taken, 0)
  await until(() => list.facts()?.entries === parts, 4000)
})

test('a list that is written on and on is a problem, not half a list', async (t) => {
  const file = join(await temporaryFolder(t), 'blocklist.txt')
  await writeFile(file, 'one.example\n')
  const writing = setInterval(() => appendFileSync(file, 'more.example\n'), 30)
  t.after(() => clearInterval(writing))
  const list = await Blocklist.open({ candidates: [{ file, source: 'content' }], log: rememberingLog() })
  t.after(() => list.close())
  assert.match(list.problem() ?? '', /being written/)
  assert.equal(list.facts(), undefined)
  clearInterval(writing)
  await until(() => list.blocks('more.example') && list.problem() === undefined, 4000)
})

test('a list that is closed while it reads neither waits nor complains', async (t) => {
  const { file, list, log } = await openList(t, 'one.example\n')
  await writeFile(file, many(100_000, 'n'))
  const reading = list.reload()
  await sleep(260)
  list.close()
  await reading
  assert.equal(list.problem(), undefined)
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'warn'),
    [],
  )
})
