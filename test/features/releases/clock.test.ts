import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE, news, openTestReleases, record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const client = 'someone'
const files = {
  'releases.yaml': releasesYaml({
    launcher: [record('1.0.0'), record('2.0.0', { date: '2026-12-01T12:00:00+02:00' })],
  }),
  'resources.yaml': releasesYaml({ resources: [record('1.0.0'), record('1.1.0', { date: '2026-12-01T10:00Z' })] }),
  'news/a.md': news('Now'),
  'news/b.md': news('Later', '2026-12-01T10:00:00Z'),
}

test('scheduled content appears at its time, and disappears when the clock is set back', async (t) => {
  let now = Date.parse('2026-12-01T09:59:59.900Z')
  const { releases } = await openTestReleases(t, files, () => now)
  const visible = () => [
    releases.updates(BASE, { client }).latest,
    releases.resources(BASE).message,
    releases
      .news(BASE)
      .news.map(({ title }) => title)
      .join(),
  ]
  assert.deepEqual(visible(), ['1.0.0', '1.0.0', 'Now'])
  assert.throws(() => releases.resolveDownload('launcher', { client, version: '2.0.0' }), { code: 'NOT_PUBLISHED' })
  const revision = releases.revision()
  now = Date.parse('2026-12-01T10:00:00Z')
  await until(() => releases.revision() > revision)
  assert.deepEqual(visible(), ['2.0.0', '1.1.0', 'Later,Now'])
  now = Date.parse('2026-11-01T00:00:00Z')
  await until(() => releases.updates(BASE, { client }).latest === '1.0.0')
})

test('a good edit is live within two seconds', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  await writeFiles(dir, { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }), 'news/x.md': news('Hello') })
  await until(() => releases.updates(BASE, { client }).latest === '1.0.0', 2000)
  await until(() => releases.news(BASE).news.length === 1, 2000)
  await writeFiles(dir, { 'releases.yaml': releasesYaml({ launcher: [record('1.0.1')] }) })
  await until(() => releases.updates(BASE, { client }).latest === '1.0.1', 2000)
})
