import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { publishRelease } from '../../../../src/features/releases/index.ts'
import { APP, startApp } from '../../../kit/app.ts'
import { runElectronUpdater } from '../../../kit/electron-updater.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { forSuite } from '../../../kit/scope.ts'

const BLOCK = 16 * 1024
const BLOCKS = 64

/** The block map of electron-builder: the digest and size of each block. */
function createBlockMap(bytes: Buffer): string {
  const blocks = Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, n) =>
    bytes.subarray(n * BLOCK, (n + 1) * BLOCK),
  )
  const checksums = blocks.map((block) => createHash('sha256').update(block).digest('base64').slice(0, 24))
  const sizes = blocks.map(({ length }) => length)
  return JSON.stringify({ version: '2', files: [{ name: 'file', offset: 0, checksums, sizes }] })
}

/** electron-builder appends the block map to an AppImage. */
function withBlockMap(bytes: Buffer): Buffer {
  const map = deflateRawSync(createBlockMap(bytes))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(map.length)
  return Buffer.concat([bytes, map, size])
}

const names = [
  'App-Setup.exe',
  'App-arm64-Setup.exe',
  'App-mac.zip',
  'App-arm64-mac.zip',
  'App.dmg',
  'App.AppImage',
  'App-arm64.AppImage',
]

/** Two versions of each file, which differ in three separate blocks. */
function createVersions() {
  return names.map((name) => {
    const old = randomBytes(BLOCK * BLOCKS)
    const changed = Buffer.from(old)
    for (const block of [3, 20, 41]) randomBytes(BLOCK).copy(changed, block * BLOCK)
    return { name, versions: [old, changed].map((bytes) => (name.endsWith('.AppImage') ? withBlockMap(bytes) : bytes)) }
  })
}

const open = forSuite(async (t) => {
  const [contentDir, build] = [await temporaryFolder(t), await temporaryFolder(t)]
  const release = { dir: join(contentDir, 'app'), application: 'launcher', force: true } as const
  const files = createVersions()
  for (const [index, version] of ['1.0.0', '1.1.0'].entries()) {
    const assets: { file: string }[] = []
    for (const { name, versions } of files) {
      const file = join(build, `${version}-${name}`)
      await writeFile(file, versions[index]!)
      assets.push({ file })
      if (name.endsWith('.AppImage')) continue
      await writeFile(`${file}.blockmap`, gzipSync(createBlockMap(versions[index]!)))
      assets.push({ file: `${file}.blockmap` })
    }
    await publishRelease({ ...release, version, assets })
  }
  const linuxOnly = join(build, 'beta.AppImage')
  await writeFile(linuxOnly, 'beta')
  await publishRelease({ ...release, version: '1.2.0-beta.1', assets: [{ file: linuxOnly }] })
  await publishRelease({ ...release, version: '1.1.0.1', assets: [{ file: join(build, '1.1.0-App-Setup.exe') }] })
  const app = await startApp(t, {}, { CONTENT_DIR: contentDir })
  const installed = (name: string) => join(build, `1.0.0-${name}`)
  const content = (name: string) => files.find((file) => file.name === name)!.versions[1]!
  return { url: `${app.url}${APP}/launcher/updates`, installed, content }
})

const machines = [
  ['win32', 'x64', 'App-Setup.exe'],
  ['win32', 'arm64', 'App-arm64-Setup.exe'],
  ['darwin', 'x64', 'App-mac.zip'],
  ['darwin', 'arm64', 'App-arm64-mac.zip'],
  ['linux', 'x64', 'App.AppImage'],
  ['linux', 'arm64', 'App-arm64.AppImage'],
] as const

for (const [platform, arch, name] of machines) {
  test(`electron-updater on ${platform} ${arch} installs ${name}, and downloads only the changed blocks`, async (t) => {
    const { url, installed, content } = open()
    const update = await runElectronUpdater(t, { url, platform, arch, current: '1.0.0', installed: installed(name) })
    assert.equal(update.version, '1.1.0')
    assert.ok(update.bytes?.equals(content(name)), update.log.join('\n'))
    const full = content(name).length
    t.diagnostic(`${update.received} of ${full} bytes received (${basename(update.file ?? '')})`)
    assert.ok(update.received! < full / 4, `${update.received} of ${full} bytes: ${update.log.join('\n')}`)
  })
}

test('without an installed file electron-updater downloads the whole file, and nothing if it is up to date', async (t) => {
  const { url, content } = open()
  const update = await runElectronUpdater(t, { url, platform: 'win32', current: '1.0.0' })
  assert.ok(update.bytes?.equals(content('App-Setup.exe')))
  for (const platform of ['win32', 'darwin', 'linux'] as const) {
    assert.equal((await runElectronUpdater(t, { url, platform, current: '1.1.0' })).version, undefined)
  }
})

test('the beta channel of electron-updater has a file of its own for each platform', async (t) => {
  const { url } = open()
  const find = async (platform: 'win32' | 'linux', arch: 'x64' | 'arm64') =>
    (await runElectronUpdater(t, { url, platform, arch, current: '1.0.0', channel: 'beta' })).version
  assert.equal(await find('linux', 'x64'), '1.2.0-beta.1')
  assert.equal(await find('linux', 'arm64'), '1.1.0')
  assert.equal(await find('win32', 'x64'), '1.1.0')
})

test('an architecture without files is 404, which electron-updater reports', async (t) => {
  const { url } = open()
  await assert.rejects(
    runElectronUpdater(t, { url, platform: 'linux', arch: 'arm', current: '1.0.0' }),
    /latest-linux-arm\.yml/,
  )
})
