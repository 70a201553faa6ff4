import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileReader } from '../../../src/features/releases/read/read-files.ts'
import { toFileState } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { BASE, news, openTestReleases, record, releasesYaml, writeFiles } from '../../kit/releases.ts'

const client = 'someone'
const history = (count: number, ...more: string[]) => ({
  'releases.yaml': releasesYaml({
    launcher: [...Array.from({ length: count }, (_, minor) => record(`1.${minor}.0`)), ...more],
  }),
})
const archive = Object.fromEntries(
  Array.from({ length: 300 }, (_, n) => [
    `news/n${n}.md`,
    news(`N${n}`, `2026-01-${String((n % 28) + 1).padStart(2, '0')}`, 'word '.repeat(50)),
  ]),
)

test('a long history is read in a thread with the same results and problems', async (t) => {
  const { dir, releases } = await openTestReleases(t, history(400))
  assert.deepEqual(releases.problems(), [])
  const { latest, updates } = releases.updates(BASE, { client })
  assert.deepEqual([latest, updates.length], ['1.399.0', 400])
  assert.equal(releases.updates(BASE, { client, current: '1.390.0' }).updates.length, 9)
  await writeFiles(dir, history(400, record('2.0.0', { date: '2026-02-30' })))
  await releases.reload()
  assert.deepEqual(
    releases.problems().map(({ line, rule }) => [line, rule]),
    [[402, 'date']],
  )
  assert.equal(releases.updates(BASE, { client }).latest, '1.399.0')
  await writeFiles(dir, history(400, record('2.0.0')))
  await releases.reload()
  assert.equal(releases.updates(BASE, { client }).latest, '2.0.0')
  assert.equal(releases.resolveDownload('launcher', { client, version: '1.17.0' }).version, '1.17.0')
})

test('a file that a thread did not read in time is read again at the next check, but only once', async (t) => {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, history(400))
  const path = join(dir, 'releases.yaml')
  const files = new Map([['releases.yaml', toFileState(await stat(path))]])
  const source = { signal: t.signal, pathOf: () => path }
  const open = (options?: { timeoutMs: number }) => {
    const reader = createFileReader(options)
    t.after(() => reader.close())
    return async () => (await reader.read(files, source)).get('releases.yaml')
  }
  const readLate = open({ timeoutMs: 1 })
  const late = await readLate()
  assert.deepEqual([late?.value, late?.problems[0]?.rule, late?.isTemporary], [undefined, 'time', true])
  // Edits of other files would wait for it at each check.
  assert.equal((await readLate())?.isTemporary, false)
  assert.deepEqual((await open()())?.problems, [])
})

test('a file that takes too long to be read does not keep others from being read', async (t) => {
  const dir = await temporaryFolder(t)
  const [slow, fast] = ['releases.yaml', 'news/long.md']
  await writeFiles(dir, {
    ...history(8000, record('2.0.0', { date: 'wrong' })),
    [fast]: news('A', '2026-01-01', 'word '.repeat(8000)),
  })
  const stateOf = async (name: string) => [name, toFileState(await stat(join(dir, name)))] as const
  const source = { signal: t.signal, pathOf: (name: string) => join(dir, name) }
  const open = (timeoutMs?: number) => {
    const reader = createFileReader(timeoutMs === undefined ? {} : { timeoutMs })
    t.after(() => reader.close())
    return reader
  }
  const startedAt = performance.now()
  await open().read(new Map([await stateOf(fast)]), source)
  // Several times as long as the fast file takes, with the start of a thread.
  const reader = open(Math.ceil(4 * (performance.now() - startedAt)))
  const files = new Map([await stateOf(slow), await stateOf(fast)])
  const read = async () => {
    const results = await reader.read(files, source)
    return [slow, fast].map((name) => [results.get(name)?.problems[0]?.rule, results.get(name)?.isTemporary])
  }
  const first = await read()
  if (first[0]?.[0] !== 'time') return t.skip('the slow file was read in time')
  assert.deepEqual(first[1], ['time', true], 'it waited for the slow one')
  assert.deepEqual(await read(), [
    ['time', false],
    [undefined, undefined],
  ])
})

test('one invalid file among many news does not affect the others', async (t) => {
  const { releases } = await openTestReleases(t, { ...archive, 'news/n7.md': 'no front matter' })
  assert.deepEqual(
    releases.problems().map(({ file }) => file),
    ['news/n7.md'],
  )
  assert.equal(releases.news(BASE).news.length, 299)
})
