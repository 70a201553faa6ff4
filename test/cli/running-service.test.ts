// Commands that act on a running service.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { freePort } from '../kit/redis.ts'
import { PROGRAM } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'
import { startTestService } from '../kit/service.ts'
import { spawnService } from '../kit/service-process.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

/** A change by a command takes effect in the service within this time. */
const EFFECT_TIMEOUT_MS = 2000

describe('with a running service', () => {
  const suite = forSuite(async (scope) => {
    const cli = await commandLine(scope)
    const settings = { CONTENT_DIR: cli.contentDir, DATA_DIR: cli.dataDir, V5_ACCESS: 'registered' }
    return { cli, service: await startTestService(scope, settings) }
  })

  const requestKey = async (): Promise<string> => {
    const { status, body } = await suite().service.fetchJson('/api/v5/app/clients', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ann’s page', contact: 'ann@example.org', reason: 'Shows what is new.' }),
    })
    assert.equal(status, 201)
    return body.id
  }

  test('a client requests a key, uses the granted key, and loses it when it is revoked', async () => {
    const { cli, service } = suite()
    const fetchUpdates = (key?: string) =>
      fetch(`${service.url}/api/v5/app/launcher/updates`, { headers: key ? { 'x-client-key': key } : {} })
    assert.equal((await fetchUpdates()).status, 401)
    const id = await requestKey()
    const { clients } = await cli.json('clients', 'list', '--state', 'pending')
    assert.deepEqual([clients[0].id, clients[0].name], [id, 'Ann’s page'])

    const { key } = await cli.json('clients', 'grant', id)
    assert.equal(
      await cli.fail('clients', 'grant', id),
      'This client is already granted. To issue a new key, revoke the current one first.',
    )
    await until(async () => (await fetchUpdates(key)).status === 200, EFFECT_TIMEOUT_MS)
    const { stdout } = await cli.run('clients', 'list')
    assert.ok(stdout.includes('granted') && stdout.includes('ann@example.org') && !stdout.includes(key))

    assert.match(
      (await cli.run('clients', 'revoke', id)).stdout,
      /^The key of Ann’s page \(ann@example\.org\) is revoked\./,
    )
    await until(async () => (await fetchUpdates(key)).status === 401, EFFECT_TIMEOUT_MS)
    const refusal = await cli.fail('clients', 'refuse', id)
    assert.equal(refusal, 'The client is in state "revoked". To become "refused", it must be in state "pending".')
    assert.match(await cli.fail('token', 'revoke', 'nobody'), /^There is no token "nobody"\. .*"token list"/)
    assert.match(await cli.fail('clients', 'grant', 'nobody'), /^There is no client "nobody"/)
    assert.match(await cli.fail('clients', 'list', '--state', 'pendnig'), /Did you mean pending\?$/)
  })

  test('a token gives access to the operator endpoints within its scope until it is revoked', async () => {
    const { cli, service } = suite()
    const fetchOperator = (secret: string, path = 'overview', method = 'GET') =>
      fetch(`${service.url}/api/v5/app/operator/${path}`, { method, headers: { authorization: `Bearer ${secret}` } })
    const reader = await cli.json('token', 'create', 'dashboard', '--expires', '90d')
    const writer = await cli.json('token', 'create', 'script', '--scope', 'write')
    await until(async () => (await fetchOperator(writer.secret)).status === 200, EFFECT_TIMEOUT_MS)
    assert.equal((await fetchOperator(reader.secret)).status, 200)
    assert.equal((await fetchOperator(reader.secret, 'reload', 'POST')).status, 403)
    assert.equal((await fetchOperator(writer.secret, 'reload', 'POST')).status, 200)
    let list = ''
    // The service saves the time of use after the reply.
    await until(async () => {
      list = (await cli.run('token', 'list')).stdout
      return /^\w{8}\tdashboard\tread\t2\S+Z\t2\S+Z\t2\S+Z$/m.test(list)
    })
    assert.ok(!list.includes(reader.secret))

    await cli.json('token', 'revoke', writer.token.id)
    await until(async () => (await fetchOperator(writer.secret)).status === 401, EFFECT_TIMEOUT_MS)
    const [gone, past, impossible, blank] = await Promise.all([
      cli.fail('token', 'revoke', writer.token.id),
      cli.fail('token', 'create', 'x', '--expires', '2020-01-01'),
      cli.fail('token', 'create', 'x', '--expires', '2027-02-30'),
      cli.fail('token', 'create', '  '),
    ])
    assert.match(gone, /^There is no token/)
    assert.equal(past, '--expires must be in the future, not "2020-01-01".')
    assert.match(impossible, /^--expires must be a duration such as 12h/)
    assert.match(blank, /"label" must be text of 1 to 64 characters/)
  })

  test('a release is offered within two seconds of "release publish", until "release withdraw"', async () => {
    const { cli, service } = suite()
    await writeFile(cli.file('setup.exe'), 'hello')
    const { key } = await cli.json('clients', 'grant', await requestKey())
    const latest = async () => {
      const reply = await fetch(`${service.url}/api/v5/app/launcher/updates`, { headers: { 'x-client-key': key } })
      return ((await reply.json()) as { latest?: string | null }).latest
    }
    await until(async () => (await latest()) === null, EFFECT_TIMEOUT_MS)
    await cli.json('release', 'publish', 'launcher', '2.0.0', '--file', cli.file('setup.exe'))
    await until(async () => (await latest()) === '2.0.0', EFFECT_TIMEOUT_MS)
    await cli.json('release', 'withdraw', 'launcher', '2.0.0')
    await until(async () => (await latest()) === null, EFFECT_TIMEOUT_MS)
  })
})

test('"serve --json" prints only its URL on standard output', async (t) => {
  const { folder, env } = await commandLine(t)
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--json'], { cwd: folder, env })
  t.after(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  await until(() => output.endsWith('\n'), 20_000)
  const { success, url } = JSON.parse(output)
  assert.deepEqual([success, (await fetch(`${url}/healthz`)).status], [true, 200])
  const before = output
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  assert.equal(output, before)
})

test('the sign-in link is not printed without a terminal, unless SIGN_IN_LINK=always, and never for other machines', async (t) => {
  const link = /^ +http:\/\/127\.0\.0\.1:\d+\/operator#sign-in=mngl_[\w-]{43}$/m
  const start = async (settings: Record<string, string>) => {
    const { opened, output } = await spawnService(t, settings)
    await opened
    await until(() => output().includes('lists the settings.'))
    return output()
  }
  const usual = await start({ npm_lifecycle_event: 'start' })
  assert.match(usual, /Press Ctrl-C to stop\. npm start -- --help lists/)
  assert.doesNotMatch(usual, /sign-in/)
  const always = await start({ npm_lifecycle_event: 'menagerie', SIGN_IN_LINK: 'always' })
  assert.match(always, /Press Ctrl-C to stop\. npm run menagerie -- serve --help lists/)
  assert.match(always, link)
  const { service } = await startTestService(t, { HOST: '0.0.0.0' })
  assert.equal(service.createSignInUrl(), undefined)
})

test('"health" shows the state of the running service', async (t) => {
  const { url, untilHealthy } = await startTestService(t)
  await untilHealthy()
  const { program } = await commandLine(t, { HOST: '0.0.0.0', PORT: new URL(url).port })
  assert.deepEqual(await program.json('health'), { success: true, state: 'ok', problems: [] })
})

test('"health" fails if nothing listens, or if the service is stopping', async (t) => {
  const anyPort = await commandLine(t, { PORT: '0' })
  assert.match(await anyPort.fail('health'), /^PORT is 0\./)
  const unused = await commandLine(t, { PORT: String(await freePort()) })
  assert.match(await unused.fail('health'), /^No service replies at http:\/\/127\.0\.0\.1:\d+\./)
  const { url, service } = await startTestService(t)
  const { run } = await commandLine(t, { PORT: new URL(url).port })
  // Longer than a machine stops.
  const stopping = service.stop({ graceMs: 4000, lingerMs: 0 })
  const { code, stdout } = await run('health')
  assert.deepEqual([code, stdout], [1, 'not ready\n  service: the service is stopping\n'])
  await stopping
})

test('"health" fails if another program uses the port, and escapes control characters in replies', async (t) => {
  let body = ''
  const { host } = await startSource(t, (_, reply) => void reply.end(body))
  const { run, fail } = await commandLine(t, { PORT: host.split(':')[1]! })
  for (const invalid of ['hello', 'null', '[]', '{}', '{"state":"ok"}', '{"success":true,"state":"\\u001b[2J"}']) {
    body = invalid
    assert.match(await fail('health'), /^No service replies/, invalid)
  }
  body = JSON.stringify({ success: true, state: 'degraded', problems: 'many' })
  assert.equal((await run('health')).stdout, 'degraded\n')
  body = JSON.stringify({ success: true, state: 'degraded', problems: [null, { part: 'a\x1b', message: 'b\r' }] })
  assert.equal((await run('health')).stdout, 'degraded\n  a\\u{1b}: b\\u{d}\n')
})
