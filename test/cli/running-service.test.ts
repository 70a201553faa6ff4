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
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

const WITHIN_MS = 2000

describe('with a running service', () => {
  const open = forSuite(async (scope) => {
    const line = await commandLine(scope)
    const settings = { CONTENT_DIR: line.contentDir, DATA_DIR: line.dataDir, V5_ACCESS: 'registered' }
    return { line, service: await startTestService(scope, settings) }
  })

  test('a client requests a key, uses the granted key, and loses it when it is revoked', async () => {
    const { line, service } = open()
    const ask = (key?: string) =>
      fetch(`${service.url}/api/v5/app/launcher/updates`, { headers: key ? { 'x-client-key': key } : {} })
    assert.equal((await ask()).status, 401)
    const request = { name: 'Ann’s page', contact: 'ann@example.org', reason: 'Shows what is new.' }
    const reply = await service.fetchJson('/api/v5/app/clients', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    assert.equal(reply.status, 201)
    const { clients } = await line.json('clients', 'list', '--state', 'pending')
    assert.deepEqual([clients[0].id, clients[0].name], [reply.body.id, request.name])

    const { key } = await line.json('clients', 'grant', reply.body.id)
    assert.equal(
      await line.fail('clients', 'grant', reply.body.id),
      'This client is already granted. To issue a new key, revoke the current one first.',
    )
    await until(async () => (await ask(key)).status === 200, WITHIN_MS)
    const { stdout } = await line.run('clients', 'list')
    assert.ok(stdout.includes('granted') && stdout.includes('ann@example.org') && !stdout.includes(key))

    assert.match(
      (await line.run('clients', 'revoke', reply.body.id)).stdout,
      /^The key of Ann’s page \(ann@example\.org\) is revoked\./,
    )
    await until(async () => (await ask(key)).status === 401, WITHIN_MS)
    const again = await line.fail('clients', 'refuse', reply.body.id)
    assert.equal(again, 'The client is in state "revoked". To become "refused", it must be in state "pending".')
    assert.match(await line.fail('token', 'revoke', 'nobody'), /^There is no token "nobody"\. .*"token list"/)
    assert.match(await line.fail('clients', 'grant', 'nobody'), /^There is no client "nobody"/)
    assert.match(await line.fail('clients', 'list', '--state', 'pendnig'), /Did you mean pending\?$/)
  })

  test('a token gives access to the operator endpoints within its scope until it is revoked', async () => {
    const { line, service } = open()
    const ask = (secret: string, path = 'overview', method = 'GET') =>
      fetch(`${service.url}/api/v5/app/operator/${path}`, { method, headers: { authorization: `Bearer ${secret}` } })
    const reader = await line.json('token', 'create', 'dashboard', '--expires', '90d')
    const writer = await line.json('token', 'create', 'script', '--scope', 'write')
    await until(async () => (await ask(writer.secret)).status === 200, WITHIN_MS)
    assert.equal((await ask(reader.secret)).status, 200)
    assert.equal((await ask(reader.secret, 'reload', 'POST')).status, 403)
    assert.equal((await ask(writer.secret, 'reload', 'POST')).status, 200)
    const { stdout } = await line.run('token', 'list')
    assert.match(stdout, /^\w{8} +dashboard +read +2.* UTC +2.* UTC$/m)
    assert.ok(!stdout.includes(reader.secret))

    await line.json('token', 'revoke', writer.token.id)
    await until(async () => (await ask(writer.secret)).status === 401, WITHIN_MS)
    const [gone, past, soon, blank] = await Promise.all([
      line.fail('token', 'revoke', writer.token.id),
      line.fail('token', 'create', 'x', '--expires', '2020-01-01'),
      line.fail('token', 'create', 'x', '--expires', '2027-02-30'),
      line.fail('token', 'create', '  '),
    ])
    assert.match(gone, /^There is no token/)
    assert.equal(past, '--expires must be in the future, not "2020-01-01".')
    assert.match(soon, /^--expires must be a time such as 12h/)
    assert.match(blank, /"label" must be text of 1 to 64 characters/)
  })

  test('a release is offered within two seconds of "release publish", until "release withdraw"', async () => {
    const { line, service } = open()
    await writeFile(line.file('setup.exe'), 'hello')
    const { clients } = await line.json('clients', 'list')
    const { key } = await line.json('clients', 'grant', clients[0].id)
    const latest = async () => {
      const reply = await fetch(`${service.url}/api/v5/app/launcher/updates`, { headers: { 'x-client-key': key } })
      return ((await reply.json()) as { latest?: string | null }).latest
    }
    await until(async () => (await latest()) === null, WITHIN_MS)
    await line.json('release', 'publish', 'launcher', '2.0.0', '--file', line.file('setup.exe'))
    await until(async () => (await latest()) === '2.0.0', WITHIN_MS)
    await line.json('release', 'withdraw', 'launcher', '2.0.0')
    await until(async () => (await latest()) === null, WITHIN_MS)
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

test('"health" shows the state of the running service', async (t) => {
  const { url } = await startTestService(t)
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
  const stopping = service.stop({ graceMs: 1000, lingerMs: 0 })
  const { code, stdout } = await run('health')
  assert.deepEqual([code, stdout], [1, 'not ready\n  service: the service is stopping\n'])
  await stopping
})

test('"health" fails if another program uses the port, and escapes control characters in replies', async (t) => {
  let body = ''
  const { host } = await startSource(t, (_, reply) => void reply.end(body))
  const { run, fail } = await commandLine(t, { PORT: host.split(':')[1]! })
  for (body of ['hello', 'null', '[]', '{}', '{"state":"ok"}', '{"success":true,"state":"\\u001b[2J"}']) {
    assert.match(await fail('health'), /^No service replies/, body)
  }
  body = JSON.stringify({ success: true, state: 'degraded', problems: 'many' })
  assert.equal((await run('health')).stdout, 'degraded\n')
  body = JSON.stringify({ success: true, state: 'degraded', problems: [null, { part: 'a\x1b', message: 'b\r' }] })
  assert.equal((await run('health')).stdout, 'degraded\n  a\\u{1b}: b\\u{d}\n')
})
