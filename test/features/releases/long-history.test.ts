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

test('files that a thread did not read in time are read again at the next check, each alone, but only once', async (t) => {
  const dir = await temporaryFolder(t)
  const names = ['releases.yaml', 'news/a.md']
  await writeFiles(dir, { ...history(400), 'news/a.md': news('A') })
  const pathOf = (name: string) => join(dir, name)
  const states = names.map(async (name) => [name, toFileState(await stat(pathOf(name)))] as const)
  const files = new Map(await Promise.all(states))
  let threads = 0
  const countThread = () => threads++
  process.on('worker', countThread)
  t.after(() => void process.off('worker', countThread))
  const open = (options?: { timeoutMs: number }) => {
    const reader = createFileReader(options)
    t.after(() => reader.close())
    return async () => {
      const results = await reader.read(files, { signal: t.signal, pathOf })
      return names.map((name) => [results.get(name)?.problems[0]?.rule, results.get(name)?.isTemporary])
    }
  }
  const readLate = open({ timeoutMs: 1 })
  assert.deepEqual(await readLate(), Array(2).fill(['time', true]))
  assert.equal(threads, 1)
  // Edits of other files would wait for them at each check. A thread that takes too long is ended, so each file has its own.
  assert.deepEqual(await readLate(), Array(2).fill(['time', false]))
  assert.equal(threads, 3, 'one file may have waited for the other')
  assert.deepEqual(await open()(), Array(2).fill([undefined, undefined]))
})

test('one invalid file among many news does not affect the others', async (t) => {
  const { releases } = await openTestReleases(t, { ...archive, 'news/n7.md': 'no front matter' })
  assert.deepEqual(
    releases.problems().map(({ file }) => file),
    ['news/n7.md'],
  )
  assert.equal(releases.news(BASE).news.length, 299)
})
