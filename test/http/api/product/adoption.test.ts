import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../../src/platform/store/index.ts'
import { APP, createToken, startApp, type TestApp } from '../../../kit/app.ts'
import { createTestLog } from '../../../kit/log.ts'
import { record, releasesYaml, SIGNATURE } from '../../../kit/releases.ts'
import { PATIENT } from '../../../kit/store.ts'
import { until, untilEqual } from '../../../kit/until.ts'

const UPDATES = '/launcher/updates'
const STATISTICS = `${APP}/stats/adoption`
const releases = [record('2.1.0', { sha512: 'cd'.repeat(64), signature: SIGNATURE }), record('2.0.0')]
const files = { 'releases.yaml': releasesYaml({ launcher: releases }) }

const readToday = async ({ fetchJson }: Pick<TestApp, 'fetchJson'>) =>
  (await fetchJson(STATISTICS)).body.daily.at(-1) as Record<string, unknown>

const install = (id: string) => ({ headers: { 'X-Install-Id': id } })

/** Adds checks to the store of a running service. */
async function addChecks(t: TestContext, dataDir: string, versions: Record<string, number>) {
  const store = await openStore('', { dataDir, log: createTestLog(), ...PATIENT })
  t.after(() => store.close())
  const day = new Date().toISOString().slice(0, 10)
  await until(async () => (await store.health()).ok)
  await store.adoption.add({ writer: 'test', number: 1, day, versions })
}

test('an id that is too long to be one is ignored, because ids wait in memory while the store is unavailable', async (t) => {
  const app = await startApp(t, files)
  for (const header of ['X-User-Staging-Id', 'X-Client-Key'])
    for (const letter of ['a', 'b']) await app.fetch(UPDATES, { headers: { [header]: letter.repeat(101) } })
  await untilEqual(async () => {
    const { checks, installations } = await readToday(app)
    return [checks, installations]
  }, [4, 1])
})

test('checks in every format are counted by version, and installations once', async (t) => {
  const app = await startApp(t, files)
  const { body } = await app.fetchJson(STATISTICS)
  assert.equal(body.daily.length, 30)
  assert.deepEqual(await readToday(app), { date: body.daily.at(-1).date, checks: 0, installations: 0, versions: {} })

  const etag = (await app.fetch(`${UPDATES}?current=2.0.0`, install('one'))).headers.get('etag') ?? ''
  const unchanged = { headers: { 'X-Install-Id': 'one', 'If-None-Match': etag } }
  assert.equal((await app.fetch(`${UPDATES}?current=2.0.0`, unchanged)).status, 304)
  assert.equal((await app.fetch(`${UPDATES}?current=2.1.0&format=tauri`, install('two'))).status, 204)
  await app.fetch(`${UPDATES}?current=2.0.0&format=tauri`, install('two'))
  await app.fetch(`${UPDATES}/latest.yml`, { headers: { 'X-User-Staging-Id': 'three' } })
  await app.fetch(`${UPDATES}?format=electron`)
  await app.fetch(`${UPDATES}?current=7.7.7`)
  await app.fetch(`${UPDATES}/tauri/windows/x86_64/2.0.0`, install('two'))
  await app.fetch(`${UPDATES}/releases.win.json?localVersion=2.0.0`, install('two'))
  await app.fetch(`${UPDATES}/appcast.xml`, install('two'))
  // None of these is a check.
  await app.fetch(`${UPDATES}?current=2.0.0`, { method: 'HEAD', ...install('four') })
  assert.equal((await app.fetch(`${UPDATES}?current=nonsense`, install('five'))).status, 400)
  assert.equal((await app.fetch(UPDATES, install('an id with spaces'))).status, 400)
  await app.fetch('/version/app/launcher', install('six'))
  await app.fetch('/download/launcher', install('seven'))

  const versions = { '2.0.0': 5, '2.1.0': 1, other: 1, unknown: 3 }
  const { date } = body.daily.at(-1)
  // The requests without an id come from one address.
  await untilEqual(() => readToday(app), { date, checks: 10, installations: 4, versions })
  await untilEqual(
    async () => (await (await app.fetchPath('/metrics')).text()).match(/^menagerie_update_.*$/gm)?.sort(),
    [
      ...Object.entries(versions).map(([name, count]) => `menagerie_update_checks_total{version="${name}"} ${count}`),
      'menagerie_update_installations 4',
    ],
  )
  const { headers } = await createToken(app.dataDir)
  const overview = await app.fetchJson(`${APP}/operator/overview`, { headers })
  assert.deepEqual(overview.body.overview.adoption.at(-1).versions, versions)
})

test('the statistics have an ETag, and are CSV on request', async (t) => {
  const app = await startApp(t, files)
  await addChecks(t, app.dataDir, { '2.1.0': 3, '=1+1': 2, 'a "quoted", one': 1 })
  await until(async () => (await readToday(app)).checks === 6)
  const reply = await app.fetchPath(STATISTICS)
  const etag = reply.headers.get('etag') ?? ''
  assert.equal((await app.fetchPath(STATISTICS, { headers: { 'If-None-Match': etag } })).status, 304)

  const [byQuery, byHeader] = [
    await app.fetchPath(`${STATISTICS}?format=csv`),
    await app.fetchPath(STATISTICS, { headers: { Accept: 'text/csv' } }),
  ]
  assert.equal(byQuery.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(byQuery.headers.get('content-disposition'), 'attachment; filename="adoption.csv"')
  const text = await byQuery.text()
  assert.equal(await byHeader.text(), text)
  const date = new Date().toISOString().slice(0, 10)
  const lines = text.split('\r\n')
  assert.equal(lines[0], 'date,version,checks,installations')
  assert.deepEqual(lines.slice(lines.indexOf(`${date},all,6,0`) + 1), [
    `${date},2.1.0,3,`,
    `${date},'=1+1,2,`,
    `${date},"a ""quoted"", one",1,`,
    '',
  ])
  const preferred = { headers: { Accept: 'text/csv' } }
  assert.equal((await app.fetchPath(`${STATISTICS}?format=json`, preferred)).headers.get('content-type'), JSON_TYPE)
  assert.equal((await app.fetchPath(`${STATISTICS}?format=xml`)).status, 400)
})

const JSON_TYPE = 'application/json; charset=utf-8'

test('no id of an installation is in the data folder', async (t) => {
  const app = await startApp(t, files, { LOG_LEVEL: 'trace' })
  const id = 'b1f5c3d2-secret-installation'
  await app.fetch(`${UPDATES}?current=2.1.0`, install(id))
  await until(async () => (await readToday(app)).installations === 1)
  await app.service.stop()
  const entries = await readdir(app.dataDir, { recursive: true, withFileTypes: true })
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  assert.ok(found.some((file) => file.endsWith('.sqlite')) && found.some((file) => file.includes('logs')))
  for (const file of found) assert.ok(!(await readFile(file, 'latin1')).includes(id), file)
})
