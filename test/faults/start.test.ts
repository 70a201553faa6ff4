// Starts that fail, are stopped, or find an unusable folder.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../kit/folder.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { ROOT } from '../kit/root.ts'
import { fetchJson, spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const SOURCES = join(ROOT, 'src')

/** The settings reject this value; here it represents any failure after the services are open. */
const program = (dataDir: string) => `
  const { startService } = await import(${JSON.stringify(join(SOURCES, 'app', 'start-service.ts'))})
  const { readConfig } = await import(${JSON.stringify(join(SOURCES, 'config', 'config.ts'))})
  const config = readConfig({ PORT: '0', DATA_DIR: ${JSON.stringify(dataDir)} })
  const broken = { ...config, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://[' }
  await startService(broken).catch(({ message }) => console.log(message))
`

test('a failed start leaves nothing open that keeps the process alive', async (t) => {
  const dataDir = await temporaryFolder(t)
  const file = join(dataDir, 'start.mjs')
  await writeFile(file, program(dataDir))
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [file], { timeout: 30_000, encoding: 'utf8' })
  assert.match(stdout, /Could not parse/)
  assert.deepEqual([status, signal], [0, null], stderr)
})

test('SIGTERM during the start ends the process with exit code 0', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const settingsList: Record<string, string>[] = [{}, { WORKERS: '2', STORE_URL: redis.url }]
  for (const settings of settingsList) {
    const { child, exited, output, dataDir } = await spawnService(t, settings)
    await until(() => existsSync(join(dataDir, 'logs')))
    child.kill('SIGTERM')
    assert.equal(await exited, 0, output())
    assert.match(output(), /^ *Stopping\./m)
    assert.doesNotMatch(output(), / at /)
  }
})

/** A busy machine blocks the event loop, which is another problem. */
const listParts = (problems: readonly { part: string }[]) =>
  problems.map(({ part }) => part).filter((part) => part !== 'event-loop')

test('without a log folder the service starts, logs to standard error, and /readyz is degraded', async (t) => {
  const dataDir = await temporaryFolder(t)
  await writeFile(join(dataDir, 'logs'), 'in the way')
  const { child, opened, exited, output } = await spawnService(t, { DATA_DIR: dataDir })
  const { state, problems } = await fetchJson(`${await opened}/readyz`)
  assert.deepEqual([state, listParts(problems)], ['degraded', ['log']])
  assert.match(output(), /^Log files in .* cannot be written: /m)
  assert.match(output(), /^\{"level":"info".*"msg":"listening"\}$/m)
  child.kill('SIGTERM')
  assert.equal(await exited, 0)
})

test('without a journal downloads are served and counted, and /readyz is degraded until there is one', async (t) => {
  const dataDir = await temporaryFolder(t)
  await writeFile(join(dataDir, 'counts'), 'in the way')
  const { opened } = await spawnService(t, { DATA_DIR: dataDir })
  const url = await opened
  const { state, problems } = await fetchJson(`${url}/readyz`)
  assert.deepEqual([state, listParts(problems)], ['degraded', ['downloads']])
  assert.equal((await fetch(`${url}/api/v5/app/download/reshade`, { redirect: 'manual' })).status, 302)
  // The summary is cached for a second.
  await until(async () => (await fetchJson(`${url}/api/v5/app/stats/downloads`)).total === 1)
  await rm(join(dataDir, 'counts'))
  await until(async () => (await fetchJson(`${url}/readyz`)).state === 'ok')
})

test('a last good state that cannot be saved is reported until it is saved', async (t) => {
  const dataDir = await temporaryFolder(t)
  const folder = join(dataDir, 'last-good')
  await writeFile(folder, 'in the way')
  const { opened } = await spawnService(t, { DATA_DIR: dataDir })
  const url = await opened
  const readProblems = async () => JSON.stringify((await fetchJson(`${url}/readyz`)).problems)
  await until(async () => /the last good state of the content cannot be saved .*\(\w+\)/.test(await readProblems()))
  await rm(folder)
  await until(async () => (await readProblems()) === '[]')
  for (const part of ['app', 'blocklist', 'lists', 'pictures']) assert.ok(existsSync(join(folder, part, 'state.json')))
})

test('pipes in the place of its files do not keep the service from starting and stopping', async (t) => {
  const folder = await temporaryFolder(t)
  const [dataDir, contentDir] = [join(folder, 'data'), join(folder, 'content')]
  await cp(join(ROOT, 'content'), contentDir, { recursive: true })
  const day = new Date().toISOString().slice(0, 10)
  const pipes = [
    ...['', 'app'].map((part) => join(contentDir, part, '.accepted.json')),
    ...['pictures', 'app', 'lists', 'blocklist'].map((part) => join(dataDir, 'last-good', part, 'state.json')),
    ...[
      'pictures.jsonl',
      'results/key',
      'generated/openapi.json',
      'menagerie.sqlite-salt',
      'cache/blocklist.source.json',
    ]
      .concat(`logs/menagerie.${day}.log`, 'history/1.json', 'uploads/owners.json')
      .map((name) => join(dataDir, name)),
  ]
  for (const pipe of pipes) {
    await mkdir(dirname(pipe), { recursive: true })
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  }
  const { child, opened, exited } = await spawnService(t, { DATA_DIR: dataDir, CONTENT_DIR: contentDir })
  const url = await opened
  // Reads the salt of the day.
  assert.equal((await fetch(`${url}/api/v5/app/launcher/updates?current=1.0.0`)).status, 200)
  const countChecks = async () => (await fetchJson(`${url}/api/v5/app/stats/adoption`)).daily.at(-1).checks
  await until(async () => (await countChecks()) > 0)
  const { problems } = await fetchJson(`${url}/readyz`)
  assert.deepEqual(
    problems.map(({ part }: { part: string }) => part),
    ['log'],
  )
  child.kill('SIGTERM')
  assert.equal(await exited, 0)
})
