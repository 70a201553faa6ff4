import assert from 'node:assert/strict'
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { BASE, news, openTestReleases, record, releasesYaml } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const client = 'someone'
const versions = (count: number) => Array.from({ length: count }, (_, index) => record(`1.${index}.0`))

test('a partially written file is never served', async (t) => {
  const text = (count: number) => releasesYaml({ launcher: versions(count) })
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': text(30) })
  const file = join(dir, 'releases.yaml')
  const seen = new Set<string | null>()
  const watching = setInterval(() => seen.add(releases.updates(BASE, { client }).latest), 5)
  t.after(() => clearInterval(watching))
  // Each part by itself is a good file with an older release as the latest.
  writeFileSync(file, '')
  for (const part of text(40).split(/(?<=\n)/)) {
    appendFileSync(file, part)
    await setTimeout(30)
  }
  await until(() => releases.updates(BASE, { client }).latest === '1.39.0')
  await setTimeout(10)
  assert.deepEqual([...seen], ['1.29.0', '1.39.0'])
  assert.deepEqual(releases.problems(), [])
})

test('a file that is moved away and rewritten is never missing', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'news/a.md': news('Old'), 'news/b.md': news('Other') })
  const [file, backup] = [join(dir, 'news/a.md'), join(dir, 'news/.a.md~')]
  const seen = new Set<number>()
  const watching = setInterval(() => seen.add(releases.news(BASE).news.length), 5)
  t.after(() => clearInterval(watching))
  renameSync(file, backup)
  await setTimeout(150)
  writeFileSync(file, news('New'))
  rmSync(backup)
  await until(() => releases.news(BASE).news.some(({ title }) => title === 'New'))
  await setTimeout(10)
  assert.deepEqual([...seen], [2])
})
