import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { copyFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { problemParts, watchProblems } from '../../src/app/node-state.ts'
import { openServices } from '../../src/app/open-services.ts'
import { readConfig } from '../../src/config/config.ts'
import { createTokens } from '../../src/features/access/index.ts'
import { readBackupOptions, scheduleBackups } from '../../src/features/backup/index.ts'
import { createImages } from '../../src/features/images/index.ts'
import { createLimits } from '../../src/http/kernel/limits.ts'
import { openLogging } from '../../src/platform/logging/index.ts'
import { monitorEventLoop } from '../../src/platform/metrics/index.ts'
import { createFetcher } from '../../src/platform/net/index.ts'
import { copyStore, openStore } from '../../src/platform/store/index.ts'
import { singleProcess } from '../../src/platform/workers/index.ts'
import { smallEngine } from '../features/images/kit.ts'
import { commandLine } from '../kit/command-line.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { createTestLog } from '../kit/log.ts'
import { startTestService } from '../kit/service.ts'
import { startSource } from '../kit/source.ts'
import { PATIENT } from '../kit/store.ts'
import { until } from '../kit/until.ts'

/** Services in a folder, whose problems are listed by `watch`, with some of them replaced. */
async function openWatched(t: TestContext) {
  const dir = await temporaryFolder(t)
  const logging = openLogging({ dir, level: 'silent', fileBytes: 65_536, files: 1, hiddenFolders: [] })
  const { log } = logging
  const config = readConfig({ DATA_DIR: dir, CONTENT_DIR: dir })
  const services = await openServices(config, log)
  const eventLoop = monitorEventLoop()
  const watch = (replaced: Partial<typeof services>, closeReplaced: () => unknown) => {
    const parts = { logging, eventLoop, limits: createLimits({}), worker: singleProcess() }
    const problems = watchProblems({ ...services, ...replaced }, parts)
    t.after(async () => {
      problems.close()
      eventLoop.close()
      await closeReplaced()
      await services.close()
      await logging.close()
    })
    return problems
  }
  return { config, services, log, watch }
}

test('filter jobs are a problem while all of them are overdue', async (t) => {
  const { watch } = await openWatched(t)
  const source = await startSource(t, () => {})
  const fetcher = createFetcher({ allowHosts: [source.host] })
  const images = createImages({ fetcher, engine: smallEngine(), version: '1', queue: { jobs: 1, overdueAfterMs: 50 } })
  const problems = watch({ images }, () => fetcher.close())
  const filterProblems = () => problems.list().filter(({ part }) => part === 'filters')
  assert.deepEqual(filterProblems(), [])
  const client = new AbortController()
  const variant = { steps: [], resize: undefined, maxBytes: undefined, output: undefined }
  const request = { ...variant, imageUrl: source.url('/hangs') }
  const running = images.prepare(request).run({ client: 'x', signal: client.signal })
  await until(() => filterProblems().length > 0)
  assert.match(filterProblems()[0]?.message ?? '', /all running jobs are overdue/)
  for (const { part } of problems.list()) assert.ok(problemParts.includes(part), part)
  client.abort()
  await assert.rejects(running)
  await until(() => filterProblems().length === 0)
})

test('a store is a problem if a copy into it was interrupted, until it is repeated', async (t) => {
  const { url, dataDir } = await startTestService(t)
  const log = createTestLog()
  const source = await openStore('', { dataDir: await temporaryFolder(t), log, ...PATIENT })
  const target = await openStore('', { dataDir, log, ...PATIENT })
  t.after(() => Promise.all([source.close(), target.close()]))
  for (const store of [source, target]) await until(async () => (await store.health()).ok)
  await createTokens(source.tokens).create('a test', ['read'], null)
  const hasProblem = async () => /copy into the store was interrupted/.test(await (await fetch(`${url}/readyz`)).text())
  const tokens = { ...target.tokens, put: () => Promise.reject(new Error('the process is killed')) }
  await assert.rejects(copyStore(source, { ...target, tokens }, { force: true }), /is killed/)
  await until(hasProblem)
  await copyStore(source, target, { force: true })
  await until(async () => !(await hasProblem()))
})

test('another STORE_URL than before is a problem until the downloads are copied, or it is confirmed', async (t) => {
  const log = createTestLog()
  const folder = await temporaryFolder(t)
  const DATA_DIR = join(folder, 'data')
  const urlOf = (name: string) => `sqlite:${join(folder, name)}`
  const open = async (name: string) => {
    const store = await openStore(urlOf(name), { dataDir: DATA_DIR, log, ...PATIENT })
    t.after(() => store.close())
    await until(async () => (await store.health()).ok)
    return store
  }
  const start = async (name: string) => {
    const { service } = await startTestService(t, { DATA_DIR, STORE_URL: urlOf(name) })
    const readProblems = async () => (await fetch(`${service.url}/readyz`)).text()
    return { stop: service.stop, hasProblem: async () => /STORE_URL names another store/.test(await readProblems()) }
  }
  const isRecorded = async (name: string) =>
    (await readFile(join(DATA_DIR, 'last-store'), 'utf8').catch(() => '')).endsWith(` ${urlOf(name)}`)
  const row = { application: 'launcher', version: '1.0.0', day: '2026-11-19' }
  const first = await start('first')
  const from = await open('first')
  await from.downloads.add({ writer: 'a', number: 1, rows: [{ ...row, count: 5 }] })
  await until(() => isRecorded('first'))
  await first.stop()

  const second = await start('second')
  const to = await open('second')
  await until(second.hasProblem)
  // As many downloads are not the same ones.
  await to.downloads.add({ writer: 'b', number: 1, rows: [{ ...row, count: 7 }] })
  await second.stop()
  const again = await start('second')
  await until(again.hasProblem)
  await copyStore(from, to, { force: true })
  await until(async () => !(await again.hasProblem()))
  await until(() => isRecorded('second'))
  await again.stop()

  const third = await start('third')
  await until(third.hasProblem)
  const { json } = await commandLine(t, { DATA_DIR })
  assert.equal((await json('store', 'accept')).accepted, true)
  assert.equal((await json('store', 'accept')).accepted, false)
  await until(async () => !(await third.hasProblem()))
})

test('a database with fewer downloads than before is a problem until that is confirmed; a copy of another one is none', async (t) => {
  const { dataDir: DATA_DIR, contentDir: CONTENT_DIR, json } = await commandLine(t)
  const lastStore = join(DATA_DIR, 'last-store')
  /** Runs the service until it has recorded the store, and resolves to its number of downloads. */
  const run = async (whileRunning = async (_readProblems: () => Promise<string>) => {}) => {
    const before = await stat(lastStore).catch(() => undefined)
    const { service } = await startTestService(t, { DATA_DIR, CONTENT_DIR })
    await whileRunning(async () => (await fetch(`${service.url}/readyz`)).text())
    await until(async () => {
      const found = await stat(lastStore).catch(() => undefined)
      return found !== undefined && found.mtimeMs !== before?.mtimeMs
    })
    await service.stop()
    return Number.parseInt(await readFile(lastStore, 'utf8'), 10)
  }
  const addDownloads = async (count: number) => {
    const store = await openStore('', { dataDir: DATA_DIR, log: createTestLog(), ...PATIENT })
    await until(async () => (await store.health()).ok)
    const row = { application: 'launcher', version: '1.0.0', day: '2026-11-19', count }
    await store.downloads.add({ writer: randomUUID(), number: 1, rows: [row] })
    await store.close()
  }
  const file = join(DATA_DIR, 'menagerie.sqlite')
  await addDownloads(5)
  await copyFile(file, `${file}.older`)
  await addDownloads(6)
  assert.equal(await run(), 11)
  await copyFile(`${file}.older`, file)
  const total = await run(async (readProblems) => {
    await until(async () => (await readProblems()).includes('the database lost downloads (it had 11)'))
    await json('store', 'accept')
    await until(async () => !(await readProblems()).includes('lost downloads'))
  })
  assert.equal(total, 5)

  await addDownloads(7)
  assert.equal(await run(), 12)
  await json('store', 'copy', `sqlite:${file}.older`, 'current', '--force')
  assert.equal(await run(), 5)
})

test('a database in which a revoked token is valid again, because it is older, is a problem', async (t) => {
  const { dataDir: DATA_DIR, contentDir: CONTENT_DIR, json } = await commandLine(t)
  const file = join(DATA_DIR, 'menagerie.sqlite')
  const { token } = await json('token', 'create', 'leaked')
  await copyFile(file, `${file}.older`)
  await json('token', 'revoke', token.id)
  const start = async () => {
    const { service } = await startTestService(t, { DATA_DIR, CONTENT_DIR })
    return { stop: service.stop, readProblems: async () => (await fetch(`${service.url}/readyz`)).text() }
  }
  const before = await start()
  await until(async () => (await readFile(join(DATA_DIR, 'last-store'), 'utf8').catch(() => '')) !== '')
  assert.doesNotMatch(await before.readProblems(), /the database lost/)
  await before.stop()
  await copyFile(`${file}.older`, file)
  const { readProblems } = await start()
  await until(async () => (await readProblems()).includes('the database lost changes of tokens, keys or bans'))
  await json('store', 'accept')
  await until(async () => !(await readProblems()).includes('the database lost'))
})

test('a failed backup is a problem', async (t) => {
  const { config, services, log, watch } = await openWatched(t)
  // The database is a file, so it cannot be the folder of the backups.
  const options = readBackupOptions(
    { ...config, BACKUP_DIR: join(config.DATA_DIR, 'menagerie.sqlite') },
    services.store,
    log,
  )
  const backups = scheduleBackups({ ...options, hours: 24, log, startDelayMs: 5 })
  const problems = watch({ backups }, () => backups.close())
  const find = () => problems.list().find(({ part }) => part === 'backup')
  await until(() => find() !== undefined)
  assert.match(find()?.message ?? '', /^the last backup failed: file already exists$/)
  assert.ok(problemParts.includes('backup'))
})
