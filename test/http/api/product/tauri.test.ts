import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP, startApp } from '../../../kit/app.ts'
import { assets, releasesYaml, SIGNATURE, tauriSignature } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'

const signed = (...names: string[]) => names.map((name) => ({ name, signature: SIGNATURE }))
const all = ['a_x64-setup.exe', 'a_arm64-setup.exe', 'a_x64_en-US.msi', 'a_aarch64.app.tar.gz', 'a_x64.app.tar.gz']
const linux = ['a_amd64.AppImage', 'a_amd64.deb', 'a_amd64.rpm', 'a_aarch64.deb']

const app = forSuite((t) =>
  startApp(t, {
    'releases.yaml': releasesYaml({
      launcher: [
        assets('2.0.0', ...signed(...all, ...linux, 'a_arm64.dmg', 'a-portable.exe', 'a_x64.app.zip')),
        assets('2.1.0-beta.1', ...signed('b_riscv64.AppImage.tar.gz')),
        // No updater of Tauri can install these: not signed, signed for Sparkle, four numbers, signed for 1.0.0.
        assets('3.0.0', { name: 'c.exe' }, { name: 'c.AppImage' }),
        assets('3.1.0', { name: 'd.app.tar.gz', signature: Buffer.alloc(64, 7).toString('base64') }),
        assets('3.1.0.1', ...signed('e.exe')),
        assets('3.2.0', { name: 'f.exe', signature: tauriSignature('1.0.0') }),
      ],
    }),
  }),
)

const endpoints = [
  '/launcher/updates/tauri/{{target}}/{{arch}}/{{current_version}}?bundleType={{bundle_type}}',
  '/launcher/updates?format=tauri&target={{target}}&arch={{arch}}&current={{current_version}}&bundleType={{bundle_type}}',
]

interface Variables {
  readonly target: string
  readonly arch: string
  readonly current?: string
  readonly bundleType?: string
}

/** Replaces the variables as the updater plugin does: only the plus sign of the version is encoded. */
const fillIn = (endpoint: string, { target, arch, current = '1.0.0', bundleType = 'unknown' }: Variables) =>
  endpoint
    .replace('{{target}}', target)
    .replace('{{arch}}', arch)
    .replace('{{current_version}}', current.replaceAll('+', '%2B'))
    .replace('{{bundle_type}}', bundleType)

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][\w-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][\w-]*))*)?(\+[\w.-]+)?$/
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** Reads a reply by the rules in Tauri's documentation of dynamic update servers. */
function parseRemoteRelease(text: string) {
  const { version, notes, pub_date, url, signature, platforms } = JSON.parse(text)
  assert.match(version.replace(/^v+/, ''), SEMVER)
  assert.ok(notes === undefined || typeof notes === 'string')
  assert.ok(pub_date === undefined || (RFC_3339.test(pub_date) && !Number.isNaN(Date.parse(pub_date))), pub_date)
  assert.equal(platforms, undefined, 'a reply with platforms would be read as a static file')
  assert.match(new URL(url).protocol, /^https?:$/)
  const minisign = Buffer.from(signature, 'base64')
  assert.equal(minisign.toString('base64'), signature, 'Base64')
  assert.match(minisign.toString(), /^untrusted comment: .+\n.+\ntrusted comment: .+\n.+\n$/)
  return { version, url }
}

/** The version and file that the updater installs, or undefined for 204. Both endpoints must agree. */
async function check(variables: Variables): Promise<string | undefined> {
  const found = await Promise.all(
    endpoints.map(async (endpoint) => {
      const reply = await app().fetch(fillIn(endpoint, variables), { headers: { Accept: 'application/json' } })
      if (reply.status === 204) return undefined
      assert.equal(reply.status, 200)
      const { version, url } = parseRemoteRelease(await reply.text())
      const download = await fetch(url, { redirect: 'manual', headers: { Accept: 'application/octet-stream' } })
      const file = (download.headers.get('location') ?? '').replace('https://cdn.example/', '')
      assert.ok(file.startsWith(`${version}/`), file)
      return file
    }),
  )
  assert.equal(found[0], found[1])
  return found[0]
}

const machines: [target: string, arch: string, bundleType: string, file: string | undefined][] = [
  ['windows', 'x86_64', 'unknown', '2.0.0/a_x64-setup.exe'],
  ['windows', 'x86_64', 'nsis', '2.0.0/a_x64-setup.exe'],
  ['windows', 'x86_64', 'msi', '2.0.0/a_x64_en-US.msi'],
  ['windows', 'aarch64', 'msi', '2.0.0/a_arm64-setup.exe'],
  ['windows', 'i686', 'nsis', undefined],
  ['darwin', 'aarch64', 'app', '2.0.0/a_aarch64.app.tar.gz'],
  ['darwin', 'x86_64', 'unknown', '2.0.0/a_x64.app.tar.gz'],
  ['linux', 'x86_64', 'unknown', '2.0.0/a_amd64.AppImage'],
  ['linux', 'x86_64', 'appimage', '2.0.0/a_amd64.AppImage'],
  ['linux', 'x86_64', 'deb', '2.0.0/a_amd64.deb'],
  ['linux', 'x86_64', 'rpm', '2.0.0/a_amd64.rpm'],
  ['linux', 'aarch64', 'deb', '2.0.0/a_aarch64.deb'],
  ['linux', 'aarch64', 'appimage', undefined],
  ['linux', 'armv7', 'appimage', undefined],
  ['linux', 'riscv64', 'appimage', undefined],
  ['linux-x86_64-rpm', 'x86_64', 'appimage', '2.0.0/a_amd64.rpm'],
  ['linux-aarch64', 'x86_64', 'deb', '2.0.0/a_aarch64.deb'],
  ['macos-universal', 'aarch64', 'app', '2.0.0/a_aarch64.app.tar.gz'],
]

for (const [target, arch, bundleType, file] of machines) {
  test(`Tauri on ${target}, ${arch}, installed as ${bundleType}, gets ${file ?? '204'}`, async () => {
    assert.equal(await check({ target, arch, bundleType }), file)
  })
}

test('Tauri is offered newer versions only, and its versions may have build metadata', async () => {
  const windows = { target: 'windows', arch: 'x86_64' }
  assert.equal(await check({ ...windows, current: '2.0.0' }), undefined)
  assert.equal(await check({ ...windows, current: '2.0.0+7' }), undefined)
  assert.equal(await check({ ...windows, current: '2.0.0-rc.1' }), '2.0.0/a_x64-setup.exe')
})

test('Tauri on the beta channel is offered betas', async () => {
  const path = fillIn(endpoints[0]!, { target: 'linux', arch: 'riscv64', bundleType: 'appimage' })
  const { version } = parseRemoteRelease(await (await app().fetch(`${path}&channel=beta`)).text())
  assert.equal(version, '2.1.0-beta.1')
})

for (const [path, code] of [
  ['windows/x86_64/newest', 'INVALID_VERSION'],
  ['w/x86_64/1.0.0', 'INVALID_PARAMETER'],
  ['windows/z80/1.0.0', 'INVALID_PARAMETER'],
  ['windows-z80-nsis/x86_64/1.0.0', 'INVALID_PARAMETER'],
  ['windows/x86_64/1.0.0?bundleType=snap', 'INVALID_PARAMETER'],
] as const) {
  test(`Tauri's path ${path} is refused with ${code}`, async () => {
    assert.equal((await app().fetchJson(`${APP}/launcher/updates/tauri/${path}`)).body.code, code)
  })
}
