import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { computeCredit } from '../../src/features/access/index.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { operatorOf, type ServiceNode, startNode } from '../kit/nodes.ts'
import { startPictureSource } from '../kit/picture-source.ts'
import { noisy } from '../kit/pictures.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, write } from '../kit/releases.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { until } from '../kit/until.ts'

const APP = '/api/v5/app'
const OPERATOR = `${APP}/operator`
const BUDGET = { requests: 100, seconds: 3600 }

async function startPair(scope: Scope) {
  const [redis, source, folder] = [
    await startRedis(scope),
    await startPictureSource(scope),
    await temporaryFolder(scope),
  ]
  const content = join(folder, 'content')
  await write(join(content, 'app'), { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }) })
  await write(content, { 'blocklist.txt': 'nothing.example\n' })
  const settings = {
    STORE_URL: redis.url,
    CONTENT_DIR: content,
    TRUST_PROXY: 'loopback',
    FILTER_ALLOW_HOSTS: source.host,
    V5_ACCESS: 'registered',
    RATE_LIMIT: `${BUDGET.requests}/${BUDGET.seconds}`,
  }
  const nodes = await Promise.all([startNode(scope, settings), startNode(scope, settings)])
  const [one, two] = nodes as [ServiceNode, ServiceNode]
  return { one, two, nodes, redis, source, content, operator: await operatorOf(redis.url) }
}

let address = 0
/** Each from an address of its own, so that no budget of another test matters. */
const fresh = (headers: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': `198.18.${++address >> 8}.${address & 255}`, ...headers },
})
const from = (caller: string) => ({ headers: { 'x-forwarded-for': caller } })

/** How often the nodes did without Redis, because it did not answer in time. */
async function doneWithout({ nodes, operator }: Awaited<ReturnType<typeof startPair>>): Promise<number> {
  let count = 0
  for (const node of nodes) {
    const { limits, sharedPictures } = (await node.json(`${OPERATOR}/overview`, fresh(operator))).body.overview
    count += limits.requests.fallbacks + sharedPictures.timeouts
  }
  return count
}

/** What holds while Redis answers in time; on a machine where it did not, it is tried anew. */
async function whileShared(pair: Awaited<ReturnType<typeof startPair>>, work: (attempt: number) => Promise<void>) {
  for (let attempt = 1; ; attempt++) {
    const before = await doneWithout(pair)
    const failure = await work(attempt).then(
      () => undefined,
      (error: Error) => error,
    )
    if (!failure) return
    if (attempt === 10 || (await doneWithout(pair)) === before) throw failure
    await sleep(1000)
  }
}

if (needsRedis.skip) test('two nodes', needsRedis, () => {})
else
  describe('two nodes and one Redis', () => {
    const pair = forSuite(startPair)

    test('a token that was made is known on both', async () => {
      const { nodes, operator } = pair()
      for (const node of nodes) assert.equal((await node.fetch(`${OPERATOR}/overview`, fresh(operator))).status, 200)
    })

    test('a ban on one refuses on the other within a second, and so does its lifting', async (t) => {
      const { one, two, operator } = pair()
      assert.equal((await two.fetch('/healthz', from('203.0.113.9'))).status, 200)
      const ban = { ...fresh(operator), method: 'POST', body: JSON.stringify({ address: '203.0.113.9' }) }
      const begun = Date.now()
      assert.equal((await one.fetch(`${OPERATOR}/bans`, ban)).status, 200)
      await until(async () => (await two.fetch('/healthz', from('203.0.113.9'))).status === 403, 1000)
      t.diagnostic(`refused on the other node after ${Date.now() - begun} ms`)
      const lift = { ...fresh(operator), method: 'DELETE' }
      assert.equal((await two.fetch(`${OPERATOR}/bans/203.0.113.9`, lift)).status, 200)
      await until(async () => (await one.fetch('/healthz', from('203.0.113.9'))).status === 200, 1000)
    })

    test('an attack on one shuts its address out on the other', async () => {
      const { one, two } = pair()
      await one.fetch(`${OPERATOR}/overview?file=../../etc/passwd`, from('203.0.113.10'))
      await until(async () => (await two.fetch('/healthz', from('203.0.113.10'))).status === 403, 1000)
    })

    test('a client that asks on one and is granted on the other works on both, until it is revoked', async () => {
      const { one, two, nodes, operator } = pair()
      const body = JSON.stringify({ name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates.' })
      const asking = { ...fresh({ 'content-type': 'application/json' }), method: 'POST', body }
      const { id } = (await one.json(`${APP}/clients`, asking)).body
      const granted = await two.json(`${OPERATOR}/clients/${id}/grant`, { ...fresh(operator), method: 'POST' })
      const withKey = () => fresh({ 'x-client-key': granted.body.key })
      for (const node of nodes) {
        await until(async () => (await node.fetch(`${APP}/launcher/updates`, withKey())).status === 200, 1500)
      }
      await one.fetch(`${OPERATOR}/clients/${id}/revoke`, { ...fresh(operator), method: 'POST' })
      for (const node of nodes) {
        await until(async () => (await node.fetch(`${APP}/launcher/updates`, withKey())).status === 401, 1500)
      }
    })

    test('downloads on both add up', async () => {
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

    test('a result computed on one is a hit on the other, without a fetch of the source', async () => {
      const { one, two, source, redis } = pair()
      await whileShared(pair(), async (attempt) => {
        const headers = { 'cache-control': 'max-age=600' }
        const body = await noisy('jpeg', 320, 240 + attempt)
        const url = source.put(`/shared-${attempt}.jpg`, { type: 'image/jpeg', body, headers })
        const path = `/api/v2/filter/blur?strength=3&format=image&image=${encodeURIComponent(url)}`
        const results = async () => Number(/^\*(\d+)/.exec(await redis.command('KEYS *result:result*'))?.[1])
        const before = await results()
        const first = await one.fetch(path, fresh())
        const bytes = Buffer.from(await first.arrayBuffer())
        assert.equal(first.headers.get('x-cache'), 'miss')
        // It is kept after it was answered with.
        await until(async () => (await results()) > before)
        const second = await two.fetch(path, fresh())
        assert.equal(second.headers.get('x-cache'), 'hit')
        assert.match(second.headers.get('server-timing') ?? '', /shared;dur=\d/)
        assert.equal(second.headers.get('etag'), first.headers.get('etag'))
        assert.deepEqual(Buffer.from(await second.arrayBuffer()), bytes)
        assert.equal(source.asked.filter((asked) => asked === `/shared-${attempt}.jpg`).length, 1)
        const other = await two.fetch(path.replace('strength=3', 'strength=4'), fresh())
        assert.equal(other.headers.get('x-cache'), 'miss')
      })
    })

    test('a host that is blocked after its result was shared is refused on both', async () => {
      const { nodes, one, source, content } = pair()
      const url = source.put('/blocked.jpg', { type: 'image/jpeg', body: await noisy('jpeg') })
      const path = `/api/v1/filter/invert?format=image&image=${encodeURIComponent(url)}`
      assert.equal((await one.fetch(path, fresh())).status, 200)
      await write(content, { 'blocklist.txt': `${new URL(url).hostname}\n` })
      for (const node of nodes) await until(async () => (await node.fetch(path, fresh())).status === 403, 8000)
      await write(content, { 'blocklist.txt': 'nothing.example\n' })
      for (const node of nodes) await until(async () => (await node.fetch(path, fresh())).status === 200, 8000)
    })

    test('one caller hammering both gets the budget in sum, and the stated credit over at most', async (t) => {
      const { nodes } = pair()
      await whileShared(pair(), async (attempt) => {
        const caller = from(`203.0.113.${20 + attempt}`)
        let accepted = 0
        const hammer = async (node: ServiceNode) => {
          for (let n = 0; n < BUDGET.requests; n++) {
            if ((await node.fetch('/healthz', caller)).status === 200) accepted++
          }
        }
        await Promise.all(nodes.flatMap((node) => [hammer(node), hammer(node)]))
        const most = BUDGET.requests + nodes.length * computeCredit(BUDGET)
        t.diagnostic(
          `${accepted} of ${4 * BUDGET.requests} let through; the budget is ${BUDGET.requests}, the bound ${most}`,
        )
        assert.ok(accepted <= most && accepted >= BUDGET.requests * 0.9, `${accepted}`)
        const { status, headers } = await nodes[0].fetch('/healthz', caller)
        assert.equal(status, 429)
        assert.ok(Number(headers.get('retry-after')) >= 1)
      })
    })
  })
