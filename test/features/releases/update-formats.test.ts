import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { assets, BASE, openTestReleases, record, releasesYaml, writeFiles } from '../../kit/releases.ts'

const client = 'someone'
const SHA512 = 'cd'.repeat(64)
const launcher = (...records: string[]) => ({ 'releases.yaml': releasesYaml({ launcher: records }) })
const installable = { signature: 'untrusted comment: x\nRWQ=', sha512: SHA512, notes: 'A: "b"\n- c', bytes: 5 }

test('a Tauri update has the documented fields, and is undefined if nothing is newer', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.0.0'), record('1.1.0', installable)))
  assert.deepEqual(releases.tauri(BASE, { client, current: '1.0.0' }), {
    version: '1.1.0',
    pub_date: '2026-01-01T00:00:00.000Z',
    url: `${BASE}/download/launcher/1.1.0/1.1.0.exe`,
    signature: installable.signature,
    notes: installable.notes,
  })
  assert.equal(releases.tauri(BASE, { client })?.version, '1.1.0')
  assert.equal(releases.tauri(BASE, { client, current: '1.1.0' }), undefined)
  assert.equal(releases.tauri(BASE, { client, current: '2.0.0' }), undefined)
})

test('Tauri is never offered a release without a signature', async (t) => {
  const { releases } = await openTestReleases(t, launcher(record('1.1.0', installable), record('1.2.0')))
  assert.equal(releases.tauri(BASE, { client, current: '1.0.0' })?.version, '1.1.0')
  assert.equal(releases.tauri(BASE, { client, current: '1.1.0' }), undefined)
})

test('latest.yml has the fields of electron-builder, with SHA-512 in Base64', async (t) => {
  const files = launcher(record('1.1.0', { ...installable, file: 'my setup.exe' }), record('1.2.0'))
  const { releases } = await openTestReleases(t, { ...files, 'files/my setup.exe': '12345' })
  const text = releases.electron(BASE, client) ?? ''
  const sha512 = Buffer.from(SHA512, 'hex').toString('base64')
  const url = `${BASE}/download/launcher/1.1.0/my%20setup.exe`
  // electron-updater reads YAML 1.1, in which a bare date is no text.
  assert.deepEqual(parse(text, { version: '1.1' }), {
    version: '1.1.0',
    files: [{ url, sha512, size: 5 }],
    path: url,
    sha512,
    releaseName: '1.1.0',
    releaseNotes: installable.notes,
    releaseDate: '2026-01-01T00:00:00.000Z',
  })
})

test('electron-updater on macOS is offered zip files only: it fails if the only file with "arm64" in its name is a dmg', async (t) => {
  const names = ['a-universal-mac.zip', 'a-arm64.dmg']
  const list = assets('1.0.0', ...names.map((name) => ({ name, sha512: SHA512 })))
  const { releases } = await openTestReleases(t, launcher(list))
  const { files } = parse(releases.electron(BASE, client, 'latest-mac.yml') ?? '')
  assert.deepEqual(
    files.map(({ url }: { url: string }) => url.split('/').at(-1)),
    ['a-universal-mac.zip'],
  )
})

test('update formats respect channel and rollout', async (t) => {
  const beta = record('2.0.0-beta.1', installable)
  const { dir, releases } = await openTestReleases(t, launcher(record('1.0.0', installable), beta))
  assert.equal(releases.tauri(BASE, { client })?.version, '1.0.0')
  assert.equal(releases.tauri(BASE, { client, channel: 'beta' })?.version, '2.0.0-beta.1')
  assert.match(releases.electron(BASE, client, 'beta.yml') ?? '', /^version: "2\.0\.0-beta\.1"$/m)
  await writeFiles(dir, launcher(record('1.0.0', installable), record('1.1.0', { ...installable, rollout: 50 })))
  await releases.reload()
  assert.deepEqual([releases.isStaged('launcher'), releases.isStaged('reshade')], [true, false])
  const offered = (name: string) => [
    releases.updates(BASE, { client: name }).latest,
    releases.version(BASE, 'launcher', { client: name }).version,
    releases.resolveDownload('launcher', { client: name }).version,
    releases.tauri(BASE, { client: name })?.version,
    parse(releases.electron(BASE, name) ?? '').version,
  ]
  const answers = Array.from({ length: 40 }, (_, n) => offered(`client-${n}`))
  for (const answer of answers) assert.equal(new Set(answer).size, 1, `one answer to one client: ${answer}`)
  assert.deepEqual([...new Set(answers.map(([latest]) => latest))].sort(), ['1.0.0', '1.1.0'])
})

test('the download path ends with the file name', async (t) => {
  const url = 'https://cdn.example/v1/My%20Setup.exe?x=1'
  const { releases } = await openTestReleases(t, launcher(record('1.0.0', { ...installable, url })))
  assert.match(releases.electron(BASE, client) ?? '', /\/download\/launcher\/1\.0\.0\/My%20Setup\.exe"/)
  const { name, version } = releases.resolveDownload('launcher', { client })
  assert.deepEqual([name, version], ['My Setup.exe', '1.0.0'])
})

test('a URL without a valid file name gets a name', async (t) => {
  const named = async (url: string) => {
    const { releases } = await openTestReleases(t, launcher(record('1.0.0', { url })))
    return releases.resolveDownload('launcher', { client }).name
  }
  assert.equal(await named('https://cdn.example/'), 'download')
  assert.equal(await named('https://cdn.example/100%.exe'), '100%.exe')
})
