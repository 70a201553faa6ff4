import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { UpdateManager } from 'velopack'
import { APP, startApp } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { assets, record, releasesYaml } from '../../../kit/releases.ts'
import type { Scope } from '../../../kit/scope.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

const digest = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex')

/** The fields of a package whose content is its name. */
const nupkg = (name: string) => ({
  name,
  file: name,
  bytes: name.length,
  sha1: digest('sha1', name),
  sha256: digest('sha256', name),
})
const packages = ['Demo-1.1.0-linux-full.nupkg', 'Demo-1.2.0-linux-full.nupkg', 'Demo-1.2.0-linux-delta.nupkg']
/** With a delta that was replaced. */
const windowsPackages = ['Demo-1.2.1-full.nupkg', 'Demo-1.2.1-0ef9fd-delta.nupkg', 'Demo-1.2.1-delta.nupkg']

const app = forSuite((t) =>
  startApp(t, {
    'releases.yaml': releasesYaml({
      launcher: [
        assets('1.1.0', nupkg(packages[0]!)),
        assets('1.2.0', nupkg(packages[1]!), nupkg(packages[2]!)),
        assets('1.2.1', ...windowsPackages.map(nupkg)),
        assets('1.3.0-beta.1', { ...nupkg('Demo-1.3.0-beta.1-linux-full.nupkg') }),
        assets('1.2.1.7', { ...nupkg('Demo-1.2.1.7-full.nupkg') }),
        assets('0.9.0', { name: 'a-universal.dmg' }),
      ],
      reshade: [record('5.9.2', { rollout: 1 }), record('5.9.1')],
    }),
    ...Object.fromEntries(
      [...packages, ...windowsPackages, 'Demo-1.3.0-beta.1-linux-full.nupkg', 'Demo-1.2.1.7-full.nupkg'].map((name) => [
        `files/${name}`,
        name,
      ]),
    ),
  }),
)

const read = async (path: string) => (await app().fetchJson(APP + path)).body

/** An installation of Velopack's demo application. */
async function createVelopackClient(t: Scope, { version = '1.0.0', channel = 'linux' } = {}) {
  const root = await temporaryFolder(t)
  const [packagesDir, current] = [join(root, 'packages'), join(root, 'current')]
  await mkdir(packagesDir)
  await mkdir(current)
  const manifest = join(current, 'sq.version')
  const fields = { id: 'Demo', title: 'Demo', description: 'Demo', authors: 'Demo', version, channel, mainExe: 'demo' }
  const metadata = Object.entries(fields).map(([name, text]) => `<${name}>${text}</${name}>`)
  await writeFile(manifest, `<?xml version="1.0"?><package><metadata>${metadata.join('')}</metadata></package>`)
  await writeFile(join(root, 'update'), '')
  const manager = new UpdateManager(`${app().url}${APP}/launcher/updates`, undefined, {
    RootAppDir: root,
    UpdateExePath: join(root, 'update'),
    PackagesDir: packagesDir,
    ManifestPath: manifest,
    CurrentBinaryDir: current,
    IsPortable: true,
  })
  return { manager, packagesDir }
}

test("Velopack's client finds the newest package of its platform and channel, and downloads it", async (t) => {
  const { manager, packagesDir } = await createVelopackClient(t)
  const update = await manager.checkForUpdatesAsync()
  assert.equal(update?.TargetFullRelease.FileName, 'Demo-1.2.0-linux-full.nupkg')
  const before = (await read('/stats/downloads')).total
  await manager.downloadUpdateAsync(update!)
  const [file = ''] = (await readdir(packagesDir)).filter((name) => name.endsWith('.nupkg'))
  assert.equal(await readFile(join(packagesDir, file), 'utf8'), 'Demo-1.2.0-linux-full.nupkg')
  await until(async () => (await read('/stats/downloads')).total === before + 1)
})

for (const [version, channel, expected] of [
  ['1.0.0', 'win', 'Demo-1.2.1-full.nupkg'],
  ['1.0.0', 'linux-beta', 'Demo-1.3.0-beta.1-linux-full.nupkg'],
  ['1.2.0', 'linux', undefined],
  ['1.0.0', 'osx', undefined],
] as const) {
  test(`Velopack ${version} on channel ${channel} is offered ${expected}`, async (t) => {
    const { manager } = await createVelopackClient(t, { version, channel })
    assert.equal((await manager.checkForUpdatesAsync())?.TargetFullRelease.FileName, expected)
  })
}

test("Velopack's index lists full and delta packages with their digests, and skips versions of four numbers", async () => {
  const { Assets } = await read('/launcher/updates/releases.win.json')
  assert.deepEqual(
    Assets.map((asset: Record<string, unknown>) => [asset.Version, asset.Type, asset.FileName]),
    [
      ['1.2.1', 'Full', 'Demo-1.2.1-full.nupkg'],
      ['1.2.1', 'Delta', 'Demo-1.2.1-delta.nupkg'],
    ],
  )
  const [{ PackageId, SHA1, SHA256, Size }] = Assets
  const text = 'Demo-1.2.1-full.nupkg'
  assert.deepEqual(
    [PackageId, SHA1, SHA256, Size],
    ['Demo', digest('sha1', text).toUpperCase(), digest('sha256', text).toUpperCase(), text.length],
  )
})

for (const file of [
  'releases.amiga.json',
  'releases.constructor.json',
  'releases..json',
  'releases.win-.json',
  'other.nupkg',
  'a-universal.dmg',
]) {
  test(`${file} is unknown`, async () => {
    assert.equal((await read(`/launcher/updates/${file}`)).code, 'UNKNOWN_PATH')
  })
}

test('versions has everything in one reply, with ETag', async () => {
  const { headers, body } = await app().fetchJson(`${APP}/versions`)
  assert.equal(body.launcher.version, '1.2.1.7')
  assert.equal(body.reshade.version, '5.9.1')
  assert.deepEqual([body.fpsUnlocker, body.resources, body.minimum], [null, null, null])
  const etag = headers.get('etag') ?? ''
  assert.equal((await app().fetch('/versions', { headers: { 'if-none-match': etag } })).status, 304)
  const macos = await read('/versions?platform=macos&arch=arm64')
  assert.deepEqual([macos.launcher.version, macos.reshade], ['0.9.0', null])
})

test('a release for one platform is offered to it, however many releases for others are newer', async (t) => {
  const signature = Buffer.alloc(64, 7).toString('base64')
  const windows = Array.from({ length: 120 }, (_, minor) =>
    assets(`2.${minor}.0`, { name: 'a.exe' }, { name: `Demo-2.${minor}.0-full.nupkg` }),
  )
  const other = assets('1.0.0', { name: 'a.dmg', signature }, { name: 'Demo-1.0.0-linux-full.nupkg' })
  const { fetch, fetchJson } = await startApp(t, {
    'releases.yaml': releasesYaml({ launcher: [...windows, other] }),
  })
  const appcast = await (await fetch('/launcher/updates/appcast.xml')).text()
  const versions = [...appcast.matchAll(/<sparkle:version>(.*)<\/sparkle:version>/g)].map(([, version]) => version)
  const distinct = [...new Set(versions)]
  assert.deepEqual([distinct.length, distinct.at(-2), distinct.at(-1)], [51, '2.70.0', '1.0.0'])
  const listPackages = async (channel: string): Promise<string[]> =>
    (await fetchJson(`${APP}/launcher/updates/releases.${channel}.json`)).body.Assets.map(
      ({ Version }: { Version: string }) => Version,
    )
  assert.equal((await listPackages('win')).length, 100)
  assert.deepEqual(await listPackages('linux'), ['1.0.0'])
})
