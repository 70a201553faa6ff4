import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openReleases } from '../../../src/features/releases/index.ts'
import { BASE, openTestReleases, silentLog, withReplies } from '../../kit/releases.ts'
import { ROOT } from '../../kit/root.ts'

const client = 'someone'

async function starter(t: TestContext) {
  const dir = join(ROOT, 'content/app')
  const releases = withReplies(await openReleases({ dir, log: silentLog }))
  t.after(() => releases.close())
  return releases
}

test('the starter content has no problems and serves every endpoint', async (t) => {
  const releases = await starter(t)
  assert.deepEqual(releases.problems(), [])
  assert.equal(releases.updates(BASE, { client }).latest, '1.0.0')
  assert.equal(releases.updates(BASE, { client, channel: 'beta' }).latest, '1.1.0-beta.1')
  for (const application of ['launcher', 'reshade', 'fpsUnlocker']) {
    assert.ok(releases.version(BASE, application, { client }).version, application)
  }
  assert.equal(releases.resources(BASE).message, '1.0.0')
  assert.deepEqual(releases.tier('2').message, { resources: { 'example-pack': '1.0.0' } })
  assert.equal(releases.tier('3').name, 'trusted')
  assert.equal(releases.news(BASE).news.length, 1)
  assert.equal(releases.resolveDownload('launcher', { client }).kind, 'file')
  assert.equal(releases.resolveDownload('reshade', { client }).kind, 'redirect')
})

test('all starter content is marked as an example', async (t) => {
  const releases = await starter(t)
  for (const { assets, notes } of Object.values(releases.catalogue().releases).flat()) {
    assert.match(notes, /Example release/)
    for (const { source } of assets) assert.match(source.url ?? 'https://x.example.invalid/', /\.example\.invalid\//)
  }
})

test('a release has the documented fields and types', async (t) => {
  const releases = await starter(t)
  const { size, releaseDate, bytes, beta, sha256, url, notes, version } = releases.version(BASE, 'reshade', { client })
  assert.deepEqual([version, beta, size, bytes], ['5.9.2', false, '3.4 MB', 3_400_000])
  assert.equal(releaseDate, '2026-01-15T10:00:00.000Z')
  assert.equal(url, `${BASE}/download/reshade?version=5.9.2`)
  assert.match(sha256, /^[0-9a-f]{64}$/)
  assert.equal(notes, 'Example release.')
})

const bare: Record<string, Record<string, string>> = { missing: {}, empty: { 'news/.keep': '', 'releases.yaml': '' } }
for (const [name, files] of Object.entries(bare)) {
  test(`a ${name} folder has nothing published`, async (t) => {
    const { releases } = await openTestReleases(t, files)
    assert.deepEqual(releases.problems(), [])
    assert.deepEqual(releases.updates(BASE, { client }), { latest: null, updates: [] })
    assert.deepEqual(releases.updates(BASE, { client, current: '1.0.0' }), {
      latest: null,
      updateAvailable: false,
      updates: [],
    })
    assert.deepEqual(releases.news(BASE), { news: [] })
    assert.equal(releases.tauri(BASE, { client }), undefined)
    assert.equal(releases.electron(BASE, client), undefined)
    const notPublished = { code: 'NOT_PUBLISHED', status: 404 }
    assert.throws(() => releases.version(BASE, 'launcher', { client }), notPublished)
    assert.throws(() => releases.resources(BASE), notPublished)
    assert.throws(() => releases.tier('2'), notPublished)
    assert.throws(() => releases.resolveDownload('launcher', { client }), notPublished)
    assert.throws(() => releases.resolveResources(), notPublished)
  })
}

test('an unknown application or tier is an error that lists the allowed values', async (t) => {
  const releases = await starter(t)
  for (const name of ['nosuch', 'Launcher', '', '__proto__', 'constructor']) {
    const wanted = {
      code: 'UNKNOWN_APPLICATION',
      status: 404,
      details: { allowed: ['launcher', 'reshade', 'fpsUnlocker'] },
    }
    assert.throws(() => releases.version(BASE, name, { client }), wanted)
    assert.throws(() => releases.resolveDownload(name, { client }), wanted)
  }
  for (const tier of ['1', '4', '2.0', '02', 'two', '', ' 2', '2e0', 'toString']) {
    assert.throws(
      () => releases.tier(tier),
      { code: 'UNKNOWN_TIER', status: 404, details: { allowed: ['2', '3'] } },
      tier,
    )
  }
})
