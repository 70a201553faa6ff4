import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, startApp } from '../../../kit/app.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SHA256 = /^[0-9a-f]{64}$/
const ok = { success: true, status: 200 }

describe('on the starter content', () => {
  const service = forSuite((scope) => startTestService(scope))
  const body = async (path: string) => {
    const reply = await service().fetchJson(APP + path)
    assert.equal(reply.status, 200, path)
    return reply.body
  }

  test('stats/downloads has a total, every application, and 30 days that end today', async () => {
    const { daily, ...rest } = await body('/stats/downloads')
    const none = { total: 0, versions: {} }
    assert.deepEqual(rest, { ...ok, total: 0, applications: { launcher: none, reshade: none, fpsUnlocker: none } })
    assert.equal(daily.length, 30)
    assert.deepEqual(daily.at(-1), { date: new Date().toISOString().slice(0, 10), count: 0 })
    assert.ok(daily.every(({ date }: { date: string }, i: number) => i === 0 || date > daily[i - 1].date))
  })

  test('launcher/updates has the latest version and the releases, newest first', async () => {
    const { latest, updates, ...rest } = await body('/launcher/updates')
    assert.deepEqual(rest, ok)
    assert.equal(latest, '1.0.0')
    const [{ releaseDate, sha256, notes, assets, ...update }, ...others] = updates
    assert.deepEqual(others, [])
    const url = `${service().url}${APP}/download/launcher?version=1.0.0`
    assert.deepEqual(update, { version: '1.0.0', beta: false, size: '121 B', bytes: 121, url, mandatory: false })
    const file = `${service().url}${APP}/download/launcher/1.0.0/launcher-1.0.0.txt`
    const traits = { platform: 'any', arch: 'any', kind: 'file', name: 'launcher-1.0.0.txt' }
    assert.deepEqual(assets, [{ ...traits, url: file, bytes: 121, sha256 }])
    assert.match(releaseDate, ISO)
    assert.match(sha256, SHA256)
    assert.match(notes, /^Example release of the launcher/)
    const beta = await body('/launcher/updates?channel=beta')
    assert.deepEqual(
      beta.updates.map(({ version }: { version: string }) => version),
      ['1.1.0-beta.1', '1.0.0'],
    )
  })

  test('launcher/news lists the news', async () => {
    const { news, ...rest } = await body('/launcher/news')
    assert.deepEqual(rest, ok)
    const [{ html, summary, date, ...item }] = news
    assert.deepEqual(item, {
      id: 'example-welcome',
      title: 'Example news',
      url: 'https://news.example.invalid/welcome',
      image: null,
      lang: 'en',
    })
    assert.match(html, /^<p>This is an <strong>example<\/strong>/)
    assert.match(summary, /^This is an example/)
    assert.match(date, ISO)
  })

  for (const [application, version, size] of [
    ['launcher', '1.0.0', '121 B'],
    ['reshade', '5.9.2', '3.4 MB'],
    ['fpsUnlocker', '2.0.1', '1.3 MB'],
  ] as const) {
    test(`version/app/${application} has the release in a field with its name`, async () => {
      const { [application]: record, ...rest } = await body(`/version/app/${application}`)
      assert.deepEqual(rest, ok)
      assert.deepEqual([record.version, record.beta, record.size], [version, false, size])
      assert.equal(new Date(record.releaseDate).toISOString(), record.releaseDate)
      assert.equal(typeof record.bytes, 'number')
      assert.match(record.sha256, SHA256)
    })
  }

  test('version/app/launcher/resources has the version as message, and the date', async () => {
    const { date, sha256, ...rest } = await body('/version/app/launcher/resources')
    const url = `${service().url}${APP}/download/launcher/resources`
    assert.deepEqual(rest, { ...ok, message: '1.0.0', size: '52.0 MB', bytes: 52_000_000, url })
    assert.match(date, ISO)
    assert.match(sha256, SHA256)
  })

  test('version/tier has the resources and benefits of the tiers 2 and 3', async () => {
    const benefits = ['Example benefit of the favorite tier']
    const message = { resources: { 'example-pack': '1.0.0' } }
    assert.deepEqual(await body('/version/tier/2'), { ...ok, tier: 2, name: 'favorite', message, benefits })
    const { tier, name, message: third } = await body('/version/tier/3')
    assert.deepEqual([tier, name], [3, 'trusted'])
    assert.deepEqual(third.resources, { 'example-pack': '1.1.0', 'example-extras': '2.0' })
  })

  test('an unknown application or tier is 404 with the allowed values', async () => {
    for (const path of ['/version/app/paint', '/version/app/Launcher', '/version/app/__proto__', '/download/paint']) {
      const { status, body } = await service().fetchJson(APP + path)
      assert.deepEqual([status, body.code], [404, 'UNKNOWN_APPLICATION'], path)
      assert.deepEqual(body.allowed, ['launcher', 'reshade', 'fpsUnlocker'])
    }
    for (const tier of ['1', '4', '2.0', '02', 'two', '%202', 'constructor']) {
      const { status, body } = await service().fetchJson(`${APP}/version/tier/${tier}`)
      assert.deepEqual([status, body.code, body.allowed], [404, 'UNKNOWN_TIER', ['2', '3']], tier)
    }
  })

  test('an invalid version or channel and a repeated parameter are 400', async () => {
    const refused = async (path: string) => {
      const { status, body } = await service().fetchJson(APP + path)
      return [status, body.code, body.parameter]
    }
    for (const current of [
      '',
      'latest',
      '1.2.3.4.5',
      '01.2.3',
      '-1',
      '%D9%A1.0',
      '9'.repeat(4000),
      '%00',
      '1.0.0%20OR%201=1',
    ]) {
      const path = `/launcher/updates?current=${current}`
      assert.deepEqual(await refused(path), [400, 'INVALID_VERSION', 'current'], current)
    }
    assert.deepEqual(await refused('/download/launcher?version=newest'), [400, 'INVALID_VERSION', 'version'])
    for (const path of ['/launcher/updates', '/version/app/launcher', '/download/launcher']) {
      assert.deepEqual(await refused(`${path}?channel=nightly`), [400, 'INVALID_PARAMETER', 'channel'])
      assert.deepEqual(await refused(`${path}?channel=beta&channel=beta`), [400, 'REPEATED_PARAMETER', 'channel'])
    }
    for (const path of ['/launcher/updates', '/version/app/launcher', '/download/launcher']) {
      assert.deepEqual(await refused(`${path}?platform=w`), [400, 'INVALID_PARAMETER', 'platform'])
      assert.deepEqual(await refused(`${path}?arch=any`), [400, 'INVALID_PARAMETER', 'arch'])
    }
    const { body } = await service().fetchJson(`${APP}/launcher/updates?channel=nightly`)
    assert.deepEqual(body.allowed, ['stable', 'beta'])
    assert.deepEqual(await refused('/launcher/news?format=html'), [400, 'INVALID_PARAMETER', 'format'])
  })

  test('another name of the product is 404', async () => {
    for (const name of ['other', 'App', 'app2']) {
      const { status, body } = await service().fetchJson(`/api/v5/${name}/launcher/updates`)
      assert.deepEqual([status, body.code], [404, 'UNKNOWN_PATH'])
    }
  })
})

describe('on an empty content folder', () => {
  const app = forSuite((scope) => startApp(scope, {}))

  test('lists are empty and sums are zero', async () => {
    const updates = await app().fetchJson(`${APP}/launcher/updates`)
    assert.deepEqual(updates.body, { ...ok, latest: null, updates: [] })
    const reply = await app().fetchJson(`${APP}/launcher/updates?current=1.9.0`)
    assert.deepEqual(reply.body, { ...ok, latest: null, updateAvailable: false, updates: [] })
    assert.deepEqual((await app().fetchJson(`${APP}/launcher/news`)).body, { ...ok, news: [] })
    assert.equal((await app().fetchJson(`${APP}/stats/downloads`)).body.total, 0)
    for (const format of ['atom', 'rss', 'json-feed']) {
      assert.equal((await app().fetchPath(`${APP}/launcher/news?format=${format}`)).status, 200, format)
    }
    assert.equal((await app().fetchPath(`${APP}/launcher/updates?format=tauri`)).status, 204)
  })

  test('a record that does not exist is 404 NOT_PUBLISHED', async () => {
    for (const path of [
      '/version/app/launcher',
      '/version/app/reshade',
      '/version/app/fpsUnlocker',
      '/version/app/launcher/resources',
      '/version/tier/2',
      '/version/tier/3',
      '/download/launcher',
      '/download/launcher?version=1.0.0',
      '/download/launcher/resources',
      '/launcher/updates?format=electron&channel=beta',
      '/launcher/updates/beta.yml',
    ]) {
      const { status, body } = await app().fetchJson(APP + path)
      assert.deepEqual([status, body.code], [404, 'NOT_PUBLISHED'], path)
    }
  })

  test('there are no problems', async () => {
    await app().untilHealthy()
  })
})

test('APP_NAME is the segment of every path', async (t) => {
  const { url, fetchJson } = await startTestService(t, { APP_NAME: 'Fox-Launcher_2' })
  const { status, body } = await fetchJson('/api/v5/Fox-Launcher_2/version/app/launcher')
  assert.equal(status, 200)
  assert.equal(body.launcher.url, `${url}/api/v5/Fox-Launcher_2/download/launcher?version=1.0.0`)
  assert.equal((await fetchJson(`${APP}/version/app/launcher`)).status, 404)
})

test('an invalid APP_NAME prevents the start with a message', async (t) => {
  for (const name of ['', 'a/b', '../app', 'a b', '%61', ':app', 'a'.repeat(65)]) {
    await assert.rejects(startTestService(t, { APP_NAME: name }), /^Error: APP_NAME must be 1 to 64 letters/, name)
  }
})
