import assert from 'node:assert/strict'
import { request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openStore } from '../../../../src/platform/store/index.ts'
import { APP, createToken, revokeToken, startApp } from '../../../kit/app.ts'
import { createTestLog } from '../../../kit/log.ts'
import { news, record, releasesYaml, writeFiles } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { PATIENT } from '../../../kit/store.ts'
import { until } from '../../../kit/until.ts'

const files = {
  'releases.yaml': releasesYaml({
    launcher: [record('1.0.0'), record('2.0.0', { rollout: 25 })],
    reshade: [record('5.0.0')],
  }),
  'news/one.md': news('One'),
}
const request = { name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates once a day.' }

const reads = ['/overview', '/content', '/downloads', '/adoption', '/bans', '/clients']
const writes = ['/reload', '/clients/some-id/grant', '/clients/some-id/refuse', '/clients/some-id/revoke']
const all = [
  ...reads.map((path) => ({ method: 'GET', path })),
  ...reads.map((path) => ({ method: 'HEAD', path })),
  ...writes.map((path) => ({ method: 'POST', path })),
]
const unknown = ['', '/', '/nothing', '/%E0%A4%A', '/clients/some-id/x'].map((path) => ({ method: 'GET', path }))
const wrongMethods = [
  { method: 'POST', path: '/overview' },
  { method: 'DELETE', path: '/nothing' },
]

describe("the operator's endpoints", () => {
  const app = forSuite((scope) => startApp(scope, files))
  const fetchOperator = (path: string, init: RequestInit = {}) => app().fetchPath(`${APP}/operator${path}`, init)
  const fetchOperatorJson = (path: string, init: RequestInit = {}) => app().fetchJson(`${APP}/operator${path}`, init)
  const refusal = async (reply: Response) => {
    const { requestId: _, ...body } = (await reply.json()) as Record<string, unknown>
    return [reply.status, body.code, Object.keys(body).length]
  }

  test('reveal nothing without a token', async () => {
    const nothing = [401, 'TOKEN_REQUIRED', 4]
    for (const { method, path } of [...all, ...unknown, ...wrongMethods]) {
      const reply = await fetchOperator(path, { method })
      assert.equal(reply.status, 401, `${method} ${path}`)
      if (method !== 'HEAD') assert.deepEqual(await refusal(reply), nothing, path)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="operator"')
    }
    for (const Authorization of ['', 'Basic eDp5']) {
      assert.deepEqual(
        await refusal(await fetchOperator('/overview', { headers: { Authorization } })),
        nothing,
        Authorization,
      )
    }
    for (const path of ['/downloads?format=xml', '/clients?state=none', '/clients?state=pending&state=pending']) {
      assert.deepEqual(
        await refusal(await fetchOperator(path)),
        nothing,
        'nothing of the request is looked at before the token',
      )
    }
    const body = await fetchOperator('/clients/x/grant', { method: 'POST', body: '{'.repeat(100_000) })
    assert.equal(body.status, 401)
  })

  test('accept a token only in the header Authorization, and set no cookie', async () => {
    const { headers } = await createToken(app().dataDir)
    await until(async () => (await fetchOperator('/bans', { headers })).status === 200)
    const secret = headers.Authorization.replace('Bearer ', '')
    for (const name of ['token', 'access_token', 'authorization']) {
      const inQuery = await fetchOperator(`/bans?${name}=${secret}`)
      const inCookie = await fetchOperator('/bans', { headers: { Cookie: `${name}=${secret}` } })
      assert.deepEqual([inQuery.status, inCookie.status], [401, 401], name)
    }
    for (const path of ['/operator', `${APP}/operator/bans`]) {
      const reply = await app().fetchPath(path, { headers })
      assert.deepEqual([reply.status, reply.headers.getSetCookie()], [200, []], path)
    }
  })

  test('refuse wrong, expired and revoked tokens with the same reply', async () => {
    const { dataDir } = app()
    const past = Date.now() - 7200_000
    const expired = await createToken(dataDir, { createdAt: past, expiresAt: past + 3600_000 })
    const revoked = await createToken(dataDir)
    await until(async () => (await fetchOperator('/bans', revoked)).status === 200)
    await revokeToken(dataDir, revoked.id)
    await until(async () => (await fetchOperator('/bans', revoked)).status === 401)
    const wrong = { headers: { Authorization: `${revoked.headers.Authorization.slice(0, -1)}_` } }
    const bodies = new Set<string>()
    for (const headers of [expired.headers, revoked.headers, wrong.headers]) {
      for (const { method, path } of [...all, ...unknown].filter((one) => one.method !== 'HEAD')) {
        const reply = await fetchOperatorJson(`${path}?format=xml&state=none`, { method, headers })
        const { status, body } = reply
        assert.deepEqual([status, body.code], [401, 'TOKEN_INVALID'], path)
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="operator", error="invalid_token"')
        bodies.add(JSON.stringify({ ...body, requestId: '' }))
      }
    }
    assert.equal(bodies.size, 1)
  })

  test('create no token that expires at a time without a time zone', async () => {
    const { headers } = await createToken(app().dataDir, { scopes: ['read', 'write'] })
    await until(async () => (await fetchOperator('/token', { headers })).status === 200)
    const body = JSON.stringify({ label: 'child', scopes: [], expiresAt: '2199-01-01T10:00' })
    const json = { ...headers, 'Content-Type': 'application/json' }
    const { status, body: reply } = await fetchOperatorJson('/tokens', { method: 'POST', headers: json, body })
    assert.deepEqual([status, reply.code], [400, 'INVALID_BODY'])
    assert.match(reply.message, /^"expiresAt" must end with a time zone/)
  })

  test('do nothing with a token that is revoked while the body arrives', async () => {
    const { url, dataDir, fetchJson } = app()
    const submitted = await fetchJson(`${APP}/clients`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    })
    const { id, headers } = await createToken(dataDir, { scopes: ['read', 'write', 'publish'] })
    await until(async () => (await fetchOperator('/token', { headers })).status === 200)
    const bodies: Record<string, object> = {
      '/bans': { address: '198.51.100.7' },
      [`/clients/${submitted.body.id}/grant`]: {},
      '/reload': {},
      '/tokens': { label: 'child', scopes: ['write'] },
      '/news': { title: 'Late', markdown: 'Late' },
      '/content/accept': {},
      '/blocklist/update': { upload: 'a'.repeat(64), name: 'list' },
    }
    const sent = Object.entries(bodies).map(([path, body]) => {
      const text = JSON.stringify(body)
      const length = { 'Content-Type': 'application/json', 'Content-Length': text.length }
      const options = { method: 'POST', headers: { ...headers, ...length } }
      const pending = sendRequest(`${url}${APP}/operator${path}`, options)
      const status = new Promise((resolve, reject) =>
        pending.on('response', (reply) => resolve(reply.resume().statusCode)).on('error', reject),
      )
      pending.write(text[0])
      return { path, status, finish: () => pending.end(text.slice(1)) }
    })
    // The service has read the heads of these requests when it replies to a later one.
    await fetchOperator('/token', { headers })
    await revokeToken(dataDir, id)
    await until(async () => (await fetchOperator('/token', { headers })).status === 401)
    for (const { finish } of sent) finish()
    for (const { path, status } of sent) assert.equal(await status, 401, path)
  })

  test('allow reads but no changes with the scope read', async () => {
    const { headers } = await createToken(app().dataDir, { scopes: ['read'] })
    await until(async () => (await fetchOperator('/overview', { headers })).status === 200)
    for (const path of reads) {
      const reply = await fetchOperator(path, { headers })
      assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, 'no-store'], path)
      assert.equal((await fetchOperator(path, { method: 'HEAD', headers })).status, 200)
    }
    assert.equal((await fetchOperatorJson('/nothing', { headers })).body.code, 'UNKNOWN_PATH')
    assert.equal((await fetchOperatorJson('/overview', { method: 'POST', headers })).body.code, 'METHOD_NOT_ALLOWED')
    for (const path of writes) {
      const { status, body } = await fetchOperatorJson(path, { method: 'POST', headers })
      assert.deepEqual([status, body.code, body.scope], [403, 'TOKEN_SCOPE_MISSING', 'write'], path)
    }
    const { status, body } = await fetchOperatorJson('/downloads?format=xml', { headers })
    assert.deepEqual([status, body.code, body.allowed], [400, 'INVALID_PARAMETER', ['json', 'csv']])
    const scoped = await createToken(app().dataDir, { scopes: ['write'] })
    await until(async () => (await fetchOperator('/reload', { method: 'POST', ...scoped })).status === 200)
    assert.equal((await fetchOperator('/overview', scoped)).status, 403)
  })

  test('return the overview, the published content and its problems', async () => {
    const operator = await createToken(app().dataDir)
    await until(async () => (await fetchOperator('/overview', operator)).status === 200)
    const { overview } = (await fetchOperatorJson('/overview', operator)).body
    for (const part of ['traffic', 'downloads', 'counter', 'pipeline', 'store', 'content', 'problems']) {
      assert.ok(part in overview, part)
    }
    await app().untilHealthy()
    const { body } = await fetchOperatorJson('/content', operator)
    const [newest] = body.releases.launcher
    const date = '2026-01-01T00:00:00.000Z'
    const url = 'https://cdn.example/2.0.0.exe'
    const bytes = 84_200_000
    const assets = [{ platform: 'windows', arch: 'any', kind: 'nsis', name: '2.0.0.exe', bytes, url }]
    assert.deepEqual(newest, {
      ...{ version: '2.0.0', date, bytes, assets, beta: false, rollout: 25, withdrawn: false },
    })
    assert.deepEqual(body.news, [{ id: 'one', title: 'One', date, file: 'news/one.md' }])
    assert.deepEqual(body.problems, [])
    const invalidFiles = { 'animals/cat/broken.png': 'x', 'app/tiers.yaml': '2: [broken\n', 'string/8ball.txt': '' }
    await writeFiles(join(app().appDir, '..'), invalidFiles)
    const reloaded = await fetchOperatorJson('/reload', { method: 'POST', ...operator })
    assert.deepEqual(reloaded.body.problems.map(({ file }: { file: string }) => file).sort(), Object.keys(invalidFiles))
  })

  test('return the ramp of a release with its next step', async (t) => {
    const start = '2026-01-01T00:00:00.000Z'
    const ramps = [
      { steps: [10, 100], every: '30d', start: new Date().toISOString() },
      { steps: [10, 100], every: '1h', start },
      { steps: [10, 100], every: '1h', start, pausedAt: start, maxFailures: 5, failures: { failed: 1, total: 20 } },
      { steps: [10, 100], every: '1h', start, pausedAt: start, maxFailures: 5, failures: { failed: 2, total: 20 } },
    ]
    const launcher = ramps.map((ramp, n) => record(`${n}.0.0`, { ramp }))
    const ramped = await startApp(t, { 'releases.yaml': releasesYaml({ launcher }) })
    const operator = await createToken(ramped.dataDir)
    const read = async () => (await ramped.fetchJson(`${APP}/operator/content`, operator)).body
    await until(async () => (await read()).success)
    const shown = (await read()).releases.launcher.toReversed()
    assert.deepEqual(
      shown.map(({ rollout, ramp }: { rollout: number; ramp: { state: string } }) => [rollout, ramp.state]),
      [
        [10, 'running'],
        [100, 'complete'],
        [10, 'paused'],
        [10, 'stopped'],
      ],
    )
    const { nextStep, ...first } = shown[0].ramp
    assert.deepEqual(first, { steps: [10, 100], every: '30d', state: 'running' })
    const nextDate = new Date(Date.parse(ramps[0]!.start) + 30 * 86_400_000).toISOString()
    assert.deepEqual(nextStep, { percent: 100, date: nextDate })
    const { pausedAt, maxFailures, failures } = shown[3].ramp
    assert.deepEqual([pausedAt, maxFailures, failures], [start, 5, { failed: 2, total: 20 }])
  })

  test('return the update checks as JSON and CSV, without a client key', async () => {
    const operator = await createToken(app().dataDir)
    await app().fetch('/launcher/updates?current=1.0.0')
    const read = async () => (await fetchOperatorJson('/adoption', operator)).body
    await until(async () => (await read()).daily?.at(-1).checks === 1)
    const { date, versions } = (await read()).daily.at(-1)
    assert.deepEqual(versions, { '1.0.0': 1 })
    const csv = await fetchOperator('/adoption?format=csv', operator)
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="adoption.csv"')
    assert.ok((await csv.text()).endsWith(`${date},all,1,1\r\n${date},1.0.0,1,\r\n`))
  })

  test('return the downloads by day as JSON and CSV', async () => {
    const operator = await createToken(app().dataDir)
    const day = new Date().toISOString().slice(0, 10)
    for (const path of ['launcher?version=1.0.0', 'launcher?version=1.0.0', 'reshade'])
      await app().fetch(`/download/${path}`)
    const rows = async () => (await fetchOperatorJson('/downloads', operator)).body.downloads ?? []
    await until(async () => (await rows()).length === 2)
    assert.deepEqual(await rows(), [
      { day, application: 'launcher', version: '1.0.0', count: 2 },
      { day, application: 'reshade', version: '5.0.0', count: 1 },
    ])
    const csv = await fetchOperator('/downloads?format=csv', operator)
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="downloads.csv"')
    const lines = ['day,application,version,count', `${day},launcher,1.0.0,2`, `${day},reshade,5.0.0,1`, '']
    assert.equal(await csv.text(), lines.join('\r\n'))
  })

  test('return the downloads of the last days, at most of ten years', async (t) => {
    const operator = await createToken(app().dataDir)
    await until(async () => (await fetchOperator('/downloads', operator)).status === 200)
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    const store = await openStore('', { dataDir: app().dataDir, log: createTestLog(), ...PATIENT })
    t.after(() => store.close())
    const rows = [1, 29, 30, 3659, 3660].map((days) => ({
      application: 'old',
      version: '1.0.0',
      day: daysAgo(days),
      count: 1,
    }))
    // The service may hold the lock of the file. A batch that is sent again is counted once.
    const add = () => store.downloads.add({ writer: 'a test', number: 1, rows })
    await until(() =>
      add().then(
        () => true,
        () => false,
      ),
    )
    const shown = async (query: string) => {
      const { downloads } = (await fetchOperatorJson(`/downloads${query}`, operator)).body
      return downloads.filter(({ application }: { application: string }) => application === 'old').length
    }
    assert.deepEqual([await shown('?days=1'), await shown('?days=30'), await shown('?days=31')], [0, 2, 3])
    assert.deepEqual([await shown('?days=3660'), await shown('')], [4, 4])
    const csv = await (await fetchOperator('/downloads?days=2&format=csv', operator)).text()
    assert.equal(csv.match(/,old,/g)?.length, 1)
    for (const days of ['0', '3661', '99999999999', '-1', '1.5', 'all']) {
      const { status, body } = await fetchOperatorJson(`/downloads?days=${days}`, operator)
      assert.deepEqual([status, body.code, body.min, body.max], [400, 'INVALID_PARAMETER', 1, 3660], days)
    }
  })

  test('grant, refuse and revoke keys only in states that allow it', async () => {
    const operator = await createToken(app().dataDir)
    await until(async () => (await fetchOperator('/overview', operator)).status === 200)
    const requested = await app().fetchJson(`${APP}/clients`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    })
    const decide = async (what: string, id = requested.body.id) => {
      const { status, body } = await fetchOperatorJson(`/clients/${id}/${what}`, { method: 'POST', ...operator })
      return [status, body.code ?? body.client.state]
    }
    assert.deepEqual(await decide('revoke'), [409, 'CLIENT_DECIDED'])
    assert.deepEqual(await decide('refuse'), [200, 'refused'])
    assert.deepEqual(await decide('refuse'), [409, 'CLIENT_DECIDED'])
    assert.deepEqual(await decide('grant'), [200, 'granted'])
    assert.deepEqual(await decide('revoke'), [200, 'revoked'])
    for (const id of ['nobody', '%00', '..%2f..', "'%20OR%201=1"]) {
      assert.deepEqual(await decide('grant', id), [404, 'UNKNOWN_CLIENT'], id)
    }
    const { clients } = (await fetchOperatorJson('/clients?state=revoked', operator)).body
    assert.deepEqual([clients.length, clients[0].id], [1, requested.body.id])
    assert.ok(!/keyHash|mngc_/.test(JSON.stringify(clients)))
    const wrongMethod = await fetchOperatorJson('/clients/x/grant', operator)
    assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'POST'])
  })

  test('require a token in the OpenAPI document', async () => {
    const { paths, components } = (await app().fetchJson('/openapi.json')).body
    const names = Object.keys(components.responses)
    const own = Object.entries<Record<string, any>>(paths).filter(([path]) => path.startsWith(`${APP}/operator/`))
    assert.ok(own.length >= reads.length + writes.length)
    for (const [path, operations] of own) {
      for (const operation of Object.values(operations)) {
        assert.deepEqual(operation.security, [{ operator: [] }], path)
        const [unauthorized, ...others] = [401, 403, 503].map((status) =>
          operation.responses[status].$ref.split('/').at(-1),
        )
        assert.ok(components.responses[unauthorized].headers['WWW-Authenticate'], path)
        assert.ok(
          others.every((name) => names.includes(name)),
          path,
        )
      }
    }
  })
})
