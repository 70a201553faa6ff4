import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import {
  type AssetSource,
  listReleases,
  publishRelease,
  type ReleaseOptions,
} from '../../../src/features/releases/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { BASE, openTestReleases, record, releasesYaml, writeFiles } from '../../kit/releases.ts'

async function prepared(t: TestContext, files: Record<string, string> = {}) {
  const [dir, build] = [await temporaryFolder(t), await temporaryFolder(t)]
  await writeFiles(dir, files)
  /** Publishes files with these names, whose content is their name, or the given bytes. */
  const publish = async (
    version: string,
    names: readonly string[],
    options: Partial<ReleaseOptions> & { traits?: AssetSource; bytes?: Buffer } = {},
  ) => {
    const { traits, bytes, ...rest } = options
    for (const name of names) await writeFile(join(build, name), bytes ?? name)
    const assets = names.map((name) => ({ file: join(build, name), ...traits }))
    return publishRelease({ dir, application: 'launcher', version, assets, ...rest })
  }
  const listFiles = async () => (await readdir(join(dir, 'files')).catch(() => [])).sort()
  const listAssets = async () => (await listReleases(dir))[0]?.assets ?? []
  return { dir, publish, listFiles, listAssets, text: () => readFile(join(dir, 'releases.yaml'), 'utf8') }
}

test('one command publishes the files of every platform under names that tell what they are for', async (t) => {
  const { dir, publish, listFiles } = await prepared(t)
  const names = [
    'App Setup 2.1.0.exe',
    'App Setup 2.1.0.exe.blockmap',
    'App-2.1.0-arm64-setup.exe',
    'App-2.1.0-portable.exe',
  ]
  names.push('App-2.1.0-mac.zip', 'App-2.1.0-arm64-mac.zip', 'App-2.1.0-arm64-mac.zip.blockmap', 'App-2.1.0.dmg')
  names.push('App-2.1.0.AppImage', 'App-2.1.0-arm64.AppImage', 'app_2.1.0_amd64.deb', 'App-2.0.0-to-2.1.0.delta')
  const { assets } = await publish('2.1.0', names)
  assert.deepEqual(
    assets.map(({ name, platform, arch, kind }) => `${name}: ${platform} ${arch} ${kind}`),
    [
      'launcher-2.1.0.exe: windows any nsis',
      'launcher-2.1.0.exe.blockmap: windows any blockmap',
      'launcher-2.1.0-arm64.exe: windows arm64 nsis',
      'launcher-2.1.0-portable.exe: windows any portable',
      'launcher-2.1.0-macos.zip: macos any zip',
      'launcher-2.1.0-macos-arm64.zip: macos arm64 zip',
      'launcher-2.1.0-macos-arm64.zip.blockmap: macos arm64 blockmap',
      'launcher-2.1.0.dmg: macos any dmg',
      'launcher-2.1.0.AppImage: linux x64 appimage',
      'launcher-2.1.0-arm64.AppImage: linux arm64 appimage',
      'launcher-2.1.0.deb: linux x64 deb',
      'launcher-2.1.0-App-2.0.0-to-2.1.0.delta: any any delta',
    ],
  )
  assert.deepEqual(await listFiles(), assets.map(({ name }) => name).sort())
  for (const [index, { name, sha256, sha512 }] of assets.entries()) {
    const bytes = await readFile(join(dir, 'files', name))
    assert.equal(bytes.toString(), names[index])
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
    assert.equal(sha512, createHash('sha512').update(bytes).digest('hex'))
  }
})

test('files can be added to a published version, also to one with a single file of its own', async (t) => {
  const single = releasesYaml({ launcher: [`${record('1.0.0', { rollout: 50, sha1: 'a'.repeat(40) })} # ours`] })
  const { publish, listAssets, text } = await prepared(t, { 'releases.yaml': single })
  await publish('1.0.0', ['app.dmg'], { rollout: 50 })
  await publish('1.0.0', ['app.AppImage'])
  assert.deepEqual(
    (await listAssets()).map(({ name, platform }) => `${platform} ${name}`),
    ['windows 1.0.0.exe', 'macos launcher-1.0.0.dmg', 'linux launcher-1.0.0.AppImage'],
  )
  assert.match(await text(), /# ours/)
  assert.equal((await listAssets())[0]?.sha1, 'a'.repeat(40))
  await assert.rejects(
    publish('1.0.0', ['b.dmg']),
    /launcher 1\.0\.0 is already published for macos, any, dmg; publish with replace/,
  )
  await assert.rejects(publish('1.0.0', ['a.deb'], { rollout: 60 }), /already published with another rollout/)
})

test('a replaced file gets another name, so that no record ever describes other bytes', async (t) => {
  const { dir, publish, listAssets, listFiles } = await prepared(t)
  await publish('1.0.0', ['a.exe', 'a.dmg'])
  await publish('1.0.0', ['a.exe', 'a.exe.blockmap'], { replace: true, bytes: Buffer.from('new') })
  const [exe, dmg, blockmap, ...others] = await listAssets()
  assert.deepEqual([others, exe?.bytes, dmg?.name], [[], 3, 'launcher-1.0.0.dmg'])
  assert.match(exe?.name ?? '', /^launcher-1\.0\.0-[0-9a-f]{6}\.exe$/)
  // electron-updater finds a blockmap by the name of its file.
  assert.equal(blockmap?.name, `${exe?.name}.blockmap`)
  assert.deepEqual((await listFiles()).length, 4)
  // Clients that compare dates only must notice it.
  const [release] = await listReleases(dir)
  assert.ok((exe?.date ?? '') > (release?.date ?? ''))
  assert.deepEqual([dmg?.date, blockmap?.date], [undefined, undefined])
})

test('publishing the same file again changes nothing, but restores a lost file', async (t) => {
  const { dir, publish, listFiles, text } = await prepared(t)
  await publish('1.0.0', ['a.exe', 'a.dmg'])
  const [before, files] = [await text(), await listFiles()]
  assert.deepEqual((await publish('1.0.0', ['a.exe', 'a.dmg'])).diff, '')
  await rm(join(dir, 'files', 'launcher-1.0.0.exe'))
  const { diff, repaired } = await publish('1.0.0', ['a.exe', 'a.dmg'], { replace: true })
  assert.deepEqual([diff, repaired, await text(), await listFiles()], ['', ['launcher-1.0.0.exe'], before, files])
})

test('a file with another digest than expected is refused, and nothing is written', async (t) => {
  const { dir, publish, listFiles } = await prepared(t)
  await assert.rejects(
    publish('1.0.0', ['a.exe'], { traits: { sha256: 'ab'.repeat(32) } }),
    /a\.exe has the SHA-256 .* instead of abab/,
  )
  assert.deepEqual([await listFiles(), await listReleases(dir)], [[], []])
  assert.deepEqual(await readdir(join(dir, '.incoming')), [])
  const sha256 = createHash('sha256').update('a.exe').digest('hex').toUpperCase()
  await publish('1.0.0', ['a.exe'], { traits: { sha256 } })
})

test('stated platform, arch and kind replace the guess, also for the blockmap of the file', async (t) => {
  const { publish } = await prepared(t)
  const { assets } = await publish('7', ['tool.exe', 'tool.exe.blockmap'], {
    traits: { arch: 'arm64', kind: 'portable' },
  })
  assert.deepEqual(
    assets.map(({ name, platform, arch, kind }) => [name, platform, arch, kind]),
    [
      ['launcher-7-arm64-portable.exe', 'windows', 'arm64', 'portable'],
      ['launcher-7-arm64-portable.exe.blockmap', 'windows', 'arm64', 'blockmap'],
    ],
  )
})

test('the block map inside an AppImage is found', async (t) => {
  const { publish } = await prepared(t)
  const sizeOf = ({ length }: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(length)
    return size
  }
  const map = deflateRawSync(JSON.stringify({ version: '2', files: [] }))
  const size = sizeOf(map)
  const { assets } = await publish('1.0.0', ['a.AppImage'], { bytes: Buffer.concat([Buffer.alloc(999), map, size]) })
  assert.equal(assets[0]?.blockMapSize, map.length)
  const bomb = deflateRawSync(JSON.stringify(' '.repeat(2 ** 24)))
  for (const bytes of [
    Buffer.alloc(1),
    Buffer.alloc(1000),
    Buffer.alloc(1000, 1),
    Buffer.concat([Buffer.alloc(99), size]),
    // It would take gigabytes, if it were longer.
    Buffer.concat([bomb, sizeOf(bomb)]),
  ]) {
    const { assets } = await publish('1.1.0', ['a.AppImage'], { bytes, dryRun: true })
    assert.equal(assets[0]?.blockMapSize, undefined)
  }
})

test('versions of one and four numbers are written as text', async (t) => {
  const { dir, publish, text } = await prepared(t)
  await publish('7', ['a.exe'], { minimum: '6.9' })
  await publish('8.7.3.1', ['a.exe'], { minimum: '8' })
  assert.match(await text(), /version: "7"\n[\s\S]*version: 8\.7\.3\.1\n/)
  assert.deepEqual(
    (await listReleases(dir)).map(({ version, minimum }) => [version, minimum]),
    [
      ['8.7.3.1', '8'],
      ['7', '6.9'],
    ],
  )
  await assert.rejects(publish('7.0', ['a.dmg']), /launcher 7\.0 is already published as 7\./)
})

test('the published files are offered to their platforms', async (t) => {
  const { dir, publish } = await prepared(t)
  await publish('1.0.0', ['a.exe', 'a.dmg'])
  const { releases } = await openTestReleases(t, {
    'releases.yaml': await readFile(join(dir, 'releases.yaml'), 'utf8'),
    'files/launcher-1.0.0.exe': 'a.exe',
    'files/launcher-1.0.0.dmg': 'a.dmg',
  })
  for (const [platform, name] of [
    ['windows', 'launcher-1.0.0.exe'],
    ['macos', 'launcher-1.0.0.dmg'],
  ] as const) {
    assert.equal(releases.resolveDownload('launcher', { client: '', platform }).name, name)
  }
  assert.equal(releases.updates(BASE, { client: '', platform: 'linux' }).latest, null)
})
