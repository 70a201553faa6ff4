import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { APP } from '../../../kit/app.ts'
import { DOCUMENTED_URL, readCodeBlocks } from '../../../kit/code-blocks.ts'
import { curl, jq } from '../../../kit/external-programs.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { digestOf, OPERATOR, startPublisher } from '../../../kit/operator.ts'
import { runProgram } from '../../../kit/program.ts'
import { needsNginx, startCachingNginx } from '../../../kit/proxies.ts'
import { ROOT } from '../../../kit/root.ts'
import { forSuite } from '../../../kit/scope.ts'

const ATTACK_TEXT = `Do not paste this: '; DROP TABLE users; -- <script>alert(1)</script> \${jndi:ldap://x} ../../etc/passwd`

test('the curl example works, and an upload continues with curl', { skip: !curl && 'no curl' }, async (t) => {
  const { url, token, fetchJson, dataDir } = await startPublisher(t)
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'setup.exe'), 'the installer')
  const blocks = await readCodeBlocks(join(ROOT, 'docs/operating.md'))
  const example = blocks.find(({ code }) => code.includes('/uploads/'))?.code.replaceAll(DOCUMENTED_URL, url) ?? ''
  const TOKEN = token.Authorization.slice('Bearer '.length)
  const run = async (script: string) => {
    const { status, output } = await runProgram('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, TOKEN },
    })
    assert.equal(status, 0, output)
  }
  await run(example)
  assert.equal((await fetchJson(`${APP}/launcher/updates?manual=true`)).body.latest, '2.1.0')
  assert.equal((await fetchJson(`${APP}/launcher/news`)).body.news[0].title, 'Launcher 2.1')

  await writeFile(join(dataDir, 'uploads', `${digestOf('the installer')}.part`), 'the ins')
  await run(`${example.split('curl')[0]} curl --fail -H "$AUTH" -C 7 -T setup.exe "$API/uploads/$SHA256"`)
  const { body } = await fetchJson(`${OPERATOR}/uploads/${digestOf('the installer')}`, { headers: token })
  assert.deepEqual([body.bytes, body.complete], [13, true])
})

test('the steps of the GitHub Actions example publish a release, also if they are repeated, and a wrong token bans nobody', {
  skip: !(curl && jq) && 'no curl or jq',
}, async (t) => {
  const { url, token, fetchJson } = await startPublisher(t, {}, { TRUST_PROXY: 'loopback' })
  const folder = await temporaryFolder(t)
  const runner = { 'x-forwarded-for': '203.0.113.1' }
  await writeFile(join(folder, '.curlrc'), `header = "X-Forwarded-For: ${runner['x-forwarded-for']}"`)
  await mkdir(join(folder, 'installers'))
  for (const name of ['setup.exe', 'App.dmg', 'App.AppImage'])
    await writeFile(join(folder, 'installers', name), `bytes of ${name}`)
  await writeFile(join(folder, 'NOTES.md'), '# New\n\n- "Quotes" and \\ backslashes\n')
  const workflow = parse(await readFile(join(ROOT, 'ops/github/publish-release.yml'), 'utf8'))
  const scripts = workflow.jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? [])
  assert.equal(scripts.length, 3)
  const TOKEN = token.Authorization.slice('Bearer '.length)
  const env = { API: `${url}${OPERATOR}`, TOKEN, TAG: 'v2.1.0', CURL_HOME: folder }
  // GitHub runs each step of this shell with these options.
  assert.equal(workflow.jobs.publish.defaults.run.shell, 'bash')
  const runStep = (script: string, changed = {}) =>
    runProgram('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env: { ...env, ...changed } })
  for (const script of [...scripts, ...scripts]) {
    const { status, output } = await runStep(script)
    assert.equal(status, 0, output)
  }
  assert.match((await runStep(scripts[1], { TOKEN: '' })).output, /TOKEN_INVALID/)
  assert.equal((await fetchJson('/api/v1/version', { headers: runner })).status, 200)
  const { latest, updates } = (await fetchJson(`${APP}/launcher/updates?manual=true`)).body
  assert.deepEqual([latest, updates[0].assets.length], ['2.1.0', 3])
  assert.match(updates[0].notes, /"Quotes" and \\ backslashes/)
})

test('a file of several megabytes can be uploaded through nginx', needsNginx, async (t) => {
  const { url, token } = await startPublisher(t)
  const body = 'x'.repeat(3_000_000)
  const upload = `${await startCachingNginx(t, url)}${OPERATOR}/uploads/${digestOf(body)}`
  const { status } = await fetch(upload, { method: 'PUT', headers: token, body })
  assert.equal(status, 200)
})

describe('publishing over HTTP', () => {
  // Addresses in BAN_EXEMPT are never banned, so the tests would not notice a ban. A new token may be unknown for a while.
  const operator = forSuite((scope) => startPublisher(scope, {}, { BAN_EXEMPT: '', BAN_WRONG_TOKENS: 'off' }))
  const readYaml = (name: string) => readFile(join(operator().appDir, name), 'utf8')
  const publish = (version: string, body: object, query = '') =>
    operator().send('PUT', `/releases/launcher/${version}${query}`, body)
  const byUrl = { url: 'https://cdn.example/a.exe', bytes: 5, sha256: 'ab'.repeat(32) }
  const latest = async (path = '/launcher/updates') => (await operator().fetchJson(`${APP}${path}`)).body

  test('a release with three uploads is live when the reply arrives', async () => {
    const names = ['Setup 1.0.exe', 'App-1.0.dmg', 'App-1.0.AppImage']
    for (const name of names) assert.equal((await operator().upload(`bytes of ${name}`)).status, 200)
    // Some programs print a SHA-256 in upper case.
    const assets = names.map((name) => ({ upload: digestOf(`bytes of ${name}`).toUpperCase(), name }))
    const body = { assets, notes: { en: 'New', de: 'Neu' }, minimum: '0.9.0' }

    for (const misspelled of ['?dryrun=true', '?dry-run=true']) {
      const refused = await publish('1.0.0', body, misspelled)
      assert.deepEqual([refused.status, refused.body.code], [400, 'UNKNOWN_PARAMETER'])
    }
    const dry = await publish('1.0.0', body, '?dryRun=true')
    assert.deepEqual([dry.status, dry.body.changed, dry.body.history], [200, true, null])
    assert.match(dry.body.diff, /^\+ {2}- version: 1\.0\.0$/m)
    assert.equal((await latest()).latest, null)

    const { status, headers, body: reply } = await publish('1.0.0', body)
    assert.deepEqual([status, reply.dryRun, reply.file, reply.history], [200, false, 'app/releases.yaml', 1])
    assert.match(headers.get('etag') ?? '', /^"[\w-]{43}"$/)
    const updates = await latest()
    assert.equal(updates.latest, '1.0.0')
    assert.deepEqual(
      updates.updates[0].assets.map(({ platform, kind }: Record<string, string>) => `${platform} ${kind}`),
      ['windows nsis', 'macos dmg', 'linux appimage'],
    )
    const download = await operator().fetch('/download/launcher?platform=macos')
    assert.equal(await download.text(), 'bytes of App-1.0.dmg')
    assert.deepEqual(await readdir(join(operator().dataDir, 'uploads')), ['owners.json'])

    const again = await publish('1.0.0', body)
    assert.deepEqual([again.status, again.body.changed, again.body.history], [200, false, null])

    await operator().send('PUT', '/releases/launcher/1.0.0/notes', { notes: 'Newer', lang: 'de' })
    const edited = await publish('1.0.0', body)
    assert.deepEqual([edited.status, edited.body.code], [409, 'CHANGE_REFUSED'])
    assert.match(edited.body.message, /published with other notes than this request has.*"release notes"\.$/)
    await operator().send('PUT', '/releases/launcher/1.0.0/notes', { notes: 'Newest' })
    const { release } = (await operator().send('GET', '/releases/launcher/1.0')).body
    assert.deepEqual(release.notesByLanguage, { en: 'Newest', de: 'Newer' })
    await operator().send('PUT', '/releases/launcher/1.0.0/notes', { notes: body.notes })

    const stored = join(operator().appDir, 'files', 'launcher-1.0.0.dmg')
    await writeFile(stored, 'damaged')
    const lost = await publish('1.0.0', body)
    assert.deepEqual(
      [lost.status, lost.body.message],
      [409, 'The upload of App-1.0.dmg does not exist, or is not complete.'],
    )
    await operator().upload('bytes of App-1.0.dmg')
    const { body: repair } = await publish('1.0.0', body)
    assert.deepEqual([repair.changed, repair.diff, repair.result.repaired], [true, '', ['launcher-1.0.0.dmg']])
    assert.equal(await (await operator().fetch('/download/launcher?platform=macos')).text(), 'bytes of App-1.0.dmg')
  })

  test('a release is changed, withdrawn and restored', async () => {
    const path = '/releases/reshade/1.0'
    assert.equal((await operator().send('PUT', path, { assets: [byUrl] })).status, 200)
    const steps: [method: string, path: string, body: object | undefined, key: string, value: unknown][] = [
      ['PUT', '/rollout', { rollout: 20 }, 'rollout', 20],
      ['PUT', '/rollout', { rollout: 20 }, 'rollout', 20],
      ['PUT', '/notes', { notes: 'Better' }, 'notes', 'Better'],
      ['PUT', '/minimum', { minimum: '0.5' }, 'minimum', '0.5'],
      ['PUT', '/ramp', { steps: [20, 100], every: '1d', maxFailures: 5 }, 'state', 'rolling out'],
      ['POST', '/pause', undefined, 'state', 'paused'],
      ['POST', '/resume', undefined, 'state', 'rolling out'],
      ['POST', '/report-failures', { failed: 9, total: 10 }, 'state', 'paused'],
      ['POST', '/withdraw', undefined, 'state', 'withdrawn'],
      ['POST', '/restore', undefined, 'state', 'paused'],
    ]
    for (const [method, step, body, key, value] of steps) {
      const { status, body: reply } = await operator().send(method, path + step, body)
      assert.equal(status, 200, `${step}: ${reply.message}`)
      const { body: read } = await operator().send('GET', path)
      assert.deepEqual(read.release[key], value, step)
    }
    const twice = await operator().send('POST', `${path}/restore`)
    assert.deepEqual([twice.status, twice.body.code], [409, 'CHANGE_REFUSED'])
    assert.equal(twice.body.message, 'reshade 1.0 is not withdrawn.')
  })

  test('input that the files would refuse is refused with the same rule', async () => {
    const before = await readYaml('releases.yaml')
    const mistakes: [version: string, body: unknown, status: number, message: RegExp][] = [
      ['9.0', { assets: [] }, 400, /at least one file/],
      ['9.0', { assets: Array(101).fill(byUrl) }, 400, /"assets" must have at most 100 entries/],
      ['v9', { assets: [byUrl] }, 400, /one to four numbers/],
      ['..%2fx', { assets: [byUrl] }, 400, /one to four numbers/],
      ['9.0', { assets: [{ ...byUrl, sha256: 'xyz' }] }, 409, /64 hexadecimal digits/],
      ['9.0', { assets: [{ url: byUrl.url }] }, 400, /must have its size/],
      ['9.0', { assets: [{ ...byUrl, platform: 'amiga' }] }, 400, /"assets\.0\.platform"/],
      ['9.0', { assets: [byUrl], rollout: 101 }, 400, /from 0 to 100/],
      ['9.0', { assets: [byUrl], rollout: '10' }, 400, /"rollout" must be a whole number\.$/],
      ['9.0', { assets: [byUrl], notes: 1 }, 400, /"notes" must be text or an object\.$/],
      ['9.0', {}, 400, /The body must have "assets"\.$/],
      ['9.0', { assets: [byUrl], when: 'now' }, 400, /"when" is not a field/],
      // A path on the server is not an upload.
      ['9.0', { assets: [{ file: '/etc/passwd' }] }, 400, /"assets\.0\.file" is not a known field/],
      ['9.0', { assets: [{ upload: '../../etc/passwd', name: 'a.exe' }] }, 400, /SHA-256/],
      ['9.0', { assets: [{ upload: 'ab'.repeat(32), name: '../x.exe' }] }, 400, /The name must be that of a file/],
      ['9.0', { assets: [{ upload: 'ab'.repeat(32), name: 'a\0b.exe' }] }, 400, /The name must be that of a file/],
      ['9.0', { assets: [{ upload: 'ab'.repeat(32) }] }, 400, /must have a name/],
      ['9.0', { assets: [{ upload: 'ab'.repeat(32), name: 'a.exe' }] }, 409, /upload of a\.exe does not exist/],
      ['1.0.0', { assets: [byUrl] }, 409, /already published for windows, any, nsis/],
      ['0.1', { assets: [byUrl] }, 409, /older than launcher 1\.0\.0/],
    ]
    for (const [version, body, status, message] of mistakes) {
      const reply = await publish(version, body as object)
      assert.match(reply.body.message, message)
      assert.equal(reply.status, status, reply.body.message)
    }
    for (const path of ['/releases/launcher/8.8', '/releases/luncher/1.0.0', '/resources/8.8']) {
      for (const [method, action] of [
        ['POST', '/withdraw'],
        ['GET', ''],
      ] as const) {
        const unknown = await operator().send(method, path + action)
        assert.deepEqual([unknown.status, unknown.body.code], [404, 'UNKNOWN_ENTRY'], path)
      }
    }
    assert.equal(await readYaml('releases.yaml'), before)
  })

  test('the names of uploaded files do not reach the disk', async () => {
    for (const [index, name] of ['con', 'a%00b.exe', '🦊.exe', `${'x'.repeat(196)}.exe`].entries()) {
      await operator().upload(name)
      const assets = [{ upload: digestOf(name), name }]
      const { status, body } = await operator().send('PUT', `/releases/fpsUnlocker/${index + 1}`, { assets })
      assert.equal(status, 200, body.message)
    }
    const files = (await readdir(join(operator().appDir, 'files'))).filter((file) => file.startsWith('fps'))
    assert.deepEqual(files, ['fpsUnlocker-1', 'fpsUnlocker-2.exe', 'fpsUnlocker-3.exe', 'fpsUnlocker-4.exe'])
  })

  test('news are published, translated, edited by two operators, and removed', async () => {
    const first = await operator().send('PUT', '/news/hello', { title: 'Hello', markdown: 'Text.', at: '2026-01-01' })
    assert.deepEqual([first.status, first.body.file], [200, 'app/news/hello.md'])
    const german = { title: 'Hallo', markdown: 'Ein Text.' }
    assert.equal((await operator().send('PUT', '/news/hello/translations/de', german)).status, 200)
    assert.equal((await latest('/launcher/news?lang=de')).news[0].title, 'Hallo')

    const { headers, body } = await operator().send('GET', '/news/hello')
    const { title, markdown, date, lang, translations } = body.news
    assert.deepEqual([title, markdown.trim(), lang, translations], ['Hello', 'Text.', 'en', ['de']])
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    const edit = (title: string) => operator().send('PUT', '/news/hello', { title, markdown: 'Edited.' }, ifMatch)
    assert.equal((await edit('Hello, all')).status, 200)
    const late = await edit('Goodbye')
    assert.deepEqual([late.status, late.body.code], [412, 'PRECONDITION_FAILED'])
    const [item] = (await latest('/launcher/news')).news
    assert.deepEqual([item.title, item.date], ['Hello, all', date])

    const create = { 'if-none-match': '*' }
    const taken = await operator().send('PUT', '/news/hello', { title: 'Mine', markdown: 'x' }, create)
    assert.equal(taken.status, 412)
    for (const id of ['..%2fx', 'a%00b', '%F0%9F%A6%8A', 'x'.repeat(121)]) {
      const { status, body } = await operator().send('PUT', `/news/${id}`, { title: 'x', markdown: 'x' })
      assert.deepEqual([status, body.code], [400, 'INVALID_BODY'], id)
    }
    assert.equal((await operator().send('DELETE', '/news/hello/translations/fr')).status, 404)
    assert.equal((await operator().send('DELETE', '/news/hello')).status, 200)
    assert.deepEqual(await readdir(join(operator().appDir, 'news')), [])
    assert.equal((await operator().send('GET', '/news/hello')).status, 404)
  })

  test('text that looks like an attack is published and bans nobody', async () => {
    const body = { title: ATTACK_TEXT, markdown: `${ATTACK_TEXT}\n\n    SELECT 1 UNION SELECT 2` }
    const { status } = await operator().send('PUT', '/news/attack', body, { 'x-note': ATTACK_TEXT })
    assert.equal(status, 200)
    assert.equal((await latest('/launcher/news')).news[0].title, ATTACK_TEXT)
    // Without the scope it is refused, but its sender is not banned.
    const reader = await operator().authorize(['read', 'write'])
    const refused = await operator().send('PUT', '/news/attack', body, reader)
    assert.deepEqual([refused.status, refused.body.code], [403, 'TOKEN_SCOPE_MISSING'])
    assert.equal((await operator().send('DELETE', '/news/attack')).status, 200)
  })

  test('resources and tiers are published', async () => {
    await operator().upload('data')
    const resources = { upload: digestOf('data'), name: 'resources.zip' }
    const publishTwice = async (first: boolean) => {
      for (const changed of [first, false]) {
        const { status, body } = await operator().send('PUT', '/resources/3.2.0', resources)
        assert.deepEqual([status, body.changed], [200, changed], body.message)
      }
    }
    await publishTwice(true)
    await rm(join(operator().appDir, 'files', 'resources-3.2.0.zip'))
    await operator().upload('data')
    await publishTwice(true)
    assert.equal((await latest('/version/app/launcher/resources')).message, '3.2.0')
    assert.equal((await operator().send('POST', '/resources/3.2.0/withdraw')).status, 200)
    assert.equal((await operator().send('POST', '/resources/3.2.0/restore')).status, 200)

    const tier = { resources: { maps: '1.0', old: '1' }, benefits: ['A badge'] }
    const { headers } = await operator().send('PUT', '/tiers/2', tier)
    assert.deepEqual((await latest('/version/tier/2')).benefits, ['A badge'])
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    const replaced = { resources: { maps: '1.1' }, replace: true }
    assert.equal((await operator().send('PUT', '/tiers/2', replaced, ifMatch)).status, 200)
    const { body } = await operator().send('GET', '/tiers/2')
    assert.deepEqual([body.tier.resources, body.tier.benefits], [{ maps: '1.1' }, []])
    assert.equal((await operator().send('PUT', '/tiers/2', tier, ifMatch)).status, 412)
  })

  test('ten operators at once lose no change', async () => {
    const versions = Array.from({ length: 10 }, (_, index) => `50.${index}`)
    const replies = await Promise.all(versions.map((version) => publish(version, { assets: [byUrl], force: true })))
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const text = await readYaml('releases.yaml')
    for (const version of versions) assert.ok(text.includes(`version: ${version}\n`) || text.includes(`"${version}"`))
    assert.equal(new Set(replies.map(({ body }) => body.history)).size, 10)
  })
})
