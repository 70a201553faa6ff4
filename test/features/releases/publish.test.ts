import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OperatorError } from '../../../src/errors/index.ts'
import {
  type AssetSource,
  listReleases,
  publishRelease,
  publishResources,
  type ReleaseOptions,
  rollOutRelease,
  setNotes,
  withdrawVersion,
} from '../../../src/features/releases/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import {
  BASE,
  openTestReleases,
  record,
  releasesYaml,
  SHA256,
  SIGNATURE,
  tauriSignature,
  writeFiles,
} from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const client = 'someone'
const byUrl = { url: 'https://cdn.example/a.exe', bytes: 5, sha256: SHA256 }
const refusal = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OperatorError, String(error))
  assert.match(error.message, message)
  return true
}

/** Options of a release, and of its only file. */
type Options = Partial<ReleaseOptions> & AssetSource

async function folderWith(t: TestContext, files: Record<string, string> = {}) {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, files)
  const publish = (version: string, options: Options = byUrl) => {
    const { url, file, bytes, sha256, fetch, signature, ...rest } = options
    const asset = { url, file, bytes, sha256, fetch, signature }
    return publishRelease({ dir, application: 'launcher', version, assets: [asset], ...rest })
  }
  const text = () => readFile(join(dir, 'releases.yaml'), 'utf8')
  return { dir, publish, text }
}

test('a published file is hashed, copied and live within two seconds', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  const bytes = Buffer.alloc(3_000_000, 'setup')
  const file = join(await temporaryFolder(t), 'My Setup.EXE')
  await writeFile(file, bytes)
  const steps: [number, number | undefined][] = []
  const onProgress = (done: number, total: number | undefined) => steps.push([done, total])
  const options = { assets: [{ file, signature: SIGNATURE, onProgress }], notes: 'New:\n- a', rollout: 100 }
  await publishRelease({ dir, application: 'launcher', version: '2.1.0', ...options })
  await until(() => releases.updates(BASE, { client }).latest === '2.1.0', 2000)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  assert.deepEqual(
    [releases.version(BASE, 'launcher', { client }).sha256, releases.version(BASE, 'launcher', { client }).size],
    [sha256, '3.0 MB'],
  )
  const download = releases.resolveDownload('launcher', { client })
  assert.ok(download.kind === 'file')
  assert.deepEqual([download.name, await readFile(download.path)], ['launcher-2.1.0.exe', bytes])
  const sha512 = createHash('sha512').update(bytes).digest('base64')
  assert.ok(releases.electron(BASE, client)?.includes(sha512))
  assert.equal(releases.tauri(BASE, { client })?.notes, 'New:\n- a')
  assert.ok(steps.length > 1 && steps.every(([, total]) => total === bytes.length))
  assert.equal(steps.at(-1)?.[0], bytes.length)
  assert.deepEqual(releases.problems(), [])
  assert.deepEqual(await readdir(join(dir, 'files')), ['launcher-2.1.0.exe'])
})

test('comments and order of the file are preserved', async (t) => {
  const before = `# Ours\n\nreshade: [] # none yet\nlauncher:\n  # The first one\n  - ${record('1.0.0')} # old\n# The end\n`
  const { publish, text } = await folderWith(t, { 'releases.yaml': before })
  await publish('1.1.0')
  const after = await text()
  for (const comment of ['# Ours', '# none yet', '# The first one', '# old', '# The end'])
    assert.ok(after.includes(comment))
  assert.ok(after.indexOf('reshade') < after.indexOf('launcher'))
  assert.ok(
    after.indexOf('# The first one') < after.indexOf('1.0.0') && after.indexOf('1.0.0') < after.indexOf('1.1.0'),
  )
})

const mistakes: [what: string, version: string, options: Options, message: RegExp][] = [
  [
    'another file for a published version',
    '1.0.0',
    { ...byUrl, sha256: 'cd'.repeat(32) },
    /1\.0\.0 is already published for windows, any, nsis; publish with replace/,
  ],
  ['a version older than the latest', '0.9.0', byUrl, /older than launcher 1\.0\.0/],
  ['a beta older than the latest', '1.0.0-beta.1', byUrl, /older than launcher 1\.0\.0/],
  ['an invalid version', 'v2', byUrl, /one to four numbers/],
  ['an equal version', '1', byUrl, /launcher 1 is already published as 1\.0\.0/],
  ['a folder instead of a file', '2.0.0', { file: '/' }, /regular file/],
  ['both a file and a URL', '2.0.0', { ...byUrl, file: '/setup.exe' }, /either a path or a URL/],
  ['neither a file nor a URL', '2.0.0', {}, /either a path or a URL/],
  ['a URL of another protocol', '2.0.0', { ...byUrl, url: 'ftp://cdn.example/a' }, /http or https/],
  ['a text that is no URL', '2.0.0', { ...byUrl, url: 'cdn.example/a' }, /an absolute http or https URL/],
  ['a URL without its size', '2.0.0', { url: 'https://cdn.example/a' }, /size in bytes and its SHA-256/],
  ['a URL of 0 bytes', '2.0.0', { ...byUrl, bytes: 0 }, /more than 0 bytes/],
  ['Markdown instead of a signature', '2.0.0', { ...byUrl, signature: '# New' }, /that Tauri’s bundler wrote/],
  ['a bare minisign signature', '2.0.0', { ...byUrl, signature: 'untrusted comment: x\nRWQ=' }, /\.sig file/],
  ['other text in Base64', '2.0.0', { ...byUrl, signature: btoa('trusted') }, /\.sig file/],
  ['a time without a time zone', '2.0.0', { ...byUrl, at: '2026-12-01T10:00' }, /must end with a time zone/],
  ['an invalid digest', '2.0.0', { ...byUrl, sha256: 'xyz' }, /64 hexadecimal digits/],
  ['a rollout of -1', '2.0.0', { ...byUrl, rollout: -1 }, /from 0 to 100/],
  ['a rollout of 101', '2.0.0', { ...byUrl, rollout: 101 }, /from 0 to 100/],
  ['half a percent', '2.0.0', { ...byUrl, rollout: 0.5 }, /from 0 to 100/],
  ['a minimum above the version', '2.0.0', { ...byUrl, minimum: '2.0.0.1' }, /must not be above the version 2\.0\.0/],
  ['an invalid minimum', '2.0.0', { ...byUrl, minimum: '02' }, /The minimum must be one to four numbers/],
  ['no file at all', '2.0.0', { assets: [] }, /at least one file or URL/],
  [
    'a platform of one letter',
    '2.0.0',
    { assets: [{ ...byUrl, platform: 'w' as never }] },
    /windows, macos, linux, any/,
  ],
  ['an unknown kind', '2.0.0', { assets: [{ ...byUrl, kind: 'x' as never }] }, /The kind must be one of nsis, msi/],
  [
    'two files for one platform',
    '2.0.0',
    { assets: [byUrl, { ...byUrl, url: 'https://b.example/b.exe' }] },
    /Two files are for windows, any, nsis/,
  ],
  ['other notes for a published version', '1.0.0', { ...byUrl, notes: 'x' }, /already published with other notes/],
  ['a day that does not exist', '2.0.0', { ...byUrl, at: '2026-02-30' }, /date that exists/],
]
for (const [what, version, options, message] of mistakes) {
  test(`${what} is refused with the reason, and nothing changes`, async (t) => {
    const { dir, publish, text } = await folderWith(t)
    await publish('1.0.0')
    const before = await text()
    await assert.rejects(publish(version, options), refusal(message))
    assert.equal(await text(), before)
    assert.deepEqual(await readdir(dir), ['.publishing', 'releases.yaml'])
  })
}

test('publishing the same file again changes nothing', async (t) => {
  const { publish, text } = await folderWith(t)
  const ramp = { steps: [10, 100], every: '1h' }
  await publish('1.0.0', { ...byUrl, ramp })
  const before = await text()
  const again = await publish('1.0.0', { ...byUrl, ramp })
  assert.deepEqual([again.diff, again.assets, await text()], ['', [], before])
  await assert.rejects(publish('1.0.0', { ...byUrl, ramp: { ...ramp, every: '2h' } }), refusal(/already published/))
})

test('an older version can be forced, and a stable version may be older than a beta', async (t) => {
  const { dir, publish } = await folderWith(t)
  await publish('2.0.0-beta.1')
  await publish('1.0.0')
  await publish('0.9.0', { ...byUrl, force: true })
  const listed = await listReleases(dir)
  assert.deepEqual(
    listed.map(({ version, beta }) => [version, beta]),
    [
      ...[
        ['2.0.0-beta.1', true],
        ['1.0.0', false],
        ['0.9.0', false],
      ],
    ],
  )
})

test('an invalid file is not changed', async (t) => {
  const { publish, text } = await folderWith(t, { 'releases.yaml': 'launcher: []\nlauncher: []\n' })
  await assert.rejects(publish('1.0.0'), refusal(/Fix releases\.yaml first, line 2: /))
  assert.equal(await text(), 'launcher: []\nlauncher: []\n')
})

test('a folder that cannot be written is reported with the reason', async (t) => {
  const { dir } = await folderWith(t, { file: '' })
  const inFile = join(dir, 'file', 'app')
  const published = publishRelease({ dir: inFile, application: 'launcher', version: '1.0.0', assets: [byUrl] })
  await assert.rejects(published, refusal(/EEXIST/))
})

test('a file never becomes larger than the service accepts', async (t) => {
  const comment = '#'.padEnd(16 * 1024 * 1024 - 100, 'x')
  const { publish } = await folderWith(t, { 'releases.yaml': `${comment}\nlauncher: []\n` })
  await assert.rejects(publish('1.0.0'), refusal(/must not be larger than/))
})

test('copies of killed publishers are removed, current copies are not', async (t) => {
  const { dir, publish } = await folderWith(t, {
    '.incoming/old': 'x',
    '.incoming/edits/a': 'x',
    '.incoming/fresh': 'x',
  })
  const longAgo = new Date(Date.now() - 25 * 60 * 60_000)
  for (const name of ['old', 'edits']) await utimes(join(dir, '.incoming', name), longAgo, longAgo)
  const file = join(await temporaryFolder(t), 'setup')
  await writeFile(file, 'abc')
  await publish('1.0.0', { file })
  assert.deepEqual(await readdir(join(dir, '.incoming')), ['fresh'])
  assert.deepEqual(await readdir(join(dir, 'files')), ['launcher-1.0.0'])
})

test('a dry run shows what would change and changes nothing', async (t) => {
  const { dir, publish } = await folderWith(t)
  const file = join(await temporaryFolder(t), 'setup.exe')
  await writeFile(file, 'abc')
  const { diff, assets } = await publish('1.0.0', { file, dryRun: true })
  assert.match(diff, /^\+ +- version: 1\.0\.0$/m)
  assert.match(diff, /^\+ +file: launcher-1\.0\.0\.exe$/m)
  assert.equal(assets[0]?.bytes, 3)
  assert.deepEqual(await readdir(dir), [])
  await assert.rejects(publish('x', { file, dryRun: true }), OperatorError)
})

test('a ramp starts now if the date of the release is earlier', async (t) => {
  const { dir, publish } = await folderWith(t)
  await publish('1.0.0', { ...byUrl, at: '2020-01-01', ramp: { steps: [10, 100], every: '1h' } })
  const [release] = await listReleases(dir)
  assert.deepEqual([release?.date, release?.rollout], ['2020-01-01T00:00:00.000Z', 10])
})

test('a release can be scheduled, rolled out further and withdrawn', async (t) => {
  const { dir, publish } = await folderWith(t)
  await publish('1.0.0', { ...byUrl, rollout: 25 })
  await publish('1.1.0', { ...byUrl, at: '2099-12-01T10:00Z' })
  const states = async () => (await listReleases(dir)).map(({ version, state }) => `${version} ${state}`)
  assert.deepEqual(await states(), ['1.1.0 scheduled', '1.0.0 rolling out'])
  const wanted = { dir, application: 'launcher', version: '1.0.0' } as const
  assert.match((await rollOutRelease({ ...wanted, rollout: 100 })).diff, /-.*rollout: 25\n\+.*rollout: 100/)
  assert.deepEqual(await states(), ['1.1.0 scheduled', '1.0.0 public'])
  await withdrawVersion({ ...wanted, dryRun: true })
  await withdrawVersion(wanted)
  assert.deepEqual(await states(), ['1.1.0 scheduled', '1.0.0 withdrawn'])
  await assert.rejects(withdrawVersion(wanted), refusal(/already withdrawn/))
  await assert.rejects(withdrawVersion({ ...wanted, version: '9.9.9' }), refusal(/no release launcher 9\.9\.9/))
  await assert.rejects(publish('0.5.0'), refusal(/older than launcher 1\.1\.0/))
})

test('a URL without digests is downloaded once to compute them', async (t) => {
  const { publish } = await folderWith(t)
  const fetch = async () => ({ body: new Blob(['hello']).stream(), bytes: 5 })
  const { assets } = await publish('1.0.0', { url: byUrl.url, fetch })
  const sha256 = createHash('sha256').update('hello').digest('hex')
  assert.deepEqual([assets[0]?.bytes, assets[0]?.sha256], [5, sha256])
  await assert.rejects(publish('1.0.1', { url: byUrl.url, fetch, sha256: SHA256 }), refusal(/instead of abab/))
  const broken = async () => Promise.reject(new Error('answered 404'))
  await assert.rejects(publish('1.1.0', { url: byUrl.url, fetch: broken }), refusal(/answered 404/))
})

test('resources are published like releases', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  const file = join(await temporaryFolder(t), 'pack.tar.gz')
  await writeFile(file, 'abc')
  await publishResources({ dir, version: '1.0.0', file })
  await assert.rejects(publishResources({ dir, version: '0.9.0', ...byUrl }), refusal(/older/))
  const text = await readFile(join(dir, 'resources.yaml'), 'utf8')
  const withCapitals = text.replace(/(?<=sha256: )\w+/, (digest) => digest.toUpperCase())
  await writeFile(join(dir, 'resources.yaml'), withCapitals)
  assert.deepEqual((await publishResources({ dir, version: '1.0.0', file })).repaired, [])
  await until(() => releases.revision() > 1 && releases.problems().length === 0)
  const { message, bytes, url } = releases.resources(BASE)
  assert.deepEqual([message, bytes, url], ['1.0.0', 3, `${BASE}/download/launcher/resources`])
  const download = releases.resolveResources()
  assert.ok(download.kind === 'file' && download.name === 'resources-1.0.0.tar.gz')
  await rm(join(dir, 'files', download.name))
  const onLock = () => Promise.reject(new Error('no lock'))
  await assert.rejects(publishResources({ dir, version: '1.0.0', file, onLock }), /no lock/)
  assert.deepEqual(await readdir(join(dir, '.incoming')), [], 'the copy that would repair the file is removed')
  await withdrawVersion({ dir, version: '1.0.0' })
  await assert.rejects(publishResources({ dir, version: '1.0.0', file }), refusal(/is withdrawn/))
})

test('notes of a language replace those under another spelling of its tag', async (t) => {
  const notes = { en: 'Hello', 'pt-br': 'Old' }
  const { dir } = await openTestReleases(t, {
    'releases.yaml': releasesYaml({ launcher: [record('1.0.0', { notes })] }),
  })
  await setNotes({ dir, application: 'launcher', version: '1.0.0', notes: 'New', lang: 'pt-BR' })
  assert.deepEqual((await listReleases(dir))[0]?.notesByLanguage, { en: 'Hello', 'pt-BR': 'New' })
})

test('a package of Velopack gets a SHA-1, which Velopack requires; other files do not', async (t) => {
  const { dir, publish } = await folderWith(t, { 'Demo-1.0.0-full.nupkg': 'a package', 'setup.exe': 'a program' })
  const [nupkg] = (await publish('1.0.0', { file: join(dir, 'Demo-1.0.0-full.nupkg') })).assets
  assert.equal(nupkg?.sha1, createHash('sha1').update('a package').digest('hex'))
  assert.equal(nupkg?.name, 'Demo-1.0.0-full.nupkg', 'Velopack looks for packages whose names end with -full.nupkg')
  const file = join(dir, 'Demo-1.0.0-full.nupkg')
  await writeFile(file, 'another package')
  const [replaced] = (await publish('1.0.0', { file, replace: true })).assets
  assert.match(replaced?.name ?? '', /^Demo-1\.0\.0-[0-9a-f]{6}-full\.nupkg$/)
  const [program] = (await publish('1.0.1', { file: join(dir, 'setup.exe') })).assets
  assert.equal(program?.sha1, undefined)
})

test('a signature of Tauri for another version is refused', async (t) => {
  const { publish } = await folderWith(t)
  await assert.rejects(
    publish('1.0.1', { ...byUrl, signature: tauriSignature('1.0.0') }),
    refusal(/is for version 1\.0\.0 instead of 1\.0\.1/),
  )
  await publish('1.0.0', { ...byUrl, signature: tauriSignature('v1.0.0') })
})

test('a file with an EdDSA signature is for Sparkle, and not offered to Tauri', async (t) => {
  const { dir, publish } = await folderWith(t)
  await publish('1.0.0', { ...byUrl, signature: Buffer.alloc(64, 1).toString('base64') })
  const { releases } = await openTestReleases(t, {
    'releases.yaml': await readFile(join(dir, 'releases.yaml'), 'utf8'),
  })
  assert.equal(releases.tauri(BASE, { client }), undefined)
  await assert.rejects(
    publish('1.0.1', { ...byUrl, signature: 'AAAA' }),
    refusal(/must be the content of a \.sig file.*or an EdDSA signature/),
  )
})
