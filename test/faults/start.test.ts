// Starts that fail, are stopped, or find an unusable folder.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findPython } from '../kit/external-programs.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { ROOT } from '../kit/root.ts'
import { startTestService } from '../kit/service.ts'
import { fetchJson, spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

test('a port in use is an error that names it, and nothing that was opened keeps the process alive', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { exited, output } = await spawnService(t, { PORT: String(port) })
  assert.equal(await exited, 1)
  assert.match(output(), new RegExp(`^menagerie: Port ${port} is used by another program`, 'm'))
})

test('with less memory than the service plans for, it starts and serves pictures', async (t) => {
  const { url } = await startTestService(t, { MEMORY_LIMIT: String(64 * 2 ** 20) })
  for (const path of ['/media/animals/cat/~any.png', '/api/v1/filter/invert?image=']) {
    const { status } = await fetch(`${url}${path}${path.endsWith('=') ? `${url}/media/animals/cat/~any.png` : ''}`)
    assert.equal(status, 200, path)
  }
})

const python = findPython()

test('the service starts with no other sockets than the systemd unit allows', {
  skip: !python && 'no python3',
}, async (t) => {
  const unit = await readFile(join(ROOT, 'ops/systemd/menagerie.service'), 'utf8')
  assert.match(unit, /^RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX$/m)
  const wrapper = [python ?? '', join(ROOT, 'test/kit/restrict-sockets.py')]
  const { opened } = await spawnService(t, {}, undefined, wrapper)
  const url = await opened
  assert.equal((await fetchJson(`${url}/readyz`)).state, 'ok')
  const picture = encodeURIComponent(`${url}/media/animals/cat/~any.png`)
  assert.equal((await fetch(`${url}/api/v1/filter/invert?image=${picture}`)).status, 200)
})

const unknownUser = ['unshare', '--user', '--map-user=54321', '--map-group=54321', 'env', '-u', 'HOME']

test('the service starts as a user without a home folder and an entry in /etc/passwd, as that of the systemd unit', {
  skip: spawnSync(unknownUser[0] ?? '', [...unknownUser.slice(1), 'true']).status !== 0 && 'no user namespaces',
}, async (t) => {
  const { opened } = await spawnService(t, {}, undefined, unknownUser)
  assert.equal((await fetchJson(`${await opened}/readyz`)).state, 'ok')
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

test('without a journal, or a folder for the last good state, downloads are counted, and /readyz reports it', async (t) => {
  const dataDir = await temporaryFolder(t)
  for (const name of ['counts', 'last-good']) await writeFile(join(dataDir, name), 'in the way')
  const { url } = await startTestService(t, { DATA_DIR: dataDir })
  const readState = async () => {
    const { state, problems } = await fetchJson(`${url}/readyz`)
    return `${state} ${listParts(problems)} ${JSON.stringify(problems)}`
  }
  await until(async () =>
    /^degraded data,downloads .*last good state of the content cannot be saved/.test(await readState()),
  )
  assert.equal((await fetch(`${url}/api/v5/app/download/reshade`, { redirect: 'manual' })).status, 302)
  // The summary is cached for a second.
  await until(async () => (await fetchJson(`${url}/api/v5/app/stats/downloads`)).total === 1)
  for (const name of ['counts', 'last-good']) await rm(join(dataDir, name))
  await until(async () => (await readState()).startsWith('ok'))
  for (const part of ['app', 'blocklist', 'lists', 'pictures'])
    assert.ok(existsSync(join(dataDir, 'last-good', part, 'state.json')))
  // A folder that was missing for a while is back with the same files.
  const [folder, moved] = [join(dataDir, 'last-good/pictures'), join(dataDir, 'moved')]
  await rename(folder, moved)
  await writeFile(folder, 'in the way')
  await until(async () => (await readState()).startsWith('degraded data '))
  await rm(folder)
  await rename(moved, folder)
  await until(async () => (await readState()).startsWith('ok'))
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
  // More than Node has threads for files.
  const logs = Array.from({ length: 8 }, () => fetch(`${url}/api/v1/static/logs/menagerie.${day}.log`))
  assert.deepEqual(new Set((await Promise.all(logs)).map(({ status }) => status)), new Set([404]))
  const { problems } = await fetchJson(`${url}/readyz`)
  assert.deepEqual(listParts(problems), ['log'])
  child.kill('SIGTERM')
  assert.equal(await exited, 0)
})
