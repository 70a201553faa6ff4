import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../kit/folder.ts'
import { startPictureSource } from '../kit/picture-source.ts'
import { createNoisyImage } from '../kit/pictures.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { createOperatorHeaders, type ServiceNode, startNode } from '../kit/service-process.ts'
import { startSlowProxy } from '../kit/slow-proxy.ts'
import { until } from '../kit/until.ts'
import { startLoad } from './load.ts'

const APP = '/api/v5/app'
const FAULT_MS = 2000

async function startPair(scope: Scope) {
  const folder = await temporaryFolder(scope)
  // As documented for operators: what Redis acknowledges is on its disk.
  const redis = await startRedis(scope, '--appendonly', 'yes', '--dir', folder)
  scope.after(() => redis.resume())
  const [proxy, source] = [await startSlowProxy(scope, redis.port), await startPictureSource(scope)]
  const content = join(folder, 'content')
  await writeFiles(join(content, 'app'), { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }) })
  const settings = {
    STORE_URL: `redis://127.0.0.1:${proxy.port}`,
    CONTENT_DIR: content,
    FILTER_ALLOW_HOSTS: source.host,
    LOG_LEVEL: 'error',
    RATE_LIMIT: '1000000/60',
    RATE_LIMIT_FILTERS: '100000/60',
    RATE_LIMIT_DOWNLOADS: '100000/60',
  }
  const nodes = await Promise.all([startNode(scope, settings), startNode(scope, settings)])
  const picture = source.put('/a.jpg', { type: 'image/jpeg', body: await createNoisyImage('jpeg') })
  let number = 0
  /** Endpoints that work without Redis. Each filter request is different, so that it reads the shared results. */
  const paths = () => [
    '/api/v1/version',
    '/api/v1/kaomoji/cat',
    `${APP}/launcher/updates`,
    `${APP}/download/launcher`,
    `/api/v1/filter/blur?format=image&image=${encodeURIComponent(picture)}&strength=${1 + (number++ % 250)}`,
  ]
  const operator = await createOperatorHeaders(redis.url)
  return { redis, proxy, nodes, settings, paths, operator, counted: 0 }
}

type Pair = Awaited<ReturnType<typeof startPair>>

const total = async (node: ServiceNode): Promise<number> =>
  (await node.json(`${APP}/stats/downloads`)).body.total ?? Number.NaN

const isReady = async (node: ServiceNode) => (await node.json('/readyz')).body.state === 'ok'

const faults: Record<string, [begin: (pair: Pair) => Promise<unknown>, end: (pair: Pair) => Promise<unknown>]> = {
  'killed and started again': [({ redis }) => redis.kill(), ({ redis }) => redis.start()],
  paused: [async ({ redis }) => redis.pause(), async ({ redis }) => redis.resume()],
  slow: [
    async ({ proxy }) => {
      proxy.delayMs = 400
    },
    async ({ proxy }) => {
      proxy.delayMs = 0
    },
  ],
  'out of memory': [
    ({ redis }) => redis.command('CONFIG SET maxmemory 1mb'),
    ({ redis }) => redis.command('CONFIG SET maxmemory 0'),
  ],
}

if (needsRedis.skip) test('two nodes and an unavailable Redis', needsRedis, () => {})
else
  describe('two nodes under load, Redis', () => {
    const pair = forSuite(startPair)

    for (const [name, [begin, end]] of Object.entries(faults)) {
      test(`${name}: no request fails, no count is lost, and the nodes recover by themselves`, async (t) => {
        const { nodes, paths, operator } = pair()
        for (const node of nodes) await until(() => isReady(node), 60_000)
        const load = startLoad(nodes, paths)
        await until(() => load.outcome.requests > 100, 20_000)
        await begin(pair())
        await sleep(FAULT_MS)
        const [one] = nodes
        if (name !== 'slow') {
          await until(async () => !(await isReady(one)))
          const ban = JSON.stringify({ address: '203.0.113.9' })
          const refused = await one.json(`${APP}/operator/bans`, { method: 'POST', headers: operator, body: ban })
          assert.deepEqual([refused.status, refused.body.code], [503, 'STORE_UNAVAILABLE'])
        }
        await end(pair())
        const { requests, failed, slowestMs, acknowledged } = await load.stop()
        pair().counted += acknowledged
        for (const node of nodes) await until(() => isReady(node), 60_000)
        for (const node of nodes) await until(async () => (await total(node)) === pair().counted, 20_000)
        const lost = pair().counted - (await total(one))
        t.diagnostic(`${requests} requests, ${failed.length} failed, ${lost} of ${acknowledged} counts lost`)
        t.diagnostic(`slowest request: ${Math.round(slowestMs)} ms`)
        assert.deepEqual(failed, [])
      })
    }

    test('available while a node is killed: no node loses a count, and the next process hands in those of the killed one', async (t) => {
      const { nodes, paths, settings } = pair()
      const [survivor] = nodes
      const ownSettings = { ...settings, DATA_DIR: await temporaryFolder(t) }
      const victim = await startNode(t, ownSettings)
      const load = startLoad([survivor], paths)
      let acknowledged = 0
      while (await victim.fetch(`${APP}/download/launcher`).catch(() => undefined)) {
        acknowledged += 1
        if (acknowledged === 200) void victim.kill()
      }
      await startNode(t, ownSettings)
      const outcome = await load.stop()
      assert.deepEqual(outcome.failed, [])
      const before = pair().counted + outcome.acknowledged
      await until(async () => (await total(survivor)) >= before + acknowledged, 20_000)
      const counted = (await total(survivor)) - before
      t.diagnostic(`${acknowledged} acknowledged by the killed node, ${counted} counted`)
      // One download may be counted although its reply did not arrive.
      assert.ok(counted <= acknowledged + 1)
    })
  })
