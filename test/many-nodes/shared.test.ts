import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { computeAllowance } from '../../src/features/access/index.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startPictureSource } from '../kit/picture-source.ts'
import { createNoisyImage } from '../kit/pictures.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { createOperatorHeaders, type ServiceNode, startNode } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const APP = '/api/v5/app'
const OPERATOR = `${APP}/operator`
const LIMIT = { count: 100, seconds: 3600 }

async function startPair(scope: Scope) {
  const [redis, source, folder] = [
    await startRedis(scope),
    await startPictureSource(scope),
    await temporaryFolder(scope),
  ]
  const content = join(folder, 'content')
  await writeFiles(join(content, 'app'), { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }) })
  await writeFiles(content, { 'blocklist.txt': 'nothing.example\n' })
  const settings = {
    STORE_URL: redis.url,
    CONTENT_DIR: content,
    TRUST_PROXY: 'loopback',
    FILTER_ALLOW_HOSTS: source.host,
    V5_ACCESS: 'registered',
    RATE_LIMIT: `${LIMIT.count}/${LIMIT.seconds}`,
  }
  const nodes = await Promise.all([startNode(scope, settings), startNode(scope, settings)])
  const [one, two] = nodes as [ServiceNode, ServiceNode]
  return { one, two, nodes, redis, source, content, operator: await createOperatorHeaders(redis.url) }
}

let address = 0
/** Each request from its own address, so that the limits of other tests do not matter. */
const fresh = (headers: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': `198.18.${++address >> 8}.${address & 255}`, ...headers },
})
const from = (client: string) => ({ headers: { 'x-forwarded-for': client } })

/** How often the nodes worked without Redis because it did not answer in time. */
async function countFallbacks({ nodes, operator }: Awaited<ReturnType<typeof startPair>>): Promise<number> {
  let count = 0
  for (const node of nodes) {
    const { limits, sharedResults } = (await node.json(`${OPERATOR}/overview`, fresh(operator))).body.overview
    count += limits.requests.fallbacks + sharedResults.timeouts
  }
  return count
}

/** Repeats a check that needs Redis to answer in time, if it did not. */
async function whileRedisIsFast(pair: Awaited<ReturnType<typeof startPair>>, work: (attempt: number) => Promise<void>) {
  for (let attempt = 1; ; attempt++) {
    const before = await countFallbacks(pair)
    const failure = await work(attempt).then(
      () => undefined,
      (error: Error) => error,
    )
    if (!failure) return
    if (attempt === 10 || (await countFallbacks(pair)) === before) throw failure
    await sleep(1000)
  }
}

if (needsRedis.skip) test('two nodes', needsRedis, () => {})
else
  describe('two nodes and one Redis', () => {
    const pair = forSuite(startPair)

    test('a new token is valid on both nodes', async () => {
      const { nodes, operator } = pair()
      for (const node of nodes) assert.equal((await node.fetch(`${OPERATOR}/overview`, fresh(operator))).status, 200)
    })

    test('adding and removing a ban on one node takes effect on the other within a second', async (t) => {
      const { one, two, operator } = pair()
      assert.equal((await two.fetch('/healthz', from('203.0.113.9'))).status, 200)
      const ban = { ...fresh(operator), method: 'POST', body: JSON.stringify({ address: '203.0.113.9' }) }
      const startedAt = Date.now()
      assert.equal((await one.fetch(`${OPERATOR}/bans`, ban)).status, 200)
      await until(async () => (await two.fetch('/healthz', from('203.0.113.9'))).status === 403, 1000)
      t.diagnostic(`refused on the other node after ${Date.now() - startedAt} ms`)
      const removal = { ...fresh(operator), method: 'DELETE' }
      assert.equal((await two.fetch(`${OPERATOR}/bans/203.0.113.9`, removal)).status, 200)
      await until(async () => (await one.fetch('/healthz', from('203.0.113.9'))).status === 200, 1000)
    })

    test('an attack on one node bans the address on the other', async () => {
      const { one, two } = pair()
      await one.fetch(`${OPERATOR}/overview?file=../../etc/passwd`, from('203.0.113.10'))
      await until(async () => (await two.fetch('/healthz', from('203.0.113.10'))).status === 403)
    })

    test('a client key requested on one node and granted on the other is valid on both until it is revoked', async () => {
      const { one, two, nodes, operator } = pair()
      const body = JSON.stringify({ name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates.' })
      const request = { ...fresh({ 'content-type': 'application/json' }), method: 'POST', body }
      const { id } = (await one.json(`${APP}/clients`, request)).body
      const granted = await two.json(`${OPERATOR}/clients/${id}/grant`, { ...fresh(operator), method: 'POST' })
      const withKey = () => fresh({ 'x-client-key': granted.body.key })
      for (const node of nodes) {
        await until(async () => (await node.fetch(`${APP}/launcher/updates`, withKey())).status === 200)
      }
      await one.fetch(`${OPERATOR}/clients/${id}/revoke`, { ...fresh(operator), method: 'POST' })
      for (const node of nodes) {
        await until(async () => (await node.fetch(`${APP}/launcher/updates`, withKey())).status === 401)
      }
    })

    test('the downloads of both nodes are summed', async () => {
      const { nodes, one, operator } = pair()
      const { id } = (
        await one.json(`${APP}/clients`, {
          ...fresh({ 'content-type': 'application/json' }),
          method: 'POST',
          body: JSON.stringify({
            name: 'Hen Launcher',
            contact: 'hen@example.org',
            reason: 'It fetches the launcher.',
          }),
        })
      ).body
      const { key } = (await one.json(`${OPERATOR}/clients/${id}/grant`, { ...fresh(operator), method: 'POST' })).body
      const withKey = () => fresh({ 'x-client-key': key })
      for (let n = 0; n < 10; n++) {
        for (const node of nodes)
          await until(async () => (await node.fetch(`${APP}/download/launcher`, withKey())).status === 302)
      }
      for (const node of nodes) {
        await until(async () => (await node.json(`${APP}/stats/downloads`, withKey())).body.total === 20)
      }
    })

    test('a filter result of one node is a cache hit on the other, without fetching the source', async () => {
      const { one, two, source, redis } = pair()
      await whileRedisIsFast(pair(), async (attempt) => {
        const headers = { 'cache-control': 'max-age=600' }
        const body = await createNoisyImage('jpeg', 320, 240 + attempt)
        const url = source.put(`/shared-${attempt}.jpg`, { type: 'image/jpeg', body, headers })
        const path = `/api/v2/filter/blur?strength=3&format=image&image=${encodeURIComponent(url)}`
        const results = async () => Number(/^\*(\d+)/.exec(await redis.command('KEYS *result:result*'))?.[1])
        const before = await results()
        const first = await one.fetch(path, fresh())
        const bytes = Buffer.from(await first.arrayBuffer())
        assert.equal(first.headers.get('x-cache'), 'miss')
        // The result is stored after the reply.
        await until(async () => (await results()) > before)
        const second = await two.fetch(path, fresh())
        assert.equal(second.headers.get('x-cache'), 'hit')
        assert.match(second.headers.get('server-timing') ?? '', /cache;dur=\d/)
        assert.equal(second.headers.get('etag'), first.headers.get('etag'))
        assert.deepEqual(Buffer.from(await second.arrayBuffer()), bytes)
        assert.equal(source.requestedPaths.filter((requested) => requested === `/shared-${attempt}.jpg`).length, 1)
        const other = await two.fetch(path.replace('strength=3', 'strength=4'), fresh())
        assert.equal(other.headers.get('x-cache'), 'miss')
      })
    })

    test('a host that is blocked after its result was shared is refused on both nodes', async () => {
      const { nodes, one, source, content } = pair()
      const url = source.put('/blocked.jpg', { type: 'image/jpeg', body: await createNoisyImage('jpeg') })
      const path = `/api/v1/filter/invert?format=image&image=${encodeURIComponent(url)}`
      assert.equal((await one.fetch(path, fresh())).status, 200)
      await writeFiles(content, { 'blocklist.txt': `${new URL(url).hostname}\n` })
      for (const node of nodes) await until(async () => (await node.fetch(path, fresh())).status === 403)
      await writeFiles(content, { 'blocklist.txt': 'nothing.example\n' })
      for (const node of nodes) await until(async () => (await node.fetch(path, fresh())).status === 200)
    })

    test('a client that floods both nodes gets the limit once, plus at most the documented allowance', async (t) => {
      const { nodes } = pair()
      await whileRedisIsFast(pair(), async (attempt) => {
        const client = from(`203.0.113.${20 + attempt}`)
        let accepted = 0
        const flood = async (node: ServiceNode) => {
          for (let n = 0; n < LIMIT.count; n++) {
            if ((await node.fetch('/api/v1/version', client)).status === 200) accepted++
          }
        }
        await Promise.all(nodes.flatMap((node) => [flood(node), flood(node)]))
        const maxAccepted = LIMIT.count + nodes.length * computeAllowance(LIMIT)
        t.diagnostic(
          `${accepted} of ${4 * LIMIT.count} accepted; the limit is ${LIMIT.count}, the maximum ${maxAccepted}`,
        )
        assert.ok(accepted <= maxAccepted && accepted >= LIMIT.count * 0.9, `${accepted}`)
        const { status, headers } = await nodes[0].fetch('/api/v1/version', client)
        assert.equal(status, 429)
        assert.ok(Number(headers.get('retry-after')) >= 1)
      })
    })
  })
