import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocklistSources, openBlocklist } from '../../../src/features/blocklist/index.ts'
import { acceptEntries } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

async function openList(t: TestContext, text: string | undefined) {
  const folder = await temporaryFolder(t)
  const [update, content] = blocklistSources(join(folder, 'data'), join(folder, 'content'))
  assert.ok(update && content)
  await mkdir(join(folder, 'content'))
  if (text !== undefined) await writeFile(content.file, text)
  const list = await openBlocklist({ sources: [update, content], log: createTestLog() })
  t.after(() => list.close())
  return { list, folder, update: update.file, content: content.file }
}

test('a listed domain blocks itself and its subdomains, not its siblings or parents', async (t) => {
  const { list } = await openList(t, '# comment\nbad.example # why\r\nTracker.Example.ORG\n\nmünchen.example\n')
  for (const host of [
    'bad.example',
    'a.b.bad.example',
    'BAD.example.',
    'tracker.example.org',
    'xn--mnchen-3ya.example',
    'münchen.example',
  ]) {
    assert.equal(list.blocks(host), true, host)
  }
  for (const host of ['notbad.example', 'example', 'example.org', 'bad.example.net', '', '127.0.0.1', '[::1]']) {
    assert.equal(list.blocks(host), false, host)
  }
})

test('a line of the operator that names no host is reported, but no rule of another kind, and no downloaded line', async (t) => {
  const mistakes = [
    'https://a.example/',
    'a.example:8080',
    '8.8.8.0/24',
    'a b.example',
    'word',
    'https://a.example/?b=c',
    '*a.example',
    'a.*',
  ]
  for (const mistake of mistakes) {
    const { list } = await openList(t, `# comment\n\none.example\n${mistake}\ntwo.example\n`)
    assert.equal(list.problem(), 'the blocklist blocks nothing with line 4, which names no host', mistake)
    assert.ok(list.blocks('one.example') && list.blocks('two.example'))
  }
  const rules = [
    'a.example##.ad',
    '/banner/*',
    '||a.example/path',
    '-ad.',
    '@@||a.example^$script',
    'server=/a.example/1.1.1.1',
  ]
  const { list, update } = await openList(t, ['one.example', ...rules].join('\n'))
  await mkdir(join(update, '..'), { recursive: true })
  await writeFile(update, `two.example\n${mistakes.join('\n')}\n`)
  await until(() => list.blocks('two.example'))
  assert.equal(list.problem(), undefined)
})

test('a change of the list is active within two seconds', async (t) => {
  const { list, content } = await openList(t, 'one.example\n')
  const before = list.infos()[0]?.sha256
  writeFileSync(content, 'two.example\nthree.example\n')
  await until(() => list.blocks('two.example'), 2000)
  assert.equal(list.blocks('one.example'), false)
  assert.notEqual(list.infos()[0]?.sha256, before)
  assert.equal(list.infos()[0]?.entries, 2)
})

test('the entries of the content folder add to a downloaded list', async (t) => {
  const { list, update, content } = await openList(t, 'one.example\n')
  await mkdir(join(update, '..'), { recursive: true })
  await writeFile(update, 'two.example\n')
  await until(() => list.blocks('two.example'))
  assert.equal(list.blocks('one.example'), true)
  assert.equal(list.entryFor('a.one.example'), 'one.example')
  assert.deepEqual(
    list.infos().map(({ path, source, entries }) => [path, source, entries]),
    [
      ['blocklist.txt', 'update', 1],
      ['content/blocklist.txt', 'content', 1],
    ],
  )
  await writeFile(content, 'three.example\n')
  await until(() => list.blocks('three.example') && !list.blocks('one.example'))
  assert.equal(list.blocks('two.example'), true)
})

test('an exception in the content folder unblocks entries of a downloaded list, but not the other way round', async (t) => {
  const { list, update, content } = await openList(t, 'own.example\n@@||good.fetched.example^\n')
  await mkdir(join(update, '..'), { recursive: true })
  await writeFile(update, 'fetched.example\n@@||own.example^\n')
  await until(() => list.blocks('fetched.example'))
  for (const host of ['good.fetched.example', 'a.good.fetched.example', 'GOOD.fetched.example.']) {
    assert.equal(list.blocks(host), false, host)
    assert.equal(list.entryFor(host), undefined, host)
  }
  assert.equal(list.entryFor('bad.fetched.example'), 'fetched.example')
  assert.equal(list.blocks('own.example'), true)
  await writeFile(content, 'own.example\n')
  await until(() => list.blocks('good.fetched.example'))
})

test('a list that is removed or emptied stays in use until it is confirmed', async (t) => {
  const { list, update, content } = await openList(t, 'own.example\n')
  await mkdir(join(update, '..'), { recursive: true })
  await writeFile(update, 'fetched.example\n')
  await until(() => list.blocks('fetched.example'))
  await rm(update)
  await until(() => list.problem() !== undefined)
  assert.match(
    list.problem() ?? '',
    /the downloaded blocklist has shrunk\. It has 0 of 1 entries\. The last good state/,
  )
  assert.equal(list.blocks('fetched.example'), true)
  await acceptEntries(join(update, '..'), { 'blocklist.txt': 0 })
  await until(() => !list.blocks('fetched.example') && list.problem() === undefined)
  await writeFile(content, '')
  await until(() => /^the blocklist has shrunk/.test(list.problem() ?? ''))
  assert.equal(list.blocks('own.example'), true)
  await writeFile(content, 'new.example\n')
  await until(() => list.blocks('new.example') && list.problem() === undefined)
})

test('without a list nothing is blocked', async (t) => {
  const { list } = await openList(t, undefined)
  assert.equal(list.blocks('bad.example'), false)
  assert.equal(list.infos()[0], undefined)
})

async function openFile(t: TestContext, text: string | Buffer) {
  const file = join(await temporaryFolder(t), 'blocklist.txt')
  await writeFile(file, text)
  const log = createTestLog()
  const list = await openBlocklist({ sources: [{ file, source: 'content' }], log })
  t.after(() => list.close())
  return { file, list, log }
}

const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}.example\n`).join('')

test('a large list is read in a thread, with the digest of its bytes', async (t) => {
  const text = `FIRST.example\r\n${many(50_000, 'n')}not a host\n`
  const { list, log } = await openFile(t, text)
  const { sha256, size, entries } = list.infos()[0] ?? {}
  assert.deepEqual(
    { sha256, size, entries },
    { sha256: createHash('sha256').update(text).digest('hex'), size: text.length, entries: 50_001 },
  )
  assert.equal(list.blocks('a.n49999.example'), true)
  assert.equal(list.entryFor('a.n49999.example'), 'n49999.example')
  assert.equal(list.blocks('n50000.example'), false)
  assert.partialDeepStrictEqual(log.lines, [{ fields: { entries: 50_001, ignored: 1 } }])
})

test('while a list is replaced, one of the two is active at every moment', async (t) => {
  const { file, list } = await openFile(t, `${many(40_000, 'n')}both.example\n`)
  let gaps = 0
  let samples = 0
  const timer = setInterval(() => {
    samples += 1
    if (!list.blocks('both.example') || list.blocks('n0.example') === list.blocks('m0.example')) gaps += 1
  }, 1)
  t.after(() => clearInterval(timer))
  // In the same tick: a list that is missing for longer than the settling time is reported.
  rmSync(file)
  writeFileSync(file, `${many(40_000, 'm')}both.example\n`)
  await until(() => list.blocks('m39999.example'))
  assert.equal(gaps, 0)
  assert.ok(samples > 10)
})

const bad: Record<string, string | Buffer> = {
  'a binary file': Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 31) % 256)),
  'text in UTF-16': Buffer.from('bad.example\r\n', 'utf16le'),
  'an error page': '<html>\n<p>Sorry</p>\n</html>\n',
}
for (const [what, bytes] of Object.entries(bad)) {
  test(`${what} changes nothing, is logged once, and the next good list ends the problem`, async (t) => {
    const { file, list, log } = await openFile(t, 'one.example\n')
    const before = list.infos()[0]
    writeFileSync(file, bytes)
    await until(() => list.problem() !== undefined)
    await list.reload()
    assert.equal(list.blocks('one.example'), true)
    assert.equal(list.infos()[0], before)
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 1)
    await writeFile(file, 'two.example\n')
    await until(() => list.blocks('two.example'))
    assert.equal(list.problem(), undefined)
  })
}

test('a list that cannot be opened leaves the old one active', async (t) => {
  const { file, list } = await openFile(t, 'one.example\n')
  renameSync(file, `${file}.moved`)
  mkdirSync(file)
  await until(() => list.problem() !== undefined)
  assert.match(list.problem() ?? '', /it is not a file/)
  assert.equal(list.blocks('one.example'), true)
  await rm(file, { recursive: true })
  await rename(`${file}.moved`, file)
  await until(() => list.problem() === undefined)
  assert.equal(list.blocks('one.example'), true)
})

test('a downloaded list that is bad at the start is reported; the list of the content folder is active', async (t) => {
  const folder = await temporaryFolder(t)
  const [fetched, shipped] = [join(folder, 'fetched.txt'), join(folder, 'shipped.txt')]
  await writeFile(fetched, '\0')
  await writeFile(shipped, 'shipped.example\n')
  const sources = [
    { file: fetched, source: 'update' },
    { file: shipped, source: 'content' },
  ]
  const list = await openBlocklist({ sources, log: createTestLog() })
  t.after(() => list.close())
  assert.equal(list.blocks('shipped.example'), true)
  assert.equal(list.infos()[0]?.source, 'content')
  assert.match(list.problem() ?? '', /not UTF-8 text/)
  await writeFile(fetched, 'fetched.example\n')
  await until(() => list.blocks('fetched.example'))
  assert.equal(list.blocks('shipped.example'), true)
  assert.equal(list.problem(), undefined)
})

test('an empty list and a list with only comments block nothing and are not a problem', async (t) => {
  for (const text of ['', '# nothing\n\n! here\r\n', '\uFEFF']) {
    const { list } = await openFile(t, text)
    assert.equal(list.infos()[0]?.entries, 0)
    assert.equal(list.problem(), undefined)
    assert.equal(list.blocks('example.com'), false)
  }
})

test('a list that is being written is not read in part', async (t) => {
  const { file, list } = await openFile(t, 'one.example\n')
  let parts = 0
  let partial = 0
  writeFileSync(file, '')
  const writing = setInterval(() => {
    if (list.infos()[0]?.entries !== 1) partial += 1
    appendFileSync(file, `part${parts++}.example\n`)
  }, 60)
  t.after(() => clearInterval(writing))
  await until(() => parts >= 12)
  clearInterval(writing)
  assert.equal(partial, 0)
  await until(() => list.infos()[0]?.entries === parts)
})

test('a list that is written without a pause is a problem', async (t) => {
  const file = join(await temporaryFolder(t), 'blocklist.txt')
  await writeFile(file, 'one.example\n')
  const writing = setInterval(() => appendFileSync(file, 'more.example\n'), 30)
  t.after(() => clearInterval(writing))
  const list = await openBlocklist({ sources: [{ file, source: 'content' }], log: createTestLog() })
  t.after(() => list.close())
  assert.match(list.problem() ?? '', /being written/)
  assert.equal(list.infos()[0], undefined)
  clearInterval(writing)
  await until(() => list.blocks('more.example') && list.problem() === undefined)
})

test('closing while the list is read logs nothing', async (t) => {
  const { file, list, log } = await openFile(t, 'one.example\n')
  await writeFile(file, many(100_000, 'n'))
  const reading = list.reload()
  // The list is read after it has settled for 200 ms.
  await sleep(260)
  list.close()
  await reading
  assert.equal(list.problem(), undefined)
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'warn'),
    [],
  )
})
