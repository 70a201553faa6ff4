import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { APP, startApp } from '../../../kit/app.ts'
import { assets, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'

const sha512 = 'cd'.repeat(64)
const signature = 'untrusted comment: x'
const everywhere = ['a-x64.exe', 'a-arm64.exe', 'a-mac.zip', 'a-arm64-mac.zip', 'a-arm64.dmg', 'a.AppImage', 'a.deb']
const app = forSuite((t) =>
  startApp(t, {
    'releases.yaml': releasesYaml({
      launcher: [
        assets('2.0.0', ...everywhere.map((name) => ({ name, sha512, signature: `${signature} ${name}` }))),
        assets('2.1.0', { name: 'b.exe', sha512, signature }, { name: 'b.exe.blockmap', bytes: 77 }),
        assets('2.1.1', { name: 'c.AppImage', sha512, signature }),
        assets('2.2.0-beta.1', { name: 'd-arm64.AppImage', sha512, signature }),
        record('2.1.1.1', { url: 'https://cdn.example/four.exe', sha512, signature, minimum: '2.0.5' }),
      ],
      reshade: [record('1', { url: 'https://cdn.example/reshade.zip' })],
    }),
  }),
)

const read = async (path: string) => (await app().fetchJson(APP + path)).body
const machines: [query: string, latest: string | null, file: string][] = [
  ['', '2.1.1.1', 'four.exe'],
  ['platform=windows&arch=arm64', '2.1.1.1', 'four.exe'],
  ['platform=macos', '2.0.0', '2.0.0/a-mac.zip'],
  ['platform=macos&arch=arm64', '2.0.0', '2.0.0/a-arm64.dmg'],
  ['platform=darwin&arch=aarch64', '2.0.0', '2.0.0/a-arm64.dmg'],
  ['platform=linux', '2.1.1', '2.1.1/c.AppImage'],
  ['platform=linux&arch=x86_64', '2.1.1', '2.1.1/c.AppImage'],
  ['platform=linux&arch=arm64&channel=beta', '2.2.0-beta.1', '2.2.0-beta.1/d-arm64.AppImage'],
  ['platform=linux&arch=arm64', null, ''],
  ['platform=linux&arch=arm', null, ''],
]

for (const [query, latest, file] of machines) {
  test(`updates, version and download agree for "${query}"`, async () => {
    const updates = await read(`/launcher/updates?${query}`)
    assert.equal(updates.latest, latest)
    const version = await read(`/version/app/launcher?${query}`)
    if (latest === null) {
      assert.deepEqual([updates.updates, version.code], [[], 'NOT_PUBLISHED'])
      assert.equal((await read(`/download/launcher?${query}`)).code, 'NOT_PUBLISHED')
      assert.equal((await read(`/download/launcher?version=2.1.0&${query}`)).code, 'NOT_PUBLISHED')
      return
    }
    const { mandatory, ...newest } = updates.updates[0]
    assert.deepEqual(version.launcher, newest)
    const expected = `https://cdn.example/${file}`
    for (const url of [newest.url, `${app().url}${APP}/download/launcher?${query}`]) {
      assert.equal((await fetch(url, { redirect: 'manual' })).headers.get('location'), expected)
    }
  })
}

test('an update lists all its assets, each with a URL of its own', async () => {
  const { updates } = await read('/launcher/updates?platform=macos')
  assert.equal(updates.length, 1)
  assert.deepEqual(
    updates[0].assets.map(({ platform, arch, kind }: Record<string, string>) => `${platform} ${arch} ${kind}`),
    [
      ...['windows x64 nsis', 'windows arm64 nsis', 'macos any zip', 'macos arm64 zip', 'macos arm64 dmg'],
      ...['linux x64 appimage', 'linux x64 deb'],
    ],
  )
  for (const { name, url } of updates[0].assets) {
    const { headers } = await fetch(url, { redirect: 'manual' })
    assert.equal(headers.get('location'), `https://cdn.example/2.0.0/${name}`)
  }
})

test('an update is mandatory for versions below its minimum', async () => {
  const mandatory = async (current: string) =>
    (await read(`/launcher/updates?current=${current}`)).updates.map(
      ({ mandatory }: { mandatory: boolean }) => mandatory,
    )
  assert.deepEqual(await mandatory('2.0.4.9'), [true, false])
  assert.deepEqual(await mandatory('2.0.5-beta.1'), [true, false])
  assert.deepEqual(await mandatory('2.0.5'), [false, false])
  assert.deepEqual(await mandatory('2.1.1.0'), [false])
  assert.equal((await read('/launcher/updates')).updates[0].mandatory, false)
})

test('versions of one to four numbers are compared by number and found by any text of theirs', async () => {
  const check = async (current: string) => {
    const { latest, updateAvailable } = await read(`/launcher/updates?current=${current}`)
    return [latest, updateAvailable]
  }
  assert.deepEqual(await check('2.1.1.0'), ['2.1.1.1', true])
  assert.deepEqual(await check('2.1.1.1-beta.2'), ['2.1.1.1', true])
  assert.deepEqual(await check('2.1.1.1'), ['2.1.1.1', false])
  assert.deepEqual(await check('2.1.1.10'), ['2.1.1.10', false])
  assert.deepEqual(await check('3'), ['3', false])
  assert.equal((await read('/version/app/reshade')).reshade.version, '1')
  for (const version of ['1', '1.0', '1.0.0.0']) {
    assert.equal((await app().fetch(`/download/reshade?version=${version}`)).status, 302, version)
  }
})

test('electron-updater gets the files of its platform and architecture, and only semantic versions', async () => {
  const files = async (name: string) => {
    const { version, files = [] } = parse(await (await app().fetchPath(`${APP}/launcher/updates/${name}`)).text())
    return [version, ...files.map(({ url }: { url: string }) => url.slice(url.lastIndexOf('/') + 1))]
  }
  assert.deepEqual(await files('latest.yml'), ['2.1.0', 'b.exe'])
  assert.deepEqual(await files('latest-mac.yml'), ['2.0.0', 'a-mac.zip', 'a-arm64-mac.zip'])
  assert.deepEqual(await files('latest-linux.yml'), ['2.1.1', 'c.AppImage'])
  assert.deepEqual(await files('beta-linux-arm64.yml'), ['2.2.0-beta.1', 'd-arm64.AppImage'])
  for (const name of ['latest-linux-arm64.yml', 'latest-linux-arm.yml', 'latest-linux-ia32.yml']) {
    assert.equal((await app().fetchJson(`${APP}/launcher/updates/${name}`)).body.code, 'NOT_PUBLISHED', name)
  }
})
