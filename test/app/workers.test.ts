// The service as several processes with a real Redis.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { sumSamples } from '../kit/exposition.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { countInJournals } from '../kit/journal.ts'
import { startLoad } from '../kit/load.ts'
import { startPictureSource } from '../kit/picture-source.ts'
import { createNoisyImage } from '../kit/pictures.ts'
import { openSocket } from '../kit/raw-http.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { ROOT } from '../kit/root.ts'
import { forSuite } from '../kit/scope.ts'
import {
  createOperatorHeaders,
  fetchJson,
  fetchOnce,
  isAlive,
  type ServiceProcess,
  spawnService,
} from '../kit/service-process.ts'
import { until, untilEqual } from '../kit/until.ts'
import { watchCounters } from './watch-counters.ts'

test('several workers without Redis are refused with a message that names both settings', async (t) => {
  const { program } = await commandLine(t, { WORKERS: '2', PORT: '0' })
  assert.match(await program.fail('serve'), /^WORKERS is 2, .* Set STORE_URL to redis:\/\/…, or WORKERS to 1\.$/)
})

test('the service exits with code 1 and a message when no worker starts', async (t) => {
  const dying = "data:text/javascript,import c from 'node:cluster';if(c.isWorker)process.exit(7)".replaceAll(' ', '%20')
  // The primary does not connect to Redis, and these workers exit before they could.
  const settings = { WORKERS: '2', STORE_URL: 'redis://127.0.0.1:1', NODE_OPTIONS: `--import=${dying}` }
  const { exited, output } = await spawnService(t, settings)
  assert.equal(await exited, 1)
  assert.match(output(), /menagerie: No worker started in 3 attempts \(exit code 7\)/)
  assert.ok(!output().includes('is running'))
})

const linesOf = async ({ dataDir }: ServiceProcess) => {
  const folder = join(dataDir, 'logs')
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  // The last line may still be incomplete.
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1))
  return { names, lines: lines.map((line) => JSON.parse(line)) }
}

/** The suite starts and replaces several processes, which takes minutes on a busy machine. */
const SUITE_TIMEOUT_MS = 600_000

interface Overview {
  readonly traffic: { readonly requests: number; readonly groups: Record<string, number> }
  readonly counter: { readonly counted: number; readonly waiting: number; readonly lost: number }
  readonly pipeline: {
    readonly running: number
    readonly caches: Record<string, { readonly entries: number; readonly bytes: number }>
    readonly replies: Record<string, number>
    readonly sourceReads: Record<string, number>
  }
}

describe('WORKERS=2', { ...needsRedis, timeout: SUITE_TIMEOUT_MS }, () => {
  const service = forSuite(async (t) => {
    const redis = await startRedis(t)
    const source = await startPictureSource(t)
    const settings = {
      WORKERS: '2',
      STORE_URL: redis.url,
      FILTER_ALLOW_HOSTS: source.host,
      FILTER_STORE_CACHE_BYTES: '0',
      CONTENT_DIR: join(ROOT, 'content'),
    }
    const folder = await temporaryFolder(t)
    const started = await spawnService(t, settings, folder)
    const url = await started.opened
    // Workers that are replaced read it.
    const otherDataDir = join(folder, 'other')
    await writeFile(join(folder, '.env'), `DATA_DIR=${otherDataDir}\nSTORE_URL=${redis.url}/7\n`)
    const headers = { ...(await createOperatorHeaders(redis.url)), connection: 'close' }
    const overview = async () => {
      const reply = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
      return ((await reply.json()) as { overview: Overview }).overview
    }
    return { ...started, redis, source, url, headers, overview, otherDataDir }
  })

  test('the welcome text is printed once, and both workers serve', async () => {
    const { output, workers, url } = service()
    assert.equal(output().match(/Menagerie is running/g)?.length, 1)
    assert.match(output(), /Workers +2\n/)
    assert.equal((await workers()).length, 2)
    for (let requests = 0; requests < 4; requests++) assert.equal((await fetchOnce(`${url}/healthz`)).status, 200)
  })

  test('a removed lock of the data folder is created again and reported', async () => {
    const { url, dataDir } = service()
    await rm(join(dataDir, 'service.lock'))
    const readProblems = async () => (await fetchJson(`${url}/readyz`)).problems ?? []
    await until(async () => JSON.stringify(await readProblems()).includes('the data folder or its lock was removed'))
  })

  test('the log lines of both workers are in one file and in the public logs', async () => {
    const { url } = service()
    for (let requests = 0; requests < 4; requests++) await fetchJson(`${url}/api/v1/uptime`)
    const found = async () => {
      const { lines } = await linesOf(service())
      const listening = lines.filter(({ msg }) => msg === 'listening').map(({ worker }) => worker)
      return { requests: lines.filter(({ path }) => path === '/api/v1/uptime').length, listening: listening.sort() }
    }
    await untilEqual(found, { requests: 4, listening: [1, 2] })
    const { names, lines } = await linesOf(service())
    assert.equal(names.length, 1)
    const shown = await fetchJson(`${url}/api/v1/static/logs/${names[0]}?lines=1000`)
    assert.ok(shown.lines.length >= lines.length)
  })

  test('the overview sums the counter and the pipeline over all workers', async () => {
    const { url, source, overview } = service()
    const image = source.put('/cat.jpg', {
      type: 'image/jpeg',
      body: await createNoisyImage('jpeg'),
      headers: { 'cache-control': 'max-age=600' },
    })
    // Connections are assigned round robin: each worker gets two of each.
    for (let requests = 0; requests < 4; requests++) {
      await fetchOnce(`${url}/api/v5/app/download/launcher`).then((reply) => reply.arrayBuffer())
    }
    const filter = `${url}/api/v2/filter/invert?format=image&image=${encodeURIComponent(image)}`
    for (let requests = 0; requests < 4; requests++) assert.equal((await fetchOnce(filter)).status, 200)
    await until(async () => (await overview()).counter.waiting === 0)
    for (const { counter, pipeline } of [await overview(), await overview()]) {
      assert.deepEqual(counter, { counted: 4, waiting: 0, lost: 0 })
      assert.deepEqual(pipeline.replies, { hit: 2, miss: 2, shared: 0 })
      assert.deepEqual(pipeline.sourceReads, { hit: 0, miss: 2, revalidated: 0 })
      assert.deepEqual([pipeline.running, pipeline.caches.results?.entries], [0, 2])
    }
  })

  test('during a rolling restart no request fails, no counter falls, and every request is counted', async (t) => {
    const { url, child, output, workers, headers, overview } = service()
    const watched = watchCounters(t, url, headers)
    const before = await workers()
    const load = startLoad(t, `${url}/api/v1/version`)
    await until(() => load.done > 100 && watched.scrapes > 1)
    child.kill('SIGHUP')
    await until(() => /All workers were replaced/.test(output()), 60_000)
    const { scrapes } = watched
    await until(() => watched.scrapes > scrapes + 1)
    await load.stop()
    await watched.stop()
    await watched.scrape()
    t.diagnostic(`${load.done} requests and ${watched.scrapes} scrapes, ${watched.fell.length} values fell`)
    assert.deepEqual(watched.fell, [])
    assert.deepEqual(load.failed, [])
    const route = '/api/v1/version'
    assert.equal(sumSamples(watched.families, 'menagerie_http_requests_total', { route }), load.done)
    assert.ok(before.every((pid) => !isAlive(pid)))
    const { counter, pipeline } = await overview()
    assert.equal(counter.counted, 4)
    assert.deepEqual(pipeline.replies, { hit: 2, miss: 2, shared: 0 })
    assert.equal(pipeline.caches.results?.entries, 0, 'a new process begins with empty caches')
  })

  test('the counts of a worker that is killed stay in the totals', async (t) => {
    const { url, workers, headers } = service()
    const watched = watchCounters(t, url, headers)
    const [killed = 0] = await workers()
    assert.ok(killed > 0)
    for (let requests = 0; requests < 20; requests++) await fetchOnce(`${url}/healthz`)
    await until(() => watched.scrapes > 1)
    await watched.stop()
    await watched.scrape()
    process.kill(killed, 'SIGKILL')
    await until(async () => (await workers()).every((pid) => pid !== killed))
    for (let scrapes = 0; scrapes < 3; scrapes++) await watched.scrape()
    assert.deepEqual(watched.fell, [])
    await until(async () => (await workers()).length === 2)
  })

  test('killed workers are replaced, and their download counts reach the store', async (t) => {
    const { url, workers, redis, dataDir } = service()
    const before = await workers()
    const counted = () => fetchJson(`${url}/api/v5/app/stats/downloads`).then(({ total }) => total)
    const total = (await counted()) + 10
    redis.pause()
    for (let requests = 0; requests < 10; requests++) {
      await fetchOnce(`${url}/api/v5/app/download/launcher`).then((reply) => reply.arrayBuffer())
    }
    const inJournals = () => countInJournals(join(dataDir, 'counts'))
    assert.equal(inJournals(), 10)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    redis.resume()
    await until(async () => (await workers()).filter((pid) => !before.includes(pid)).length === 2, 20_000)
    await until(async () => (await counted().catch(() => 0)) === total, 30_000)
    // Redis may have stored a batch without acknowledging it.
    await until(() => inJournals() === 0, 30_000)
    // A worker caches the summary for a second.
    const readFromEach = async () => [await counted(), await counted(), await counted(), await counted()]
    await untilEqual(readFromEach, [total, total, total, total])
    t.diagnostic('10 downloads were counted before the kill; 10 are in the store')
  })

  test('the metrics of any worker cover all workers', async () => {
    const { url } = service()
    const read = async () => (await fetchOnce(`${url}/metrics`)).text()
    // A worker that a busy machine delays is left out.
    await until(async () => [await read(), await read()].every((text) => /^menagerie_workers 2$/m.test(text)))
  })

  test('a problem that only one worker has is listed by all of them', async () => {
    const { url } = service()
    await fetch(`${url}/api/v5/app/operator/overview`, {
      headers: { connection: 'close', 'x-forwarded-for': '198.51.100.7' },
    })
    const listed = async () => {
      const { problems = [] } = await fetchJson(`${url}/readyz`)
      return problems.filter(({ part }: { part: string }) => part === 'network').length
    }
    const readFromEach = async () => [await listed(), await listed(), await listed(), await listed()]
    await untilEqual(readFromEach, [1, 1, 1, 1])
  })

  test('the overview counts the requests of all workers', async () => {
    const { url, overview } = service()
    const before = (await overview()).traffic
    for (let requests = 0; requests < 10; requests++) await fetchJson(`${url}/healthz`)
    const after = (await overview()).traffic
    assert.ok(after.requests >= before.requests + 10)
    assert.ok((after.groups.Health ?? 0) >= (before.groups.Health ?? 0) + 10)
  })

  test('a blocked worker is replaced within half a minute', async (t) => {
    const { url, output, workers } = service()
    const [blocked = 0, other = 0] = await workers()
    // 0 would be all processes of this group.
    assert.ok(blocked > 0)
    process.kill(blocked, 'SIGSTOP')
    t.after(() => void (isAlive(blocked) && process.kill(blocked, 'SIGCONT')))
    await until(() => !isAlive(blocked), 30_000)
    // The dead worker is in the list until the primary has noticed.
    await until(async () => (await workers()).some((pid) => pid !== blocked && pid !== other))
    assert.ok((await workers()).includes(other))
    assert.match(output(), /a worker does not answer and is killed/)
    assert.equal((await fetchOnce(`${url}/healthz`)).status, 200)
  })

  test('replaced workers use the data folder and the store of the primary, also if .env names other ones', async () => {
    assert.equal(existsSync(service().otherDataDir), false)
    // A store in use is in the list of databases, because its health is probed.
    assert.doesNotMatch(await service().redis.command('INFO keyspace'), /db7/)
  })

  test('after SIGTERM a request in progress is answered, and all processes exit', async () => {
    const { url, child, output, exited, ...started } = service()
    const workers = await started.workers()
    const { socket, received, isClosed } = await openSocket(url, 'GET /api/v1/uptime HTTP/1.1\r\nHost: x\r\n')
    // These connections were accepted later: when they are answered, the worker has read the first part of the request.
    const idle = await Promise.all(
      Array.from({ length: 4 }, () => openSocket(url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')),
    )
    await until(() => idle.every((other) => other.received().startsWith('HTTP/1.1 200')))
    child.kill('SIGTERM')
    // All workers know that they stop.
    await until(() => idle.every((other) => other.isClosed()))
    assert.match(output(), /Stopping/)
    socket.write('\r\n')
    await until(isClosed)
    assert.match(received(), /^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*"uptime"/)
    assert.equal(await exited, 0)
    assert.ok(workers.every((pid) => !isAlive(pid)))
    const { lines } = await linesOf(service())
    assert.ok(lines.some(({ path }) => path === '/api/v1/uptime'))
    assert.equal(lines.at(-1).msg, 'stopped')
  })
})
