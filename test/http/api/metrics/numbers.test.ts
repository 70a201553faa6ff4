import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../../../../src/config/config.ts'
import { definitionList } from '../../../../src/platform/metrics/index.ts'
import { APP, createToken, startApp } from '../../../kit/app.ts'
import { type Families, parseExposition, sumSamples } from '../../../kit/exposition.ts'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { createNoisyImage } from '../../../kit/pictures.ts'
import { sendRaw } from '../../../kit/raw-http.ts'
import { needsRedis, startRedis } from '../../../kit/redis.ts'
import { record, releasesYaml } from '../../../kit/releases.ts'
import type { Scope } from '../../../kit/scope.ts'
import { startTestService, type TestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const scrape = async ({ fetchPath }: Pick<TestService, 'fetchPath'>): Promise<Families> => {
  const reply = await fetchPath('/metrics')
  assert.equal(reply.status, 200)
  return parseExposition(await reply.text())
}

const start = (t: Scope, settings: Environment = {}) => startTestService(t, settings)

test('requests are counted by route, method and status, and timed by group', async (t) => {
  const service = await start(t)
  const { fetchPath } = service
  for (const kind of ['cat', 'dog', 'nonsense']) await fetchPath(`/api/v1/animals/${kind}`)
  await fetchPath('/healthz', { method: 'HEAD' })
  await fetchPath('/healthz', { method: 'DELETE' })
  const families = await scrape(service)
  const requests = (labels: Record<string, string>) => sumSamples(families, 'menagerie_http_requests_total', labels)
  assert.equal(requests({ route: '/api/v1/animals/:kind', method: 'GET', status: '200' }), 2)
  assert.equal(requests({ route: '/api/v1/animals/:kind', method: 'GET', status: '404' }), 1)
  assert.equal(requests({ route: '/healthz', method: 'HEAD', status: '200' }), 1)
  assert.equal(requests({ route: 'unknown', method: 'DELETE', status: '405' }), 1)
  const timed = (group: string) => sumSamples(families, 'menagerie_http_request_duration_seconds_count', { group })
  assert.deepEqual([timed('Random content, v1'), timed('none')], [3, 1])
  assert.ok(sumSamples(families, 'menagerie_http_request_duration_seconds_sum', { group: 'Random content, v1' }) > 0)
})

test('a client cannot create labels: paths are counted by route pattern, and methods come from a fixed list', async (t) => {
  const service = await start(t)
  const series = async () => {
    const { samples } = (await scrape(service)).get('menagerie_http_requests_total')!
    return samples.length
  }
  await service.fetchPath('/invented')
  await service.fetchPath('/api/v1/animals/x')
  await service.fetchPath('/invented', { method: 'PATCH' })
  await scrape(service)
  const before = await series()
  for (let i = 0; i < 100; i++) {
    await service.fetchPath(`/invented/${i}"}\\`)
    await service.fetchPath(`/api/v1/animals/x${i}`)
    await service.fetchPath(`/i${i}`, { method: ['PATCH', 'PROPFIND', 'LOCK'][i % 3]! })
  }
  assert.equal(await series(), before)
})

test('connections refused before a complete request are counted', async (t) => {
  const service = await start(t)
  await sendRaw(service.url, 'rubbish\r\n\r\n')
  assert.equal(sumSamples(await scrape(service), 'menagerie_http_early_errors_total', { code: 'BAD_REQUEST' }), 1)
})

test('filter jobs are counted by filter, stage, cache outcome, queue and error code', async (t) => {
  const source = await startPictureSource(t)
  const service = await start(t, { FILTER_ALLOW_HOSTS: source.host })
  const fresh = { 'cache-control': 'max-age=600' }
  const image = source.put('/a.png', { type: 'image/png', body: await createNoisyImage('png', 40, 30), headers: fresh })
  const filter = (name: string, url: string) =>
    service.fetchPath(`/api/v1/filter/${name}?image=${encodeURIComponent(url)}`)
  for (const name of ['blur', 'blur', 'invert']) assert.equal((await filter(name, image)).status, 200)
  await filter('blur', 'http://10.0.0.1/x.png')
  await filter('blur', `${source.url}/missing.png`)
  const chain = `/api/v2/filter/chain?steps=invert&image=${encodeURIComponent(image)}`
  assert.equal((await service.fetchPath(chain)).status, 200)
  const families = await scrape(service)
  const total = (name: string, labels: Record<string, string>) => sumSamples(families, name, labels)
  const stages = (stage: string) => total('menagerie_filter_stage_duration_seconds_count', { stage })
  // Two results from one source. The second blur and the chain were hits; /missing.png fetched nothing to decode.
  assert.deepEqual(['decode', 'filter', 'encode'].map(stages), [2, 2, 2])
  assert.equal(stages('fetch'), 2)
  assert.equal(stages('wait'), 3)
  const reads = (cache: string, outcome: string) => total('menagerie_cache_reads_total', { cache, outcome })
  assert.deepEqual([reads('results', 'hit'), reads('results', 'miss')], [2, 2])
  assert.deepEqual([reads('sources', 'hit'), reads('sources', 'miss')], [1, 1])
  for (const cache of ['results', 'sources']) assert.ok(total('menagerie_cache_bytes', { cache }) > 500, cache)
  const failed = (code: string) => total('menagerie_filter_failures_total', { code })
  assert.deepEqual([failed('IMAGE_ADDRESS_FORBIDDEN'), failed('IMAGE_UNREACHABLE')], [1, 1])
  assert.equal(total('menagerie_queue_running', {}), 0)
  const requests = (filter: string) => total('menagerie_filter_requests_total', { filter })
  assert.deepEqual([requests('blur'), requests('invert'), requests('chain'), requests('contrast')], [4, 1, 1, 0])
  assert.ok(total('menagerie_http_response_bytes_total', {}) > 500)
})

test('a running filter job is in the queue metric, and a client that disconnects is counted as CANCELLED', async (t) => {
  const source = await startPictureSource(t)
  const service = await start(t, { FILTER_ALLOW_HOSTS: source.host })
  const url = source.put('/slow.png', () => {})
  const client = new AbortController()
  const reply = service.fetchPath(`/api/v1/filter/blur?image=${encodeURIComponent(url)}`, { signal: client.signal })
  const running = async (queue: string) => sumSamples(await scrape(service), 'menagerie_queue_running', { queue })
  await until(async () => (await running('fetches')) === 1)
  assert.equal(await running('filters'), 1)
  client.abort()
  await assert.rejects(reply)
  await until(async () => (await running('filters')) === 0)
  const cancelled = async () =>
    sumSamples(await scrape(service), 'menagerie_filter_failures_total', { code: 'CANCELLED' })
  await until(async () => (await cancelled()) > 0)
  assert.equal(await cancelled(), 1)
})

test('requests refused by bans and limits are counted', async (t) => {
  const service = await start(t, { TRUST_PROXY: 'loopback', RATE_LIMIT: '50/60', RATE_LIMIT_FILTERS: '1/60' })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  await service.fetchPath(`${APP}/operator/bans?x=../../etc/passwd`, from('192.0.2.1'))
  for (let i = 0; i < 3; i++) assert.equal((await service.fetchPath('/healthz', from('192.0.2.1'))).status, 403)
  for (let i = 0; i < 4; i++) await service.fetchPath('/api/v1/filter/blur', from('192.0.2.2'))
  const families = await scrape(service)
  assert.equal(sumSamples(families, 'menagerie_bans_active'), 1)
  assert.equal(sumSamples(families, 'menagerie_bans_added_total', { by: 'automatic' }), 1)
  assert.equal(sumSamples(families, 'menagerie_bans_refused_total'), 4)
  assert.equal(sumSamples(families, 'menagerie_limits_refused_total', { bucket: 'filters' }), 3)
  assert.equal(sumSamples(families, 'menagerie_limits_refused_total', { bucket: 'requests' }), 0)
})

test('downloads, content and store calls are counted', async (t) => {
  const app = await startApp(t, {
    'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }),
    'tiers.yaml': '2: x\n',
  })
  for (let i = 0; i < 3; i++) await app.fetch('/download/launcher')
  const { headers } = await createToken(app.dataDir)
  assert.equal((await app.fetchPath(`${APP}/operator/bans`, { headers })).status, 200)
  await until(async () => sumSamples(await scrape(app), 'menagerie_downloads_waiting') === 0)
  const families = await scrape(app)
  assert.equal(sumSamples(families, 'menagerie_downloads_counted_total'), 3)
  const calls = (operation: string) =>
    sumSamples(families, 'menagerie_store_call_duration_seconds_count', { operation })
  for (const operation of ['bans.changes', 'bans.list', 'tokens.list']) assert.ok(calls(operation) >= 1, operation)
  assert.ok(calls('downloads.add') >= 1)
  assert.equal(sumSamples(families, 'menagerie_store_errors_total'), 0)
  assert.equal(sumSamples(families, 'menagerie_problems', { part: 'releases' }), 1)
  assert.equal(sumSamples(families, 'menagerie_problems', { part: 'content' }), 0)
  assert.ok(sumSamples(families, 'menagerie_content_items', { category: 'kaomoji' }) > 100)
  assert.ok(sumSamples(families, 'menagerie_content_kinds', { category: 'animals' }) >= 6)
})

test('the metrics report an unavailable store and stay readable', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const service = await start(t, { STORE_URL: redis.url })
  await until(async () => sumSamples(await scrape(service), 'menagerie_store_up', { driver: 'redis' }) === 1)
  await redis.kill()
  await until(
    async () => sumSamples(await scrape(service), 'menagerie_store_errors_total', { operation: 'bans.changes' }) > 0,
  )
  await until(async () => {
    const families = await scrape(service)
    return (
      sumSamples(families, 'menagerie_store_up', { driver: 'redis' }) === 0 &&
      sumSamples(families, 'menagerie_problems', { part: 'store' }) === 1
    )
  })
})

test('process metrics are present, and every defined metric is exposed', async (t) => {
  const families = await scrape(await start(t))
  assert.deepEqual(
    [...families.keys()],
    definitionList().map(([, { name }]) => name),
  )
  for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_memory_bytes']) {
    assert.ok(sumSamples(families, name) > 0, name)
  }
  const { samples } = families.get('menagerie_build_info')!
  assert.equal(samples[0]?.labels.node, process.versions.node)
  assert.equal(sumSamples(families, 'menagerie_workers'), 1)
  assert.ok(sumSamples(families, 'nodejs_active_resources', { type: 'TCPServerWrap' }) >= 1)
})
