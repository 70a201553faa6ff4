import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { appendFile, chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { verifyFiles } from '../../../src/features/releases/index.ts'
import { assets, BASE, news, openTestReleases, record, releasesYaml, SHA256, writeFiles } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const client = 'someone'

/** The problems of a folder with this releases.yaml. */
async function problemsOf(t: TestContext, text: string) {
  const { releases } = await openTestReleases(t, { 'releases.yaml': text })
  assert.deepEqual(releases.updates(BASE, { client }).updates, [])
  return releases.problems()
}

const doubling = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)
const nestedAliases = `a0: &a0 [x, x]\n${doubling.join('')}`
const good = record('1.0.0')
const launcher = (...records: string[]) => releasesYaml({ launcher: records })

const mistakes: [what: string, text: string, line: number, rule: string][] = [
  ['a repeated key', 'launcher: []\nreshade: []\nlauncher: []\n', 3, 'duplicate-key'],
  ['nested aliases', nestedAliases, 1, 'alias'],
  ['a single alias', 'launcher: &a []\nreshade: *a\n', 1, 'alias'],
  ['broken YAML', 'launcher: [\n', 2, 'yaml'],
  ['two documents', 'launcher: []\n---\nreshade: []\n', 2, 'yaml'],
  ['a tag that creates objects', 'launcher: !!js/function x\n', 1, 'yaml'],
  ['a list instead of a map', '- a\n', 1, 'type'],
  ['a number as version', launcher(good, record('x', { version: 2 })), 3, 'type'],
  ['an invalid version', launcher(record('1.0.0.0.1')), 2, 'version'],
  ['a version that starts with v', launcher(record('v1.0.0')), 2, 'version'],
  ['a date after the year 9999', launcher(record('1.0.0', { date: '9999-12-31T23:30:00-01:00' })), 2, 'date'],
  ['the 30th of February', launcher(record('1.0.0', { date: '2026-02-30' })), 2, 'date'],
  ['the 29th of February of 2026', launcher(record('1.0.0', { date: '2026-02-29T00:00:00Z' })), 2, 'date'],
  ['the hour 25', launcher(record('1.0.0', { date: '2026-02-01T25:00:00Z' })), 2, 'date'],
  ['a time without a time zone', launcher(record('1.0.0', { date: '2026-02-01T10:00:00' })), 2, 'date'],
  ['a rollout of -1', launcher(record('1.0.0', { rollout: -1 })), 2, 'minimum'],
  ['a rollout of 101', launcher(record('1.0.0', { rollout: 101 })), 2, 'maximum'],
  ['negative bytes', launcher(record('1.0.0', { bytes: -1 })), 2, 'minimum'],
  ['a short digest', launcher(record('1.0.0', { sha256: 'ab' })), 2, 'sha256'],
  ['a javascript: URL', launcher(record('1.0.0', { url: 'javascript:alert(1)' })), 2, 'url'],
  ['a URL with a password', launcher(record('1.0.0', { url: 'https://a:b@cdn.example/' })), 2, 'url'],
  ['a file outside of files/', launcher(record('1.0.0', { file: '../releases.yaml' })), 2, 'file'],
  ['file and url', launcher(record('1.0.0', { file: 'a', url: 'https://cdn.example/' })), 2, 'entry'],
  ['neither file nor url', launcher(record('1.0.0', { file: undefined })), 2, 'entry'],
  ['an unknown field', launcher(good, record('1.0.1', { rolout: 25 })), 3, 'unknown-field'],
  ['an unknown application', 'launcher: []\nlaucher: []\n', 2, 'unknown-field'],
  ['a repeated version', launcher(good, record('1.0.1'), good), 4, 'version-once'],
  ['two texts of one version', launcher(record('1.2'), record('1.2.0')), 3, 'version-once'],
  ['a minimum above the release', launcher(record('1.0.0', { minimum: '1.0.0.1' })), 2, 'minimum'],
  ['an invalid minimum', launcher(record('1.0.0', { minimum: '01.0' })), 2, 'minimum'],
  ['a platform of one letter', launcher(assets('1.0.0', { platform: 'w' })), 2, 'enum'],
  ['an unknown arch', launcher(assets('1.0.0', { arch: 'sparc' })), 2, 'enum'],
  ['an unknown kind', launcher(assets('1.0.0', { kind: 'floppy' })), 2, 'enum'],
  ['two assets of one platform, arch and kind', launcher(assets('1.0.0', {}, { name: 'b.exe' })), 2, 'asset-once'],
  ['two assets of one name', launcher(assets('1.0.0', { arch: 'x64' }, { arch: 'arm64' })), 2, 'asset-once'],
  ['no assets', launcher(assets('1.0.0')), 2, 'minItems'],
  ['assets and a file', launcher(assets('1.0.0', {}).replace('{', '{"file":"a",')), 2, 'entry'],
  ['assets and a digest', launcher(assets('1.0.0', {}).replace('{', `{"sha256":"${SHA256}",`)), 2, 'unknown-field'],
  ['no digest', launcher(JSON.stringify({ version: '1.0.0', date: '2026-01-01', file: 'a', bytes: 1 })), 2, 'required'],
]
for (const [what, text, line, rule] of mistakes) {
  test(`${what} in releases.yaml is reported with file, line and rule`, async (t) => {
    const [problem] = await problemsOf(t, text)
    assert.deepEqual(
      [problem?.file, problem?.line, problem?.rule],
      ['releases.yaml', line, rule],
      problem?.message ?? 'no problem',
    )
  })
}

test('checks that are requested before the next one begins are one', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'news/a.md': news('A') })
  const first = releases.reload()
  assert.equal(releases.reload(), first)
  await first
  await writeFiles(dir, { 'news/b.md': news('B') })
  assert.notEqual(releases.reload(), first)
  await releases.reload()
  assert.equal(releases.news('').news.length, 2)
})

test('deep nesting is refused, and the other files are still read', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'news/a.md': news('A') })
  for (const depth of [500, 6000, 100_000]) {
    const nested = `launcher: ${'['.repeat(depth)}${']'.repeat(depth)}\n`
    await writeFiles(dir, { 'releases.yaml': nested, 'news/a.md': news(`Depth ${depth}`) })
    await releases.reload()
    assert.equal(releases.problems()[0]?.file, 'releases.yaml', `${depth} levels`)
    assert.equal(releases.news(BASE).news[0]?.title, `Depth ${depth}`)
  }
})

test('a file of 50 MB is refused, and the last good value is served', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': launcher(good) })
  await truncate(join(dir, 'releases.yaml'), 50 * 1024 * 1024)
  await releases.reload()
  assert.equal(releases.problems()[0]?.rule, 'size')
  assert.equal(releases.updates(BASE, { client }).latest, '1.0.0')
})

test('a file that is not UTF-8 or not a file is refused', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  await writeFile(join(dir, 'releases.yaml'), Buffer.from([0x61, 0x3a, 0xff]))
  await mkdir(join(dir, 'tiers.yaml'))
  await releases.reload()
  assert.deepEqual(
    releases.problems().map(({ file, rule }) => `${file} ${rule}`),
    ['releases.yaml utf-8', 'tiers.yaml readable'],
  )
})

test('a link to nowhere and a name that is not UTF-8 are reported among the news, and what a link led to is still served', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'linked.md': news('Linked'), 'news/a.md': news('A') })
  await symlink('../linked.md', join(dir, 'news/b.md'))
  const titles = () => releases.news(BASE).news.map(({ title }) => title)
  await until(() => titles().length === 2)
  await rm(join(dir, 'linked.md'))
  await writeFile(
    Buffer.concat([Buffer.from(join(dir, 'news/caf')), Buffer.from([0xe9]), Buffer.from('.md')]),
    news('C'),
  )
  await until(() => releases.problems().length === 2)
  assert.deepEqual(
    releases.problems().map(({ file, rule }) => `${file} ${rule}`),
    ['news/b.md readable', 'news/caf\ufffd.md readable'],
  )
  assert.deepEqual(titles().sort(), ['A', 'Linked'])
  await rm(join(dir, 'news/b.md'))
  await until(() => titles().length === 1)
})

test('a bad edit changes nothing that is served, and other files are still updated', async (t) => {
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': launcher(good), 'news/a.md': news('Old') })
  const before = releases.updates(BASE, { client })
  await writeFiles(dir, { 'releases.yaml': 'launcher: nonsense\n', 'news/a.md': news('New') })
  await until(() => releases.problems().length > 0 && releases.news(BASE).news[0]?.title === 'New')
  assert.deepEqual(releases.updates(BASE, { client }), before)
  await writeFiles(dir, { 'releases.yaml': launcher(good, record('1.1.0')) })
  await until(() => releases.problems().length === 0)
  assert.equal(releases.updates(BASE, { client }).latest, '1.1.0')
})

test('a published file that is removed or changes its size is reported, not offered and not served', async (t) => {
  const files = { 'files/a.exe': 'abc', 'files/b.exe': 'abc' }
  const published = { bytes: 3, sha256: hash('sha256', 'abc') }
  const records = [
    record('1.0.0', { file: 'a.exe', ...published }),
    record('2.0.0', { file: 'b.exe', ...published }),
    record('0.9.0', { url: 'https://cdn.example/old.exe' }),
  ]
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': launcher(...records), ...files })
  const wanted = { client, version: '1.0.0' }
  assert.deepEqual(releases.resolveDownload('launcher', wanted), {
    kind: 'file',
    isCounted: true,
    version: '1.0.0',
    path: join(dir, 'files/a.exe'),
    name: 'a.exe',
    bytes: 3,
    sha256: published.sha256,
    modifiedAt: '2026-01-01T00:00:00.000Z',
  })
  await rm(join(dir, 'files/a.exe'))
  await appendFile(join(dir, 'files/b.exe'), 'd')
  await until(() => releases.problems().length === 2)
  assert.deepEqual(
    releases.problems().map(({ file, rule }) => `${file} ${rule}`),
    ['files/b.exe file-gone', 'files/a.exe file-gone'],
  )
  assert.throws(() => releases.resolveDownload('launcher', wanted), { code: 'FILE_GONE', status: 404 })
  assert.throws(() => releases.resolveDownload('launcher', { client, version: '2.0.0' }), { code: 'FILE_GONE' })
  const listOffered = () => releases.updates(BASE, { client }).updates.map(({ version }) => version)
  assert.deepEqual(listOffered(), ['0.9.0'])
  assert.equal(releases.resolveDownload('launcher', { client }).version, '0.9.0')
  await writeFiles(dir, files)
  await until(() => releases.problems().length === 0)
  assert.deepEqual(listOffered(), ['2.0.0', '1.0.0', '0.9.0'])
  assert.equal(releases.resolveDownload('launcher', { client }).version, '2.0.0')
})

test('a published file that the user of the service cannot read is reported, and not offered', async (t) => {
  const file = record('2.0.0', { file: 'a.exe', bytes: 3, sha256: hash('sha256', 'abc') })
  const records = launcher(file, record('1.0.0', { url: 'https://cdn.example/old.exe' }))
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': records, 'files/a.exe': 'abc' })
  await chmod(dir, 0o755)
  const user = process.geteuid?.() ?? 0
  chmodSync(join(dir, 'files/a.exe'), 0)
  // Root may read everything.
  if (user === 0) process.seteuid?.(65_534)
  try {
    await until(() => releases.problems().some(({ message }) => message.includes('is not readable for the user')))
  } finally {
    process.seteuid?.(user)
  }
  assert.equal(releases.resolveDownload('launcher', { client }).version, '1.0.0')
  // Root can read it again without another state, as when the permission of a network disk is back.
  if (user !== 0) await chmod(join(dir, 'files/a.exe'), 0o644)
  await until(() => releases.problems().length === 0)
  assert.equal(releases.resolveDownload('launcher', { client }).version, '2.0.0')
})

test('a link that points outside files/ is not served', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  const { symlink } = await import('node:fs/promises')
  await writeFiles(dir, { secret: 'abc', 'files/x': '' })
  await symlink('../secret', join(dir, 'files/leak'))
  await writeFiles(dir, { 'releases.yaml': launcher(record('1.0.0', { file: 'leak', bytes: 3 })) })
  await releases.reload()
  assert.throws(() => releases.resolveDownload('launcher', { client, version: '1.0.0' }), { code: 'FILE_GONE' })
})

test('a problem with the file of a scheduled release does not name it, except in a check of the operator', async (t) => {
  const secret = record('9.0.0', { date: '2999-01-01', file: 'app-9.0.0.exe', bytes: 3 })
  const { dir, releases } = await openTestReleases(t, { 'releases.yaml': launcher(secret) })
  const [problem] = releases.problems()
  assert.equal(problem?.rule, 'file-gone')
  assert.doesNotMatch(JSON.stringify(releases.problems()), /9\.0\.0/)
  const { problems } = await verifyFiles(dir, releases.catalogue())
  assert.match(JSON.stringify(problems), /files\/app-9\.0\.0\.exe/)
})
