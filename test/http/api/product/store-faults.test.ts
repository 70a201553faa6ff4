import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../../../src/config/config.ts'
import { APP, startApp, type TestApp } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { needsRedis, startRedis } from '../../../kit/redis.ts'
import { news, record, releasesYaml } from '../../../kit/releases.ts'
import { until } from '../../../kit/until.ts'

const files = {
  'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }),
  'resources.yaml': `resources:\n  - ${record('7.0.0')}\n`,
  'tiers.yaml': '2: { resources: {}, benefits: [] }\n',
  'news/one.md': news('One'),
}

const start = (t: TestContext, settings: Environment) => startApp(t, files, settings)

async function assertOthersWork({ fetchPath, fetchJson, fetch }: TestApp) {
  for (const path of [
    '/launcher/updates',
    '/launcher/news',
    '/version/app/launcher',
    '/version/app/launcher/resources',
    '/version/tier/2',
  ]) {
    assert.equal((await fetchPath(APP + path)).status, 200, path)
  }
  assert.equal((await fetch('/download/launcher')).status, 302)
  assert.equal((await fetchJson('/healthz')).status, 200)
  const operator = await fetchJson(`${APP}/operator/overview`, { headers: { Authorization: 'Bearer mng_x' } })
  assert.deepEqual([operator.status, operator.body.code], [503, 'STORE_UNAVAILABLE'])
  assert.equal(operator.headers.get('retry-after'), '5')
}

const storeProblem = async ({ fetchJson }: TestApp): Promise<string | undefined> => {
  const { status, body } = await fetchJson('/readyz')
  assert.equal(status, 200)
  const problem = body.problems.find(({ part }: { part: string }) => part === 'store')
  if (problem) assert.equal(body.state, 'degraded')
  return problem?.message
}

const total = async ({ fetchJson }: TestApp): Promise<number | undefined> =>
  (await fetchJson(`${APP}/stats/downloads`)).body.total

async function dataWith(t: TestContext, write: (file: string) => Promise<void> | void): Promise<string> {
  const dir = join(await temporaryFolder(t), 'data')
  await mkdir(dir)
  await write(join(dir, 'menagerie.sqlite'))
  return dir
}

test('with a corrupt database the rest works, /readyz reports it, and the file is kept', async (t) => {
  const rubbish = Buffer.alloc(20_000, 'no database ')
  const DATA_DIR = await dataWith(t, (file) => writeFile(file, rubbish))
  const app = await start(t, { DATA_DIR })
  await until(async () => (await storeProblem(app)) !== undefined)
  const message = await storeProblem(app)
  assert.match(message ?? '', /not a database/)
  assert.ok(!message?.includes(DATA_DIR))
  await assertOthersWork(app)
  const { status, body, headers } = await app.fetchJson(`${APP}/stats/downloads`)
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'STORE_UNAVAILABLE', '5'])
  assert.deepEqual(await readFile(join(DATA_DIR, 'menagerie.sqlite')), rubbish)
})

test('with a database of a newer schema the rest works, and the file is unchanged', async (t) => {
  const DATA_DIR = await dataWith(t, (file) => {
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE future (x); PRAGMA user_version = 99')
    db.close()
  })
  const before = await readFile(join(DATA_DIR, 'menagerie.sqlite'))
  const app = await start(t, { DATA_DIR })
  await until(async () => (await storeProblem(app)) !== undefined)
  assert.match((await storeProblem(app)) ?? '', /schema 99/)
  await assertOthersWork(app)
  assert.deepEqual(await readFile(join(DATA_DIR, 'menagerie.sqlite')), before)
})

test('while the store is unavailable, clients get that error and not an invalid key', async (t) => {
  const DATA_DIR = await dataWith(t, (file) => writeFile(file, 'rubbish'.repeat(1000)))
  const { fetchJson } = await start(t, { DATA_DIR, V5_ACCESS: 'registered' })
  const withKey = await fetchJson(`${APP}/launcher/updates`, { headers: { 'X-Client-Key': 'mngc_x' } })
  assert.deepEqual([withKey.status, withKey.body.code], [503, 'STORE_UNAVAILABLE'])
  const without = await fetchJson(`${APP}/launcher/updates`)
  assert.deepEqual([without.status, without.body.code], [401, 'CLIENT_KEY_REQUIRED'])
})

test('while Redis is unavailable, a key that the node does not know is not called invalid', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { fetchJson } = await start(t, { STORE_URL: redis.url, V5_ACCESS: 'registered' })
  const send = async () =>
    (await fetchJson(`${APP}/launcher/updates`, { headers: { 'X-Client-Key': 'mngc_x' } })).body.code
  await until(async () => (await send()) === 'CLIENT_KEY_INVALID')
  await redis.kill()
  await until(async () => (await send()) === 'STORE_UNAVAILABLE', 10_000)
  await redis.start()
  await until(async () => (await send()) === 'CLIENT_KEY_INVALID', 10_000)
})

test('while the store is unavailable, a token that cannot be checked does not get its owner banned', async (t) => {
  const DATA_DIR = await dataWith(t, (file) => writeFile(file, 'rubbish'.repeat(1000)))
  const { fetchJson } = await start(t, { DATA_DIR, TRUST_PROXY: 'loopback' })
  const send = async (path: string, headers: Record<string, string>) =>
    (await fetchJson(`${APP}/operator${path}`, { headers })).body.code
  const operator = { 'X-Forwarded-For': '203.0.113.1', Authorization: 'Bearer mng_x' }
  const codes: string[] = []
  for (let n = 0; n < 6; n++) codes.push(await send('/overview', operator), await send('/bans/..%2f..%2f', operator))
  assert.deepEqual(codes, Array(12).fill('STORE_UNAVAILABLE'))
  assert.equal(await send('/bans/..%2f..%2f', { 'X-Forwarded-For': '203.0.113.2' }), 'BANNED')
})

test('while Redis is unavailable at the start, counts wait and are written later', needsRedis, async (t) => {
  const redis = await startRedis(t)
  await redis.kill()
  const app = await start(t, { STORE_URL: redis.url })
  await until(async () => (await storeProblem(app)) !== undefined)
  await assertOthersWork(app)
  for (let n = 0; n < 9; n++) await app.fetch('/download/launcher')
  const waits = ({ message }: { message: string }) => message === 'counts waiting for the store: 10'
  await until(async () => (await app.fetchJson('/readyz')).body.problems.some(waits))
  assert.equal(await total(app), undefined)
  await redis.start()
  await until(async () => (await total(app)) === 10, 10_000)
  await until(async () => (await storeProblem(app)) === undefined, 10_000)
})

for (const [how, stop, resume] of [
  ['killed', 'kill', 'start'],
  ['paused', 'pause', 'resume'],
] as const) {
  test(
    `Redis ${how} later: statistics stay at the last state, counts wait and are written later`,
    needsRedis,
    async (t) => {
      const redis = await startRedis(t)
      const app = await start(t, { STORE_URL: redis.url })
      await app.fetch('/download/launcher')
      await until(async () => (await total(app)) === 1, 10_000)
      await redis[stop]()
      await until(async () => (await storeProblem(app)) !== undefined, 10_000)
      await assertOthersWork(app)
      for (let n = 0; n < 4; n++) await app.fetch('/download/launcher')
      assert.equal(await total(app), 1)
      await redis[resume]()
      // A killed Redis starts empty: its counts are lost, but not those that waited in the service.
      await until(async () => (await total(app)) === (how === 'killed' ? 5 : 6), 10_000)
    },
  )
}
