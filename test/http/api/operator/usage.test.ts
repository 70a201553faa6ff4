import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP, createToken } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { needsRedis, startRedis } from '../../../kit/redis.ts'
import { startTestService, type TestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const USAGE = `${APP}/operator/usage`

interface Named {
  readonly name: string
  readonly requests: number
  readonly served: number
}

const namesOf = (rows: readonly Named[]) => rows.map(({ name, requests }) => `${name} ${requests}`)

/** Without the check against the OpenAPI document, because its request would be counted, too. */
const request = ({ url }: TestService, path: string, init?: RequestInit) => fetch(url + path, init)
const readUsage = async (service: TestService, query: string, init: RequestInit): Promise<any> =>
  ((await (await request(service, USAGE + query, init)).json()) as { usage?: object }).usage

test('the usage history has every dimension, survives a restart, and is saved as CSV', async (t) => {
  const DATA_DIR = await temporaryFolder(t)
  const source = await startPictureSource(t)
  const dead = source.put('/dead.png', (_, response) => response.writeHead(404).end())
  const settings = { DATA_DIR, FILTER_ALLOW_HOSTS: source.host }
  const first = await startTestService(t, settings)
  const headers = { Referer: 'https://blog.example.org/jane', 'User-Agent': 'curl/8.5.0 (jane)' }
  for (let n = 0; n < 3; n++) await request(first, '/api/v1/animals/cat', { headers })
  await request(first, '/api/v2/random/animal/unicorn', { headers: { ...headers, Referer: 'https://no.example' } })
  await request(first, `/api/v2/filter/invert?image=${encodeURIComponent(dead)}`, { headers })
  await first.service.stop()

  const second = await startTestService(t, settings)
  const operator = await createToken(DATA_DIR, { scopes: ['read'] })
  await until(async () => (await request(second, USAGE, operator)).status === 200)
  await request(second, '/api/v1/animals/cat', { headers })
  const usage = await readUsage(second, '?days=2', operator)
  const { requests, served, refused, sourceFailed, failed } = usage
  assert.deepEqual(
    { requests, served, refused, sourceFailed, failed },
    {
      requests: 6,
      served: 4,
      refused: 1,
      sourceFailed: 1,
      failed: 0,
    },
  )
  assert.equal(usage.daily.length, 2)
  assert.ok(usage.latency.p95 > 0)
  assert.deepEqual(namesOf(usage.endpoints), [
    'GET /api/v1/animals/:kind 4',
    'GET /api/v2/filter/:kind 1',
    'GET /api/v2/random/animal/:kind 1',
  ])
  assert.deepEqual(namesOf(usage.groups), ['Random content, v1 4', 'Image filters, v2 1', 'Random content, v2 1'])
  assert.deepEqual(namesOf(usage.kinds), ['animals/cat 4'])
  assert.deepEqual(namesOf(usage.filters), ['invert 1'])
  assert.deepEqual(namesOf(usage.statuses), ['200 4', '404 1', '502 1'])
  assert.deepEqual(namesOf(usage.versions), ['v1 4', 'v2 2'])
  assert.deepEqual(namesOf(usage.referrers), ['blog.example.org 4'])
  assert.deepEqual(namesOf(usage.agents), ['curl 6'])

  // The last minutes are those of this process.
  const recent = await readUsage(second, '?minutes=5', operator)
  assert.deepEqual(namesOf(recent.endpoints), ['GET /api/v1/animals/:kind 1'])

  const csv = await second.fetchPath(`${USAGE}?days=1&format=csv`, operator)
  assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="usage.csv"')
  const text = await csv.text()
  const today = usage.daily.at(-1).date
  assert.ok(text.startsWith('date,dimension,name,requests,served,refused,source_failed,failed\r\n'), text)
  assert.ok(text.includes(`${today},filter,invert,1,0,0,1,0\r\n`), text)
  assert.ok(!text.includes('jane'), text)

  const { days } = (await second.fetchJson(`${USAGE}?days=1&format=rows`, operator)).body
  assert.ok(days[0].rows.some(({ name }: Named) => name === 'animals/cat'))
  assert.equal((await second.fetchPath(`${USAGE}?days=400`, operator)).status, 200)
  assert.equal((await second.fetchPath(USAGE)).status, 401)
  for (const query of ['days=401', 'days=0', 'minutes=7', 'days=1&minutes=5']) {
    assert.equal((await second.fetchPath(`${USAGE}?${query}`, operator)).status, 400, query)
  }
})

test('two nodes write one usage history in Redis', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const nodes = [
    await startTestService(t, { STORE_URL: redis.url }),
    await startTestService(t, { STORE_URL: redis.url }),
  ]
  for (const node of nodes) await request(node, '/api/v1/kaomoji/happy')
  const operator = await createToken('', { scopes: ['read'] }, redis.url)
  const requests = async (query = '') => (await readUsage(nodes[0]!, query, operator))?.requests
  // The other node sends its counts when it stops, at the latest.
  await nodes[1]!.service.stop()
  await until(async () => (await requests()) === 2)
  assert.equal(await requests('?minutes=60'), 1)
})
