// What an operator is told of a node with several processes, whichever of them answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOf } from '../../kit/nodes.ts'
import { startPictureSource } from '../../kit/picture-source.ts'
import { noisy } from '../../kit/pictures.ts'
import { fetchAlone, spawnService } from '../../kit/process.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'

interface Overview {
  readonly counter: { readonly counted: number; readonly waiting: number; readonly lost: number }
  readonly pipeline: {
    readonly running: number
    readonly stuck: boolean
    readonly caches: Record<string, { readonly entries: number; readonly bytes: number }>
    readonly replies: Record<string, number>
    readonly sourceReads: Record<string, number>
  }
}

test(
  'counter and pipeline of the overview are those of all processes, and their counts outlive them',
  needsRedis,
  async (t) => {
    const redis = await startRedis(t)
    const source = await startPictureSource(t)
    const image = source.put('/cat.jpg', {
      type: 'image/jpeg',
      body: await noisy('jpeg'),
      headers: { 'cache-control': 'max-age=600' },
    })
    const settings = { WORKERS: '2', STORE_URL: redis.url, FILTER_ALLOW_HOSTS: source.host, FILTER_SHARED_BYTES: '0' }
    const { opened, child, output } = await spawnService(t, settings)
    const url = await opened
    const headers = { ...(await operatorOf(redis.url)), connection: 'close' }
    const overview = async () => {
      const reply = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
      return ((await reply.json()) as { overview: Overview }).overview
    }

    // Connections are dealt in turns: each process gets two of each.
    for (let asked = 0; asked < 4; asked++) {
      await fetchAlone(`${url}/api/v5/app/download/launcher`).then((reply) => reply.arrayBuffer())
    }
    const filter = `${url}/api/v2/filter/invert?format=image&image=${encodeURIComponent(image)}`
    for (let asked = 0; asked < 4; asked++) assert.equal((await fetchAlone(filter)).status, 200)
    await until(async () => (await overview()).counter.waiting === 0)
    for (const { counter, pipeline } of [await overview(), await overview()]) {
      assert.deepEqual(counter, { counted: 4, waiting: 0, lost: 0 })
      assert.deepEqual(pipeline.replies, { hit: 2, miss: 2, shared: 0 })
      assert.deepEqual(pipeline.sourceReads, { hit: 0, miss: 2, revalidated: 0 })
      assert.deepEqual([pipeline.running, pipeline.stuck, pipeline.caches.results?.entries], [0, false, 2])
    }

    child.kill('SIGHUP')
    await until(() => /All workers were replaced/.test(output()), 60_000)
    const { counter, pipeline } = await overview()
    assert.equal(counter.counted, 4)
    assert.deepEqual(pipeline.replies, { hit: 2, miss: 2, shared: 0 })
    assert.equal(pipeline.caches.results?.entries, 0, 'a new process begins with empty caches')
  },
)
