// Commands log in to a service, and manage its tokens.
import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startImpostor, startRemote } from '../kit/remote.ts'
import { forSuite } from '../kit/scope.ts'
import { startTestService } from '../kit/service.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

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
