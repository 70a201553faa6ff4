// Requests and counters while workers are replaced: clients never retry, and Prometheus reads counters that never fall.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Families, parseExposition, sumSamples } from '../kit/exposition.ts'
import { startLoad } from '../kit/load.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { createOperatorHeaders, fetchOnce, isAlive, spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const PATH = '/api/v1/version'
/** The suite starts and replaces several processes, which takes minutes on a busy machine. */
const SUITE_TIMEOUT_MS = 600_000

/** All values that must never fall, by series. */
const readCounters = (families: Families) =>
  new Map(
    [...families.values()]
      .filter(({ type }) => type !== 'gauge')
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
  )

/** The store may reply late on a busy machine: then the operator's request is refused and must be sent again. */
async function readTraffic(url: string, headers: Record<string, string>): Promise<number> {
  const reply = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
  const body = (await reply.json()) as { code?: string; overview: { traffic: { requests: number } } }
  if (body.code === 'STORE_UNAVAILABLE') return readTraffic(url, headers)
  assert.equal(reply.status, 200, JSON.stringify(body))
  return body.overview.traffic.requests
}

/** Scrapes one worker after the other and records the values that fell since the previous scrape. */
function watchCounters(t: Scope, url: string, headers: Record<string, string>) {
  const seen = { scrapes: 0, fell: [] as string[], families: new Map() as Families }
  let previous = new Map<string, number>()
  let isRunning = true
  const read = async () => {
    seen.families = parseExposition(await (await fetchOnce(`${url}/metrics`)).text())
    return readCounters(seen.families).set('traffic', await readTraffic(url, headers))
  }
  const scrape = async () => {
    const now = await read()
    for (const [series, value] of previous) {
      const found = now.get(series)
      if (found === undefined || found < value) seen.fell.push(`${series}: ${value}, then ${found}`)
    }
    previous = now
    seen.scrapes++
  }
  const all = (async () => {
    while (isRunning) {
      await scrape()
      // Leaves the processor to the workers that start.
      await sleep(50)
    }
  })()
  const stop = async () => {
    isRunning = false
    await all
  }
  // A hook that rejects would skip the hooks after it.
  t.after(() => stop().catch(() => {}))
  return Object.assign(seen, { scrape, stop })
}

describe('two workers under load', { ...needsRedis, timeout: SUITE_TIMEOUT_MS }, () => {
  const started = forSuite(async (t) => {
    const redis = await startRedis(t)
    const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
    const url = await service.opened
    return { ...service, url, headers: { ...(await createOperatorHeaders(redis.url)), connection: 'close' } }
  })

  test('the counts of a worker that is killed stay in the totals', async (t) => {
    const { url, workers, headers } = started()
    const watched = watchCounters(t, url, headers)
    const [killed] = await workers()
    assert.ok(killed)
    for (let requests = 0; requests < 20; requests++) await fetchOnce(`${url}/healthz`)
    await until(() => watched.scrapes > 1)
    await watched.stop()
    await watched.scrape()
    process.kill(killed, 'SIGKILL')
    await until(async () => (await workers()).every((pid) => pid !== killed))
    for (let scrapes = 0; scrapes < 3; scrapes++) await watched.scrape()
    assert.deepEqual(watched.fell, [])
  })

  test('during a rolling restart no request fails, no counter falls, and every request is counted', async (t) => {
    const { url, child, output, workers, headers } = started()
    const watched = watchCounters(t, url, headers)
    await until(async () => (await workers()).length === 2)
    const before = await workers()
    const load = startLoad(t, url + PATH)
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
    const route = PATH
    assert.equal(sumSamples(watched.families, 'menagerie_http_requests_total', { route }), load.done)
    assert.ok(before.every((pid) => !isAlive(pid)))
  })
})
