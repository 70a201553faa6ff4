// Commands act on a real service over loopback HTTP, from another folder.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request as forward, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createCertificate, hasOpenssl } from '../kit/certificate.ts'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { digestOf, startPublisher } from '../kit/operator.ts'
import { tinyPng } from '../kit/pictures.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { startTestService } from '../kit/service.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

/** A service, and a command line in another folder with a token for it. */
async function startRemote(scope: Scope, settings: Record<string, string> = {}) {
  const app = await startPublisher(scope, {}, settings)
  const tokenWith = async (...scopes: ('read' | 'write' | 'publish')[]) =>
    (await app.authorize(scopes)).Authorization!.slice('Bearer '.length)
  const token = await tokenWith('read', 'write', 'publish')
  const local = await commandLine(scope)
  const laptop = await commandLine(scope, {
    CONTENT_DIR: join(local.folder, 'none'),
    MENAGERIE_SERVER: app.url,
    MENAGERIE_TOKEN: token,
  })
  await writeFile(laptop.file('setup.exe'), 'hello')
  return { app, laptop, local, token, tokenWith }
}

/** A server that claims to be a service with these operator endpoints. */
async function startImpostor(scope: Scope, endpoints: readonly string[], handle: RequestListener = () => {}) {
  const operations = ['/token', ...endpoints].map((path) => [
    `/api/v5/app/operator${path}`,
    { get: {}, put: {}, post: {} },
  ])
  const description = JSON.stringify({ paths: Object.fromEntries(operations) })
  const { url } = await startSource(scope, (request, reply) =>
    request.url === '/openapi.json' ? void reply.end(description) : handle(request, reply),
  )
  return url('')
}

describe('commands on a remote service', () => {
  // Otherwise the commands would wait.
  const open = forSuite((scope) => startRemote(scope, { RATE_LIMIT: 'off' }))

  test('what they publish, list and undo is the same as locally', async (t) => {
    const { app, laptop, local } = open()
    const downloads = await startSource(t, (_, reply) => void reply.end('download'))
    const setup = laptop.file('setup.exe')
    await writeFile(laptop.file('notes.md'), 'Starts *faster*.')
    await writeFile(laptop.file('hosts.txt'), 'bad.example\nworse.example\n')
    await writeFile(laptop.file('hello.md'), '---\ntitle: Hello\nid: hello\n---\nWorld')
    const calls = [
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md'), '--dry-run'],
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md')],
      ['release', 'publish', 'launcher', '0.9.0', setup],
      ['release', 'publish', 'launcher', '1.0.0', setup],
      ['release', 'rollout', 'launcher', '1.0.0', '10'],
      ['release', 'rollout', 'launcher', '9.0.0', '10'],
      ['release', 'ramp', 'launcher', '1.0.0', '20,100'],
      ['release', 'report-failures', 'launcher', '1.0.0', '1', '300'],
      ['release', 'minimum', 'launcher', '1.0.0'],
      ['release', 'notes', 'launcher', '1.0.0', laptop.file('notes.md')],
      ['release', 'withdraw', 'launcher', '1.0.0'],
      ['release', 'restore', 'launcher', '1.0.0'],
      ['release', 'publish', 'reshade', '6.0.0', '--url', downloads.url('/reshade-setup.exe')],
      ['resources', 'publish', '2.0.0', '--url', downloads.url('/resources.zip')],
      ['resources', 'publish', '3.0.0', '--file', setup],
      ['resources', 'remove', '2.0.0'],
      ['resources', 'remove', '2.0.0'],
      ['news', 'add', laptop.file('hello.md')],
      ['news', 'add', '--id', 'hello', '--lang', 'de', '--title', 'Hallo', '--text', 'Welt'],
      ['news', 'list'],
      ['news', 'edit', 'hello'],
      ['news', 'edit', 'hello', '--title', 'Hello, all'],
      ['news', 'edit', 'hello', '--lang', 'de', '--text', 'Ganze Welt'],
      ['news', 'show', 'hello'],
      ['news', 'show', 'hello', '--lang', 'de'],
      ['news', 'remove', 'hello', '--lang', 'de'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'show', '2'],
      ['history', 'undo', '1'],
      ['history', 'undo', '2', '--dry-run'],
      ['history', 'show', '99'],
      ['ban', 'add', '192.0.2.0/24', '--for', '12h'],
      ['ban', 'lift', '192.0.2.0/24'],
      ['content', 'add', 'cat', laptop.file('a.png'), '--author', 'Ann', '--dry-run'],
      ['content', 'add', 'cat', laptop.file('a.png'), laptop.file('none.png'), '--author', 'Ann', '--tag', 'hat'],
      ['content', 'add', 'cat', laptop.file('none.png')],
      ['content', 'add', 'cat', laptop.file('a.png')],
      ['content', 'add', 'cat', laptop.file('empty.png'), laptop.file('a.png')],
      ['content', 'list', 'cat'],
      ['content', 'remove', 'cat', 'none.png'],
      ['content', 'remove', 'cat'],
      ['content', 'remove', 'cat', '--all'],
      ['content', 'list', 'cat'],
      ['content', 'list', 'nonesuch'],
      ['content', 'add', 'cat', laptop.file('a.png'), '--keep-drawings'],
      ['content', 'add', 'otter', laptop.file('a.png'), '--keep-drawings'],
      ['list', 'put', 'string', 'fortune', laptop.file('notes.md')],
      ['list', 'show', 'string', 'fortune'],
      ['list', 'remove', 'string', 'fortune'],
      ['list', 'show', 'string', 'fortune'],
      ['blocklist', 'check', 'img.bad.example'],
      ['blocklist', 'update', laptop.file('hosts.txt')],
      ['blocklist', 'update', laptop.file('hosts.txt')],
      ['blocklist', 'check', 'img.bad.example'],
      ['blocklist', 'update', laptop.file('none.txt')],
      ['blocklist', 'update', laptop.file('setup.exe')],
      ['blocklist', 'update', laptop.file('empty.png')],
      ['blocklist', 'update', laptop.file('empty.png'), '--force'],
      ['content', 'accept'],
      ['downloads', '--csv'],
      ['clients', 'list'],
      ['clients', 'grant', 'nobody'],
    ]
    await writeSettledFiles(laptop.folder, { 'a.png': tinyPng(1), 'empty.png': '' })
    // Copied by hand: its name has no digest.
    for (const folder of [app.contentDir, local.contentDir])
      await writeSettledFiles(folder, { 'animals/cat/my-cat.png': tinyPng(2) })
    const notice = `Service: ${app.url}\n`
    // A slow machine shows progress.
    const withoutProgress = (text: string) => text.replace(/^[A-Z][\w ]+: .+ of .+\n/gm, '')
    const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3}Z)?/g, 'TIME')
    const listUploads = async () => {
      const names = await readdir(join(app.dataDir, 'uploads')).catch(() => [])
      return names.filter((name) => name !== 'owners.json')
    }
    for (const words of calls) {
      if (words.includes('--dry-run')) assert.deepEqual(await listUploads(), [])
      const [there, here] = [await laptop.run(...words), await local.run(...words)]
      assert.ok(there.stderr.startsWith(notice), words.join(' '))
      assert.deepEqual(
        [there.code, withoutTimes(there.stdout), withoutProgress(there.stderr.slice(notice.length))],
        [here.code, withoutTimes(here.stdout), withoutProgress(here.stderr)],
        words.join(' '),
      )
    }
    for (const words of [
      ['release', 'list'],
      ['resources', 'list'],
      ['news', 'list'],
      ['tier', 'show'],
      ['ban', 'list'],
    ]) {
      const [there, here] = [await laptop.json(...words), await local.json(...words)]
      const clean = (value: object) => withoutTimes(JSON.stringify(value))
      assert.equal(clean(there), clean(here), words.join(' '))
    }
    // The service reads new pictures within two seconds.
    for (const name of ['list', 'check']) {
      const { stdout } = await local.run('content', name)
      await until(async () => (await laptop.run('content', name)).stdout === stdout)
    }
    // The service also knows lists that it read before they were removed.
    assert.match(
      (await laptop.run('content', 'accept', 'nothing')).stderr,
      /There is no "nothing"\. Known names: animals\/cat/,
    )
    // The bundle has all parts.
    const { history } = await laptop.program.json('history', 'list')
    await laptop.program.json('release', 'withdraw', 'launcher', '1.0.0', '--dry-run')
    assert.equal(history[0].by, 'a test')
    assert.equal(await readFile(join(app.appDir, 'files', 'launcher-1.0.0.exe'), 'utf8'), 'hello')
    await laptop.json('history', 'undo', String(history[0].id))
  })
})

describe('a remote service', () => {
  const open = forSuite((scope) => startRemote(scope))
  const onlyFolders = { MENAGERIE_SERVER: '', MENAGERIE_TOKEN: '' }

  test('login checks and stores the token for the user alone, and logout removes it', async (t) => {
    const { app, laptop, token } = open()
    const XDG_CONFIG_HOME = await temporaryFolder(t)
    const runAlone = (words: string, input?: string) =>
      laptop.runWith({ ...onlyFolders, XDG_CONFIG_HOME }, words.split(' '), input)
    const wrong = await runAlone(`login ${app.url}`, 'mngo_wrong')
    assert.deepEqual([wrong.code, wrong.stderr.includes('does not accept the token')], [1, true])
    assert.equal((await runAlone(`login ${app.url}`, 'two words')).code, 2)

    const login = await runAlone(`login ${app.url}/`, `${token}\n`)
    assert.equal(login.code, 0, login.stderr)
    assert.match(login.stdout, /"a test" \(read, write, publish\)/)
    assert.doesNotMatch(wrong.stderr + login.stdout + login.stderr, new RegExp(`${token}|mngo_wrong`))
    const { mode } = await stat(join(XDG_CONFIG_HOME, 'menagerie', 'login.json'))
    assert.equal(mode & 0o777, 0o600)

    const listed = await runAlone('release list')
    assert.deepEqual([listed.code, listed.stderr], [0, `Service: ${app.url}\nThere are no releases.\n`])
    assert.equal((await runAlone('release list --server local')).stderr, 'There are no releases.\n')
    const other = await runAlone('release list --server http://127.0.0.1:1')
    assert.match(other.stderr, /There is no token for http:\/\/127\.0\.0\.1:1\./)
    for (const command of ['store status', 'store copy current sqlite:copy']) {
      const refused = await runAlone(command)
      assert.deepEqual([refused.code, /cannot act on http.*--server local/.test(refused.stderr)], [1, true], command)
    }
    assert.equal((await runAlone('completion bash')).code, 0)
    assert.match((await runAlone(`serve --server ${app.url}`)).stderr, /"serve" cannot act on/)

    assert.equal((await runAlone('logout')).stdout, `Logged out of ${app.url}.\n`)
    assert.deepEqual(await runAlone('release list'), { code: 0, stdout: '', stderr: 'There are no releases.\n' })
    assert.equal((await runAlone('release list --json')).stderr, '')
  })

  test('a token creates and revokes tokens with at most its own scopes and lifetime', async () => {
    const { laptop, app, tokenWith } = open()
    const { token, secret } = await laptop.json('token', 'create', 'ci', '--scope', 'publish', '--expires', '1h')
    assert.deepEqual([token.label, token.scopes], ['ci', ['read', 'publish']])
    const writer = { MENAGERIE_TOKEN: await tokenWith('read', 'write') }
    const refused = await laptop.runWith(writer, ['token', 'create', 'more', '--scope', 'publish'])
    assert.deepEqual([refused.code, /does not have the scope "publish"/.test(refused.stderr)], [1, true])
    const stronger = await laptop.runWith(writer, ['token', 'revoke', token.id])
    assert.match(stronger.stderr, /does not have the scope "publish"/)
    const own = (await laptop.json('token', 'create', 'short', '--scope', 'write', '--expires', '1h')).secret
    const short = { MENAGERIE_TOKEN: own }
    const longer = await laptop.runWith(short, ['token', 'create', 'long', '--expires', '2h'])
    assert.deepEqual([longer.code, /must not expire after your own token/.test(longer.stderr)], [2, true])
    const inherited = JSON.parse((await laptop.runWith(short, ['token', 'create', 'same', '--json'])).stdout).token
    assert.ok(Date.parse(inherited.expiresAt) <= Date.now() + 3_600_000)
    // A token without "write" sees no tokens.
    assert.equal((await laptop.runWith({ MENAGERIE_TOKEN: secret }, ['token', 'list'])).code, 1)
    assert.match((await laptop.run('token', 'list')).stdout, new RegExp(`^${token.id}\tci\tread publish\t`, 'm'))
    await laptop.json('token', 'revoke', token.id)
    const gone = await fetch(`${app.url}/api/v5/app/operator/releases`, {
      headers: { Authorization: `Bearer ${secret}` },
    })
    assert.equal(gone.status, 401)
    assert.match((await laptop.run('token', 'revoke', token.id)).stderr, /There is no token/)
  })

  test('the doctor checks what the service reports', async () => {
    const { app, laptop } = open()
    const healthy = await laptop.json('doctor')
    assert.deepEqual(healthy.counts.error, 0)
    await writeSettledFiles(app.contentDir, { 'string/broken.txt': '# nothing' })
    await until(async () => (await laptop.run('doctor')).stdout.includes('string/broken.txt'))
    const { code, stdout } = await laptop.run('content', 'check')
    assert.deepEqual([code, /^string\/broken\.txt empty: /m.test(stdout)], [1, true])
    await rm(join(app.contentDir, 'string/broken.txt'))
  })

  test('a missing scope, an older service, another server and no server are explained', async (t) => {
    const { app, laptop, tokenWith } = open()
    const reader = { MENAGERIE_TOKEN: await tokenWith('read') }
    const refused = await laptop.runWith(reader, ['release', 'withdraw', 'launcher', '1.0.0'])
    assert.deepEqual([refused.code, /does not have the scope "publish"/.test(refused.stderr)], [1, true])
    const website = await startSource(t, (_, reply) => void reply.end('<html>'))
    for (const [server, message] of [
      [await startImpostor(t, []), /is too old for this command\. Upgrade it\.\n$/],
      [website.url(''), /not a reply of a Menagerie/],
      ['http://127.0.0.1:2', /cannot be reached: connection refused\.\n$/],
      ['http://animals.example.org', /\nTry: .* --help\n$/],
      [app.url.replace('http:', 'https:'), /does not use HTTPS/],
    ] as const) {
      assert.match((await laptop.runWith({ MENAGERIE_SERVER: server }, ['release', 'list'])).stderr, message)
    }
    assert.equal((await laptop.run('release', 'withdraw', 'launcher', '..')).code, 2)
  })

  test('the token is not sent to the target of a redirect', async (t) => {
    const { laptop } = open()
    const requests: string[] = []
    const thief = await startSource(t, ({ url = '' }, reply) => {
      requests.push(url)
      reply.end('{}')
    })
    const MENAGERIE_SERVER = await startImpostor(t, ['/releases'], ({ url }, reply) => {
      reply.writeHead(307, { Location: thief.url(url) }).end()
    })
    const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER }, ['release', 'list'])
    assert.deepEqual([code, requests], [1, []])
    assert.ok(stderr.includes(`redirects to http://${thief.host}`), stderr)
  })

  test('the replies of a hostile server neither control the terminal nor fill the memory', async (t) => {
    const { laptop } = open()
    const hostile = '\x1b]0;title\x07\x1b[2J\x1b[8m'
    function* endless() {
      for (;;) yield Buffer.alloc(2 ** 20, ' ')
    }
    const fields = { id: 1, at: hostile, change: hostile, subject: hostile, label: 'a', scopes: [hostile], files: [] }
    const ban = { address: hostile, until: 0 }
    const answer = JSON.stringify({ token: fields, change: fields, file: '', diff: '+a', ban })
    const endpoints = ['/history/{id}', '/history/{id}/undo', '/bans', '/releases']
    const server = await startImpostor(t, endpoints, ({ url }, reply) => {
      if (url?.endsWith('/releases')) pipeline(Readable.from(endless()), reply, () => {})
      else reply.end(answer)
    })
    const env = { MENAGERIE_SERVER: server, XDG_CONFIG_HOME: laptop.folder, FORCE_COLOR: '1' }
    for (const words of [
      ['login', server],
      ['history', 'undo', '1'],
      ['ban', 'add', '192.0.2.1'],
    ]) {
      const { stdout } = await laptop.runWith(env, words)
      assert.ok(stdout.includes('\\u{1b}]0;title') && !/\x1b(?:\]|\[8m)/.test(stdout), stdout)
    }
    const { code, stderr } = await laptop.runWith(env, ['release', 'list'])
    assert.deepEqual([code, /its reply has more than \d+ bytes/.test(stderr)], [1, true], stderr)
  })

  test('a hostile server cannot keep a command busy forever, and its replies are not reported as bugs', async (t) => {
    const { laptop } = open()
    let requests = 0
    let body: object = {}
    const names = ['bans', 'releases', 'history', 'tokens', 'clients', 'news', 'downloads', 'usage', 'uploads/{sha256}']
    const endpoints = names.map((name) => `/${name}`)
    const MENAGERIE_SERVER = await startImpostor(t, endpoints, (request, reply) => {
      requests++
      request.resume()
      reply.end(JSON.stringify(body))
    })
    const publish = ['release', 'publish', 'launcher', '7.0.0', laptop.file('setup.exe')]
    const readers = ['ban', 'release', 'history', 'token', 'client', 'news'].map((group) => [group, 'list'])
    const odd = { bans: [{}], releases: [{}], history: [{}], tokens: [{}], clients: [{}], news: [{}], total: 'x' }
    for (const malformed of [{}, [], { bans: 5, total: 5, releases: {}, history: 'x', tokens: null }, odd]) {
      body = malformed
      for (const words of [...readers, ['ban', 'add', '192.0.2.1'], ['downloads'], ['usage']]) {
        const { stderr } = await laptop.runWith({ MENAGERIE_SERVER }, words)
        assert.ok(!stderr.includes('This is a bug'), `${words}: ${stderr}`)
      }
    }
    for (const [endless, words] of [
      [{ bans: [{ address: '192.0.2.1', at: '2026-01-01', until: '2026-01-01' }], total: 1e9 }, ['ban', 'list']],
      [{ bytes: 0, complete: false }, publish],
    ] as const) {
      body = endless
      requests = 0
      const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER }, [...words])
      assert.deepEqual([code, /too many pages|does not complete the upload/.test(stderr)], [1, true], stderr)
      assert.ok(requests <= 200, String(requests))
    }
  })

  test('an untrusted certificate is refused', { skip: hasOpenssl() ? false : 'no openssl' }, async (t) => {
    const { laptop } = open()
    const server = createHttpsServer(createCertificate(await temporaryFolder(t), 'localhost'), (_, reply) =>
      reply.end('{}'),
    )
    t.after(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER: url }, ['release', 'list'])
    assert.deepEqual([code, /certificate is self-signed.*NODE_EXTRA_CA_CERTS/.test(stderr)], [1, true], stderr)
  })

  test('an upload continues after a broken connection, however many break', async (t) => {
    const { app, laptop } = open()
    const bytes = randomBytes(9 * 1024 * 1024)
    await writeFile(laptop.file('large.exe'), bytes)
    const { port } = new URL(app.url)
    const starts: string[] = []
    const proxy = await startSource(t, (request, reply) => {
      const range = request.headers['content-range']
      if (range) starts.push(range)
      const forwarded = forward({ port, path: request.url, method: request.method, headers: request.headers })
      forwarded.on('response', (answer) => {
        reply.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(reply)
      })
      forwarded.on('error', () => reply.destroy())
      // The second part breaks after each half of a megabyte.
      if (starts.length < 2 || starts.length > 8 || !range) return void request.pipe(forwarded)
      let sent = 0
      request.on('data', (chunk: Buffer) => {
        forwarded.write(chunk)
        sent += chunk.length
        if (sent > 512 * 1024) {
          request.removeAllListeners('data')
          forwarded.end()
          forwarded.destroy()
          request.destroy()
        }
      })
    })
    const words = ['release', 'publish', 'launcher', '5.0.0', laptop.file('large.exe'), '--json']
    const result = await laptop.runWith({ MENAGERIE_SERVER: proxy.url('') }, words)
    assert.equal(result.code, 0, result.stderr)
    assert.equal(JSON.parse(result.stdout).assets[0].sha256, digestOf(bytes))
    assert.deepEqual(await readFile(join(app.appDir, 'files', 'launcher-5.0.0.exe')), bytes)
    assert.equal(starts[1], 'bytes 4194304-8388607/9437184')
    // What arrived before is not sent again.
    assert.match(starts[2]!, /^bytes (?!0-)\d{7}-/)
  })
})

test('many pictures are added within the rate limit of the service', async (t) => {
  const { app, laptop } = await startRemote(t, { RATE_LIMIT: '20/1' })
  const names = Array.from({ length: 20 }, (_, index) => `${index}.png`)
  await writeSettledFiles(
    laptop.file('pictures'),
    Object.fromEntries(names.map((name, index) => [name, tinyPng(index)])),
  )
  const listFiles = () => readdir(join(app.contentDir, 'animals', 'capybara')).catch(() => [])
  const add = async () => {
    const { results } = await laptop.json('content', 'add', 'capybara', laptop.file('pictures'), '--author', 'Ann')
    assert.equal(results.filter(({ outcome }: { outcome: string }) => outcome === 'added').length, 20)
    assert.equal((await listFiles()).length, 21)
  }
  await add()
  await laptop.json('history', 'undo', '1')
  assert.deepEqual(await listFiles(), [])
  assert.match((await laptop.run('history', 'show', '1')).stdout, /^\+animals\/capybara\/0-[0-9a-f]{12}\.png/m)
  await add()
})

test('"token create" warns if no service uses the folder', async (t) => {
  const { dataDir, service } = await startTestService(t)
  const { HOST, PORT } = { HOST: '127.0.0.1', PORT: new URL(service.url).port }
  const unused = await commandLine(t, { HOST, PORT })
  assert.match((await unused.run('token', 'create', 'x')).stderr, /^No service has used DATA_DIR \(.*\) yet\./)
  await writeFile(join(unused.dataDir, 'service.lock'), '')
  assert.match((await unused.run('token', 'create', 'x')).stderr, /uses another DATA_DIR than/)
  const used = await commandLine(t, { HOST, PORT, DATA_DIR: dataDir })
  assert.equal((await used.run('token', 'create', 'x')).stderr, '')
})
