import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { APP, startApp, type TestApp } from '../../../kit/app.ts'
import { record, releasesYaml, writeFiles } from '../../../kit/releases.ts'
import { until } from '../../../kit/until.ts'

const SHA512 = 'cd'.repeat(64)
const EVIL = '<img src=x onerror=alert(1)>\n</script><script>alert(2)</script>'
const launcher = (...records: string[]) => ({ 'releases.yaml': releasesYaml({ launcher: records }) })
const versionsOf = (updates: { version: string }[]) => updates.map(({ version }) => version)

const history = launcher(
  record('1.10.0', { sha512: SHA512, signature: 'untrusted comment: x\nRWQ=' }),
  record('1.9.0'),
  record('2.0.0-beta.2', { sha512: SHA512 }),
  record('1.9.1', { withdrawn: true }),
  record('3.0.0', { date: '2999-01-01' }),
)

test('updates are ordered by version, without withdrawn and scheduled releases', async (t) => {
  const { fetchJson } = await startApp(t, history)
  const { body } = await fetchJson(`${APP}/launcher/updates`)
  assert.deepEqual([body.latest, versionsOf(body.updates)], ['1.10.0', ['1.10.0', '1.9.0']])
  assert.equal('updateAvailable' in body, false)
})

test('current filters newer releases, sets updateAvailable, and never offers a downgrade', async (t) => {
  const { fetchJson } = await startApp(t, history)
  const findUpdates = async (query: string) => {
    const { body } = await fetchJson(`${APP}/launcher/updates?${query}`)
    return [body.latest, body.updateAvailable, versionsOf(body.updates)]
  }
  assert.deepEqual(await findUpdates('current=1.9.0'), ['1.10.0', true, ['1.10.0']])
  assert.deepEqual(await findUpdates('current=v1.9.0'), ['1.10.0', true, ['1.10.0']])
  assert.deepEqual(await findUpdates('current=1.10.0'), ['1.10.0', false, []])
  assert.deepEqual(await findUpdates('current=2.0.0-beta.2'), ['2.0.0-beta.2', false, []])
  assert.deepEqual(await findUpdates('current=9.0.0&channel=beta'), ['9.0.0', false, []])
  assert.deepEqual(await findUpdates('current=1.9.5&channel=beta'), ['2.0.0-beta.2', true, ['2.0.0-beta.2', '1.10.0']])
})

test('a name that looks like HTML stays text in JSON that no browser renders', async (t) => {
  const { fetchPath } = await startApp(t, launcher(record('1.0.0', { notes: EVIL })))
  for (const path of ['/launcher/updates', '/version/app/launcher']) {
    const reply = await fetchPath(APP + path)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    const { updates, launcher: newest } = (await reply.json()) as Record<string, any>
    assert.equal((newest ?? updates[0]).notes, EVIL)
  }
})

/** What each of many clients is offered. The service trusts this proxy. */
const fromAddresses = async ({ fetchPath }: TestApp, path: string, addresses: readonly string[]) =>
  Promise.all(
    addresses.map(async (address) => {
      const reply = await fetchPath(APP + path, { headers: { 'X-Forwarded-For': address } })
      return { policy: reply.headers.get('cache-control'), text: await reply.text() }
    }),
  )

test('a staged release reaches a fixed part of the networks, and shared caches must not store replies', async (t) => {
  const app = await startApp(
    t,
    launcher(record('1.0.0', { sha512: SHA512 }), record('1.1.0', { rollout: 50, sha512: SHA512 })),
    { TRUST_PROXY: '127.0.0.1' },
  )
  const networks = Array.from({ length: 24 }, (_, n) => `2001:db8:0:${n}::1`)
  const others = Array.from({ length: 24 }, (_, n) => `2001:db8:0:${n}:ffff:${n}:2:3`)
  for (const path of [
    '/launcher/updates',
    '/version/app/launcher',
    '/launcher/updates?format=electron',
    '/launcher/updates/latest.yml',
  ]) {
    const first = await fromAddresses(app, path, networks)
    const heard = first.map(({ text }) => /version"?: ?"(1\.\d\.0)"/.exec(text)?.[1])
    assert.deepEqual([...new Set(heard)].sort(), ['1.0.0', '1.1.0'], path)
    assert.deepEqual(await fromAddresses(app, path, others), first, 'a /64 is one client')
    for (const { policy } of first) assert.equal(policy, 'private, max-age=60')
  }
})

test('without a staged release shared caches may store replies', async (t) => {
  const settings = { PUBLIC_URL: 'https://animals.example' }
  const app = await startApp(t, launcher(record('1.0.0', { rollout: 30 })), settings)
  await writeFiles(app.appDir, launcher(record('1.0.0')))
  const policy = async () => (await app.fetchPath(`${APP}/launcher/updates`)).headers.get('cache-control') ?? ''
  await until(async () => (await policy()).startsWith('public, max-age=60'))
})

test('a cached URL shows a release within two seconds of its publication', async (t) => {
  const app = await startApp(t, launcher(record('1.0.0')))
  const path = `${APP}/launcher/updates?current=1.0.0`
  const latest = async () => (await app.fetchJson(path)).body.latest
  assert.equal(await latest(), '1.0.0')
  await writeFiles(app.appDir, launcher(record('1.0.0'), record('1.1.0')))
  await until(async () => (await latest()) === '1.1.0', 2000)
})

test('Tauri gets the newest signed release, or 204', async (t) => {
  const { fetchPath, fetchJson } = await startApp(t, history)
  const { headers, body } = await fetchJson(`${APP}/launcher/updates?format=tauri&current=1.9.0`)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(body).sort(), ['notes', 'pub_date', 'signature', 'url', 'version'])
  assert.deepEqual([body.version, body.signature], ['1.10.0', 'untrusted comment: x\nRWQ='])
  for (const query of ['current=1.10.0', 'current=2.0.0', 'current=1.10.0&channel=beta']) {
    const none = await fetchPath(`${APP}/launcher/updates?format=tauri&${query}`)
    assert.deepEqual([none.status, await none.text()], [204, ''], query)
    assert.match(none.headers.get('cache-control') ?? '', /max-age=60/)
  }
  const wrong = await fetchJson(`${APP}/launcher/updates?format=tauri&current=x`)
  assert.equal(wrong.body.code, 'INVALID_VERSION')
})

test('Electron finds its file under the URL of the feed, by channel and platform', async (t) => {
  const app = await startApp(t, history)
  for (const [file, version] of [
    ['latest.yml', '1.10.0'],
    ['latest.yml?noCache=1ab', '1.10.0'],
    ['beta.yml', '2.0.0-beta.2'],
  ] as const) {
    const reply = await app.fetchPath(`${APP}/launcher/updates/${file}`)
    assert.equal(reply.headers.get('content-type'), 'text/yaml; charset=utf-8')
    const info = parse(await reply.text(), { version: '1.1' })
    assert.equal(info.version, version, file)
    assert.equal(info.files[0].sha512, Buffer.from(SHA512, 'hex').toString('base64'))
    const download = await fetch(info.files[0].url, { redirect: 'manual' })
    assert.deepEqual([download.status, download.headers.get('location')], [302, `https://cdn.example/${version}.exe`])
    const beside = await fetch(`${info.files[0].url}.blockmap`)
    assert.equal(beside.status, 404, 'a file beside it is not the program')
  }
  for (const file of ['nightly.yml', 'latest.json', '__proto__', 'constructor', 'latest.yml.bak']) {
    const { status, body } = await app.fetchJson(`${APP}/launcher/updates/${file}`)
    assert.deepEqual([status, body.code], [404, 'UNKNOWN_PATH'], file)
    assert.ok(body.allowed.includes('latest-linux-arm64.yml') && body.message.includes('latest.yml, latest-mac.yml'))
  }
})

test('Electron is only offered what its platform can install', async (t) => {
  const at = (name: string) => ({ sha512: SHA512, url: `https://cdn.example/${name}` })
  const { fetchPath, fetchJson } = await startApp(
    t,
    launcher(
      record('1.0.0', at('app-mac.zip')),
      record('1.0.1', at('app.dmg')),
      record('1.1.0', at('App.AppImage')),
      record('1.2.0', at('setup.exe')),
    ),
  )
  for (const [file, version] of [
    ['latest.yml', '1.2.0'],
    ['latest-mac.yml', '1.0.0'],
    ['latest-linux.yml', '1.1.0'],
    ['beta-linux.yml', '1.1.0'],
    ['latest-linux-arm64.yml', undefined],
  ] as const) {
    const text = await (await fetchPath(`${APP}/launcher/updates/${file}`)).text()
    assert.equal(parse(text).version, version, file)
  }
  const windows = await startApp(t, launcher(record('1.0.0', at('setup.exe'))))
  for (const file of ['latest-mac.yml', 'beta-mac.yml', 'latest-linux.yml', 'latest-linux-arm64.yml']) {
    const { status, body } = await windows.fetchJson(`${APP}/launcher/updates/${file}`)
    assert.deepEqual([status, body.code], [404, 'NOT_PUBLISHED'], file)
    assert.match(body.message, /electron-updater can install on (macos|linux)/)
  }
  assert.equal((await fetchJson(`${APP}/launcher/updates`)).body.latest, '1.2.0')
})
