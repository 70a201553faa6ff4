// The numbers of the service over replaced workers, as Prometheus would read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Families, readExposition, totalOf } from '../../kit/exposition.ts'
import { keepAsking } from '../../kit/load.ts'
import { operatorOf } from '../../kit/nodes.ts'
import { fetchAlone, spawnService } from '../../kit/process.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import type { Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

const ASKED = '/api/v1/animals/cat'

/** Every number that may only grow, by its series. */
const growing = (families: Families) =>
  new Map(
    [...families.values()]
      .filter(({ type }) => type !== 'gauge')
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
  )

/** Scrapes again and again, each time another worker, and keeps what fell since the scrape before. */
function watch(t: Scope, url: string, headers: Record<string, string>) {
  const seen = { scrapes: 0, fell: [] as string[], families: new Map() as Families }
  let known = new Map<string, number>()
  let going = true
  const read = async () => {
    seen.families = readExposition(await (await fetchAlone(`${url}/metrics`)).text())
    const overview = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
    const { traffic } = ((await overview.json()) as { overview: { traffic: { requests: number } } }).overview
    return growing(seen.families).set('traffic', traffic.requests)
  }
  const look = async () => {
    const now = await read()
    for (const [series, value] of known) {
      const found = now.get(series)
      if (found === undefined || found < value) seen.fell.push(`${series}: ${value}, then ${found}`)
    }
    known = now
    seen.scrapes++
  }
  const all = (async () => {
    while (going) {
      await look()
      // The machine is for the workers that come up.
      await sleep(50)
    }
  })()
  const stop = async () => {
    going = false
    await all
  }
  // A hook that fails would leave out those after it.
  t.after(() => stop().catch(() => {}))
  return Object.assign(seen, { look, stop })
}

async function start(t: Scope) {
  const redis = await startRedis(t)
  const service = await spawnService(t, { WORKERS: '2', STORE_URL: redis.url })
  const url = await service.opened
  const headers = { ...(await operatorOf(redis.url)), connection: 'close' }
  return { ...service, url, watched: watch(t, url, headers) }
}

test('over a roll under load no counter falls, and in the end every request is counted', needsRedis, async (t) => {
  const { url, child, output, watched } = await start(t)
  const load = keepAsking(t, url + ASKED, { pauseMs: 10 })
  await until(() => load.done > 200 && watched.scrapes > 3, 20_000)
  child.kill('SIGHUP')
  await until(() => /All workers were replaced/.test(output()), 60_000)
  const { scrapes } = watched
  await until(() => watched.scrapes > scrapes + 3, 20_000)
  await load.stop()
  await watched.stop()
  await watched.look()
  t.diagnostic(`${load.done} requests and ${watched.scrapes} scrapes over a roll, ${watched.fell.length} numbers fell`)
  assert.deepEqual(watched.fell, [])
  assert.deepEqual(load.failed, [])
  const counted = totalOf(watched.families, 'menagerie_http_requests_total', { route: '/api/v1/animals/:endpoint' })
  assert.equal(counted, load.done)
})

test('what was shown of a worker that is killed stays counted', needsRedis, async (t) => {
  const { url, workers, watched } = await start(t)
  const [killed] = await workers()
  assert.ok(killed)
  for (let asked = 0; asked < 20; asked++) await fetchAlone(url + ASKED)
  await until(() => watched.scrapes > 1, 20_000)
  await watched.stop()
  await watched.look()
  process.kill(killed, 'SIGKILL')
  await until(async () => (await workers()).every((pid) => pid !== killed), 20_000)
  for (let looked = 0; looked < 3; looked++) await watched.look()
  assert.deepEqual(watched.fell, [])
})
