import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createClient } from '../../../packages/client/src/index.ts'
import { createToken, startApp } from '../../kit/app.ts'
import { startPublisher } from '../../kit/operator.ts'
import { assets, news, releasesYaml } from '../../kit/releases.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { failureOf } from './failure.ts'

describe('the client library with a real service', () => {
  const service = forSuite((scope) => startTestService(scope))
  const menagerie = () => createClient(service().url)

  it('returns one item or several, with their descriptions', async () => {
    const one = await menagerie().random.animal('cat')
    assert.ok(one.message.startsWith(`${service().url}/media/animals/cat/`))
    assert.equal(one.info.endpoint, 'cat')
    assert.ok(one.item.width > 0)
    const many = await menagerie().random.animal('fox', { count: 4, type: ['webp', 'image/png'], exclude: 'png' })
    assert.equal(new Set(many.message).size, 4)
    assert.deepEqual([...new Set(many.items.map(({ type }) => type))], ['image/webp'])
    const videos = await menagerie().random.video('hl-cats', { count: 2 })
    assert.equal(videos.items.length, 2)
    assert.ok((await menagerie().random.kaomoji('love')).message.length > 0)
    assert.equal((await menagerie().random.string('8ball', { count: 2 })).message.length, 2)
  })

  it('chooses random items by tags, and avoids items', async () => {
    const { random } = menagerie()
    const chosen = await random.animal('any', { tags: ['shiny', '-cat'], orientation: 'square', avoid: ['~x'] })
    assert.ok(chosen.item.tags.includes('shiny') && chosen.item.kind !== 'cat')
    const [first, second] = (await random.kaomoji('love', { seed: 1, count: 2 })).items
    assert.equal((await random.kaomoji('love', { seed: 1, avoid: [first?.id ?? ''] })).item.id, second?.id)
    assert.equal((await random.string('any', { avoid: [] })).item.kind, '8ball')
  })

  it('repeats a choice for the same seed', async () => {
    const [first, second] = [1, 2].map(() => menagerie().random.animal('dog', { seed: 'rex' }))
    assert.equal((await first)?.message, (await second)?.message)
  })

  it('returns a filtered image, its URL, and its description', async () => {
    const { message } = await menagerie().random.animal('bird', { seed: 7, type: 'png' })
    const options = { strength: 9, output: 'webp' } as const
    const picture = await menagerie().filter('blur', new URL(message), options)
    assert.deepEqual([picture.type, picture.blob.type], ['image/webp', 'image/webp'])
    assert.match(picture.headers.get('server-timing') ?? '', /dur=/)
    const url = menagerie().filter.url('blur', message, options)
    assert.equal((await (await fetch(url)).blob()).size, picture.blob.size)
    assert.equal((await menagerie().filter('blur', message, options)).cache, 'hit')
    const { item, message: link } = await menagerie().filter.json('blur', message, options)
    assert.equal(item.size, picture.blob.size)
    assert.equal(new URL(link).pathname, '/api/v2/filter/blur')
  })

  it('reads the developer information', async () => {
    assert.match((await menagerie().version()).node, /^\d+\./)
    assert.ok((await menagerie().uptime()).uptime > 0)
    const { files } = await menagerie().generated()
    assert.ok(files.some(({ name }) => name === 'statistics'))
    const nested = await menagerie().generated('statistics/downloads.json')
    assert.equal(nested.path, 'statistics/downloads.json')
    const logs = await menagerie().logs()
    const { lines } = await menagerie().logs(logs.files[0]!.fileName, { lines: 1 })
    assert.equal(lines.length, 1)
    const { files: lists } = await menagerie().blocklists()
    assert.equal((await menagerie().blocklist()).sha256, lists[0]?.sha256)
  })

  it('reads the endpoints of the product', async () => {
    const app = menagerie().app()
    const { updates, updateAvailable } = await app.updates({ current: '0.1.0' })
    assert.deepEqual([updateAvailable, updates[0]?.version], [true, '1.0.0'])
    assert.equal((await app.version('launcher', { channel: 'beta' })).launcher.version, '1.1.0-beta.1')
    assert.equal((await app.tier(3)).name, 'trusted')
    assert.equal((await app.news()).news.length, 1)
    assert.match((await app.resources()).sha256, /^[0-9a-f]{64}$/)
    assert.equal(
      app.downloadUrl('launcher', { version: '1.0.0' }),
      `${service().url}/api/v5/app/download/launcher?version=1.0.0`,
    )
    assert.equal((await fetch(app.downloadUrl('launcher'))).status, 200)
    assert.equal(typeof (await app.downloads()).total, 'number')
  })

  it('reads updates by platform and language, and counts the checks', async (t) => {
    const { url, dataDir } = await startApp(t, {
      'releases.yaml': releasesYaml({
        launcher: [
          assets('1.0.0', { name: 'a.exe' }, { name: 'a.dmg' }, { name: 'a.AppImage' }),
          JSON.stringify({
            ...JSON.parse(assets('2.0.0', { name: 'b-arm64.dmg' })),
            ...{ rollout: 0, minimum: '1.5', notes: { en: 'Faster.', de: 'Schneller.' } },
          }),
        ],
      }),
      'news/one.md': news('Hello'),
      'news/one.de.md': '---\ntitle: Hallo\n---\nHallo.\n',
    })
    const app = createClient(url, { installId: 'client-test' }).app()
    const mac = { platform: 'macos', arch: 'arm64', current: '1.0.0' } as const
    assert.deepEqual((await app.updates(mac)).updates, [])
    const { latest, updates } = await app.updates({ ...mac, manual: true, lang: 'de' })
    assert.equal(latest, '2.0.0')
    const [update] = updates
    assert.deepEqual(
      [update?.notes, update?.mandatory, update?.assets.map(({ platform, arch, kind }) => [platform, arch, kind])],
      ['Schneller.', true, [['macos', 'arm64', 'dmg']]],
    )
    assert.equal((await app.updates({ ...mac, manual: false })).updateAvailable, false)
    const { launcher, reshade, resources, minimum } = await app.versions({ platform: 'linux' })
    assert.deepEqual([launcher?.version, reshade, resources, minimum], ['1.0.0', null, null, null])
    assert.equal((await app.version('launcher', { platform: 'linux', arch: 'x64' })).launcher.version, '1.0.0')
    const location = await fetch(app.downloadUrl('launcher', { platform: 'linux' }), { redirect: 'manual' })
    assert.equal(location.headers.get('location'), 'https://cdn.example/1.0.0/a.AppImage')
    assert.deepEqual(
      (await app.news({ lang: 'de' })).news.map(({ title, lang }) => [title, lang]),
      [['Hallo', 'de']],
    )
    await until(async () => (await app.adoption()).daily.at(-1)?.checks === 3)
    assert.deepEqual((await app.adoption()).daily.at(-1)?.versions, { '1.0.0': 3 })
    const token = (await createToken(dataDir)).headers.Authorization.slice('Bearer '.length)
    assert.equal((await app.operator(token).adoption()).daily.at(-1)?.installations, 1)
  })

  it('uploads and publishes for an operator', async (t) => {
    const { url, dataDir, token } = await startPublisher(t)
    const operator = createClient(url).app().operator(token.Authorization.slice('Bearer '.length))
    const upload = await operator.upload(new Blob(['an installer']))
    const params = { application: 'reshade', version: '77.0' } as const
    const body = { assets: [{ upload, name: 'setup.exe' }] }
    assert.equal((await operator.call('PUT /releases/{application}/{version}', params, body)).changed, true)
    // It continues with what is there.
    const bytes = new Uint8Array(4 * 1024 * 1024 + 10).fill(7)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await mkdir(join(dataDir, 'uploads'), { recursive: true })
    await writeFile(join(dataDir, 'uploads', `${sha256}.part`), bytes.subarray(0, 4 * 1024 * 1024))
    assert.equal(await operator.upload(new Blob([bytes])), sha256)
    assert.equal((await operator.call('GET /uploads/{sha256}', { sha256 })).complete, true)
    assert.equal(await operator.upload(new Blob([])), createHash('sha256').digest('hex'))
    const { history } = await operator.call('GET /history', {})
    assert.equal(history[0]?.subject, 'reshade 77.0')
    await operator.call('POST /history/{id}/undo', { id: String(history[0]?.id) })
  })

  it('continues an upload after an outage and after a timeout', async (t) => {
    const { url, token } = await startPublisher(t)
    const parts: (string | undefined)[] = []
    let isDown = true
    const unreliable: typeof fetch = (input, init = {}) => {
      if (init.method !== 'PUT') return fetch(input, init)
      parts.push((init.headers as Record<string, string>)['Content-Range'])
      if (parts.length === 1) setTimeout(() => (isDown = false), 1000)
      if (isDown) throw new TypeError('fetch failed')
      const stalls = !parts.includes('stalled')
      if (!stalls) return fetch(input, init)
      parts.push('stalled')
      const body = new ReadableStream({ start: (sink) => sink.enqueue(new Uint8Array(100_000)) })
      return fetch(input, { ...init, body, duplex: 'half' } as RequestInit)
    }
    const operator = createClient(url, { fetch: unreliable })
      .app()
      .operator(token.Authorization.slice('Bearer '.length))
    await operator.upload(new Blob([new Uint8Array(200_000)]), { timeoutMs: 2000 })
    assert.equal(parts[0], 'bytes 0-199999/200000')
    assert.equal(parts.at(-1), 'bytes 100000-199999/200000')
  })

  it('manages client keys, bans and reloads for an operator', async () => {
    const { dataDir } = service()
    const token = (await createToken(dataDir)).headers.Authorization.slice('Bearer '.length)
    const app = menagerie().app()
    const request = { name: 'Fox', contact: 'fox@example.org', reason: 'It looks for updates.' }
    const { id } = await app.askForKey(request)
    const operator = app.operator(token)
    assert.deepEqual(
      (await operator.clients({ state: 'pending' })).clients.map((client) => client.id),
      [id],
    )
    assert.match((await operator.decide(id, 'grant')).key, /^[\w-]+$/)
    assert.equal((await operator.decide(id, 'revoke')).client.state, 'revoked')
    const { ban } = await operator.ban({ address: '203.0.113.9', reason: 'A test', hours: 1 })
    assert.deepEqual(
      (await operator.bans()).bans.map(({ address }) => address),
      [ban.address],
    )
    assert.deepEqual((await operator.bans({ limit: 1, offset: 1 })).bans, [])
    await operator.lift(ban.address)
    assert.deepEqual((await operator.bans()).bans, [])
    await untilEqual(async () => (await operator.reload()).problems, [], 60_000)
    assert.ok(Array.isArray((await operator.downloads({ days: 30 })).downloads))
    assert.equal((await operator.usage({ days: 7 })).usage.daily.length, 7)
    assert.equal((await failureOf(operator.downloads({ days: 0 }))).code, 'INVALID_PARAMETER')
    assert.equal((await failureOf(app.operator('wrong').overview())).code, 'TOKEN_INVALID')
  })

  it('turns every error of the service into a MenagerieError with details', async () => {
    const unknown = await failureOf(menagerie().random.animal('unicorn'))
    assert.deepEqual([unknown.code, unknown.status, unknown.name], ['UNKNOWN_KIND', 404, 'MenagerieError'])
    assert.ok((unknown.details.allowed as string[]).includes('cat'))
    assert.match(unknown.message, /There is no kind "unicorn"\./)
    assert.ok(unknown.requestId)
    const { details } = await failureOf(
      menagerie().filter('blur', `${service().url}/media/animals/cat/~a.png`, { strength: 999 }),
    )
    assert.deepEqual([details.min, details.max], [1, 256])
    assert.equal(
      (await failureOf(menagerie().filter('blur', 'http://192.168.1.1/a.png'))).code,
      'IMAGE_ADDRESS_FORBIDDEN',
    )
    assert.equal((await failureOf(menagerie().app('other').news())).code, 'UNKNOWN_PATH')
  })

  it('a parameter value cannot change the path of the request', async () => {
    assert.equal((await failureOf(menagerie().random.animal('cat/../../v1'))).code, 'UNKNOWN_KIND')
    assert.equal((await failureOf(menagerie().random.animal('cat?count=2#'))).code, 'UNKNOWN_KIND')
    await assert.rejects(menagerie().random.animal('..'), TypeError)
    await assert.rejects(menagerie().generated('statistics/../../../version'), TypeError)
  })

  it('accepts only absolute HTTP URLs without credentials', () => {
    for (const wrong of ['', '/api', 'localhost:4010', 'ftp://example.org', 'http://user:word@example.org']) {
      assert.throws(() => createClient(wrong), /is not the address of a service/, wrong)
    }
    const below = createClient('https://pets.example/api-of-pets/?a#b')
    assert.equal(below.app().downloadUrl('reshade'), 'https://pets.example/api-of-pets/api/v5/app/download/reshade')
  })
})

describe('the client library with V5_ACCESS=registered', () => {
  const service = forSuite((scope) => startTestService(scope, { V5_ACCESS: 'registered', APP_NAME: 'lantern' }))

  it('without a key, the error says where to request one; with a key, calls succeed', async () => {
    const { url, dataDir } = service()
    const app = createClient(url).app('lantern')
    const failure = await failureOf(app.updates())
    assert.deepEqual([failure.code, failure.details.keyRequestUrl], ['CLIENT_KEY_REQUIRED', `${url}/v5-access`])
    const { id } = await app.askForKey({ name: 'Fox', contact: 'fox@example.org', reason: 'It looks for updates.' })
    const token = (await createToken(dataDir)).headers.Authorization.slice('Bearer '.length)
    const { key } = await app.operator(token).decide(id, 'grant')
    const registered = createClient(url, { clientKey: key }).app('lantern')
    assert.equal((await registered.updates()).latest, '1.0.0')
  })
})
