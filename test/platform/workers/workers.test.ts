// The service itself as several processes, over a real Redis.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createTokens } from '../../../src/features/access/index.ts'
import { openStore, type Store } from '../../../src/platform/store/index.ts'
import { commandLine } from '../../kit/command-line.ts'
import { rememberingLog } from '../../kit/log.ts'
import { fetchAlone, fetchJson, isAlive, type ServiceProcess, spawnService } from '../../kit/process.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { forSuite } from '../../kit/scope.ts'
import { until, untilEqual } from '../../kit/until.ts'

test('several workers without Redis are refused, naming both settings', async (t) => {
  const { refusal } = await commandLine(t, { WORKERS: '2', PORT: '0' })
  assert.match(await refusal('serve'), /^WORKERS is 2, .* set STORE_URL to redis:\/\/…, or WORKERS to 1\.$/)
})

test('workers that end at their start: the service gives up with a sentence and exit code 1', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const dying = "data:text/javascript,import c from 'node:cluster';if(c.isWorker)process.exit(7)".replaceAll(' ', '%20')
  const settings = { WORKERS: '2', STORE_URL: redis.url, NODE_OPTIONS: `--import=${dying}` }
  const { exited, output } = await spawnService(t, settings)
  assert.equal(await exited, 1)
  assert.match(output(), /menagerie: No worker comes up, in 3 attempts \(exit code 7\)/)
  assert.ok(!output().includes('is open'))
})

const linesOf = async ({ dataDir }: ServiceProcess) => {
  const folder = join(dataDir, 'logs')
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  // What is after the last end of a line is still being written.
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1))
  return { names, lines: lines.map((line) => JSON.parse(line)) }
}

describe('WORKERS=2', needsRedis, () => {
  const service = forSuite(async (t) => {
    const redis = await startRedis(t)
    const started = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
    return { ...started, redis, url: await started.opened }
  })

  test('it says hello once, and both processes serve', async () => {
    const { output, workers, url } = service()
    assert.equal(output().match(/Menagerie is open/g)?.length, 1)
    assert.match(output(), /Workers +2\n/)
    assert.equal((await workers()).length, 2)
    for (let asked = 0; asked < 4; asked++) assert.equal((await fetchJson(`${url}/readyz`)).state, 'ok')
  })

  test('their log lines are in one file, and the public logs show them', async () => {
    const { url } = service()
    for (let asked = 0; asked < 4; asked++) await fetchJson(`${url}/api/v1/uptime`)
    const found = async () => {
      const { lines } = await linesOf(service())
      const listening = lines.filter(({ msg }) => msg === 'listening').map(({ worker }) => worker)
      return { asked: lines.filter(({ path }) => path === '/api/v1/uptime').length, listening: listening.sort() }
    }
    await untilEqual(found, { asked: 4, listening: [1, 2] })
    const { names, lines } = await linesOf(service())
    assert.equal(names.length, 1)
    const shown = await fetchJson(`${url}/api/v1/static/logs/${names[0]}?lines=1000`)
    assert.ok(shown.lines.length >= lines.length)
  })

  test('killed workers are replaced, and what they had counted is handed in', async (t) => {
    const { url, workers, redis, dataDir } = service()
    const before = await workers()
    redis.hang()
    for (let asked = 0; asked < 10; asked++) {
      await fetchAlone(`${url}/api/v5/app/download/launcher`).then((reply) => reply.arrayBuffer())
    }
    const journals = () => [1, 2].map((number) => globSync(join(dataDir, 'counts', `worker-${number}`, 'downloads-*')))
    const inJournals = () => {
      const batches = journals()
        .flat()
        .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')))
      return batches.flatMap(({ rows }) => rows).reduce((sum, { count }) => sum + count, 0)
    }
    // A worker that is killed may lose what it counted in its last second.
    await until(() => journals().every(({ length }) => length === 1) && inJournals() === 10)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    redis.goOn()
    await until(async () => (await workers()).filter((pid) => !before.includes(pid)).length === 2, 20_000)
    const counted = () => fetchJson(`${url}/api/v5/app/stats/downloads`).then(({ total }) => total)
    await until(async () => (await counted().catch(() => 0)) === 10, 30_000)
    // Redis may have had a batch already that it acknowledged to nobody: the journal is taken in once it is quiet.
    await until(() => journals().flat().length === 0, 30_000)
    // What one of them told before may be a second old, and of the other.
    const ofEach = async () => [await counted(), await counted(), await counted(), await counted()]
    await untilEqual(ofEach, [10, 10, 10, 10])
    t.diagnostic('10 downloads were counted before the kill; 10 are in the store')
  })

  test('the metrics of any process are those of all', async () => {
    const { url } = service()
    const read = async () => (await fetchAlone(`${url}/metrics`)).text()
    for (const text of [await read(), await read()]) assert.match(text, /^menagerie_processes 2$/m)
  })

  test('the overview counts the requests of all processes', async (t) => {
    const { url, redis } = service()
    const { text } = await withStore(t, redis.url, (store) =>
      createTokens(store.tokens).create('a test', ['read'], null),
    )
    const headers = { authorization: `Bearer ${text}`, connection: 'close' }
    const overview = async () => {
      const response = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
      return ((await response.json()) as Record<string, any>).overview.traffic
    }
    const seen = (await overview()).requests
    for (let asked = 0; asked < 10; asked++) await fetchJson(`${url}/healthz`)
    await until(async () => (await overview()).groups.Health >= 10)
    assert.ok((await overview()).requests >= seen + 10)
  })
})

test('SIGTERM lets a request under way finish in its worker, and all processes end', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
  const url = await service.opened
  const workers = await service.workers()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.write('GET /api/v1/uptime HTTP/1.1\r\nHost: x\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  // Whoever is answered after that was met later: by then both have read what there is of the request.
  for (let asked = 0; asked < 4; asked++) await fetchJson(`${url}/healthz`)
  service.child.kill('SIGTERM')
  await until(() => /Closing/.test(service.output()))
  socket.write('\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
  assert.match(received, /^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*"uptime"/)
  assert.equal(await service.exited, 0)
  assert.ok(workers.every((pid) => !isAlive(pid)))
  const { lines } = await linesOf(service)
  assert.ok(lines.some(({ path }) => path === '/api/v1/uptime'))
  assert.equal(lines.at(-1).msg, 'stopped')
})

test('workers whose primary is killed hand in what they counted, and end', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
  const url = await service.opened
  const workers = await service.workers()
  for (let asked = 0; asked < 4; asked++) await fetchAlone(`${url}/api/v5/app/download/launcher`)
  service.child.kill('SIGKILL')
  await until(() => workers.every((pid) => !isAlive(pid)), 15_000)
  await assert.rejects(fetch(`${url}/healthz`))
  const { total } = await withStore(t, redis.url, (store) => store.downloads.summary(1))
  assert.equal(total, 4)
})

/** The store as another process sees it. */
async function withStore<T>(t: TestContext, url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(url, { dataDir: '', log: rememberingLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return work(store)
}
