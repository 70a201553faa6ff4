// Published content on real nodes: live everywhere, and whole after a kill at any moment.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../kit/folder.ts'
import { digestOf, OPERATOR } from '../kit/operator.ts'
import { runProgram } from '../kit/program.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { news, record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { PROGRAM } from '../kit/root.ts'
import { forSuite, type Scope } from '../kit/scope.ts'
import { createOperatorHeaders, type ServiceNode, startNode } from '../kit/service-process.ts'
import { readTree } from '../kit/sync.ts'
import { until, untilEqual } from '../kit/until.ts'

/** A release is tested with more: PUBLISH_KILLS=200. */
const KILLS = Number(process.env.PUBLISH_KILLS ?? 2)
/** Measured on request: PUBLISH_TIMES=50. */
const TIMES = Number(process.env.PUBLISH_TIMES ?? 1)
const LANGUAGES = ['de', 'fr', 'it']

/** Node A has content, node B is empty. Both can be started again with their folders. */
async function startNodes(scope: Scope) {
  const [redis, folder] = [await startRedis(scope), await temporaryFolder(scope)]
  const places = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const place = { CONTENT_DIR: join(folder, name, 'content'), DATA_DIR: join(folder, name, 'data') }
      await mkdir(place.CONTENT_DIR, { recursive: true })
      return place
    }),
  )
  await writeFiles(places[0]!.CONTENT_DIR, {
    'app/releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }),
    'app/news/first.md': news('First'),
    'string/8ball.txt': 'yes\nno\n',
  })
  const start = (index: number) =>
    startNode(scope, { STORE_URL: redis.url, V5_ACCESS: 'open', LOG_LEVEL: 'silent', ...places[index] })
  const nodes = await Promise.all([start(0), start(1)])
  let headers = await createOperatorHeaders(redis.url)
  const send = (node: ServiceNode, method: string, path: string, body?: unknown) =>
    node.json(OPERATOR + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const tree = (index: number) => readTree(places[index]!.CONTENT_DIR)
  await untilEqual(() => tree(1), await tree(0))
  // A node may have read the tokens just before this one was created.
  for (const node of nodes) await until(async () => (await send(node, 'GET', '/token')).status === 200)
  return {
    redis,
    nodes,
    send,
    tree,
    upload: (node: ServiceNode, bytes: string) =>
      node.fetch(`${OPERATOR}/uploads/${digestOf(bytes)}`, { method: 'PUT', headers, body: bytes }),
    run: (index: number, ...args: string[]) =>
      runProgram(process.execPath, [PROGRAM, ...args], {
        cwd: folder,
        env: { STORE_URL: redis.url, ...places[index], NODE_OPTIONS: '' },
      }),
    write: (index: number, files: Record<string, string>) => writeFiles(places[index]!.CONTENT_DIR, files),
    async restart(index: number) {
      nodes[index] = await start(index)
    },
    /** Redis is empty afterwards, so the token is gone, too. */
    async restartRedis() {
      await redis.start()
      headers = await createOperatorHeaders(redis.url)
    },
  }
}

const readTitles = async (node: ServiceNode): Promise<string[]> =>
  (await node.json('/api/v5/app/launcher/news')).body.news.map(({ title }: { title: string }) => title)

if (needsRedis.skip) test('content of two nodes', needsRedis, () => {})
else
  describe('content of two nodes', () => {
    const fleet = forSuite(startNodes)

    test('a change of one node is live on the other one within two seconds', async (t) => {
      const { nodes, send } = fleet()
      const times: number[] = []
      for (let n = 0; n < TIMES; n++) {
        const title = `Title ${n}`
        const [from, to] = n % 2 ? [nodes[1]!, nodes[0]!] : [nodes[0]!, nodes[1]!]
        const startedAt = performance.now()
        const reply = await send(from, 'PUT', `/news/timed-${n}`, { title, markdown: title })
        assert.equal(reply.status, 200, JSON.stringify(reply.body))
        for (const node of [from, to]) await until(async () => (await readTitles(node)).includes(title), 2000)
        times.push(performance.now() - startedAt)
      }
      const sorted = times.toSorted((a, b) => a - b).map(Math.round)
      t.diagnostic(`live on both nodes: median ${sorted[sorted.length >> 1]} ms, worst ${sorted.at(-1)} ms of ${TIMES}`)
    })

    test('a release is published by another node than that of the upload, and downloaded from both', async () => {
      const { nodes, send, upload } = fleet()
      const bytes = 'a program'
      assert.equal((await upload(nodes[0]!, bytes)).status, 200)
      const assets = [{ upload: digestOf(bytes), name: 'setup.exe' }]
      const published = await send(nodes[1]!, 'PUT', '/releases/launcher/2.0.0', { assets })
      assert.equal(published.status, 200, JSON.stringify(published.body))
      for (const node of nodes) {
        const download = () => node.fetch('/api/v5/app/download/launcher?version=2.0.0')
        await until(async () => (await download()).status === 200)
        assert.equal(await (await download()).text(), bytes)
      }
    })

    test('a command publishes to all nodes, and an edit in a folder is reported until a command publishes it', async () => {
      const { nodes, run, write, tree } = fleet()
      const added = await run(0, 'news', 'add', '--title', 'Command', '--text', 'By a command.', '--id', 'command')
      assert.equal(added.status, 0, added.output)
      await until(async () => (await readTitles(nodes[1]!)).includes('Command'))

      await write(1, { 'kaomoji/own.txt': ':)\n' })
      const readProblems = async () => JSON.stringify((await nodes[1]!.json('/readyz')).body)
      await until(async () => /kaomoji\/own.txt was edited in the folder of this node/.test(await readProblems()))
      assert.equal((await tree(0))['kaomoji/own.txt'], undefined)
      const published = await run(1, 'content', 'edits', '--publish')
      assert.match(published.output, /Published 1 file\./)
      await until(async () => (await tree(0))['kaomoji/own.txt'] === ':)\n')
      await until(async () => !(await readProblems()).includes('was edited'))
    })

    test('while Redis is unavailable, both nodes serve, and publishing is refused without an effect', async () => {
      const { nodes, send, redis, restartRedis, tree } = fleet()
      await untilEqual(() => tree(1), await tree(0))
      const before = await tree(0)
      await redis.kill()
      assert.equal((await send(nodes[0]!, 'PUT', '/news/x', { title: 'x', markdown: 'x' })).status, 503)
      for (const node of nodes) assert.ok((await readTitles(node)).includes('First'))
      assert.deepEqual([await tree(0), await tree(1)], [before, before])
      await restartRedis()
      await until(async () => (await send(nodes[0]!, 'PUT', '/news/y', { title: 'y', markdown: 'y' })).status === 200)
      await until(async () => (await readTitles(nodes[1]!)).includes('y'))
    })

    test('a kill of a node or of Redis at any moment leaves the old or the new state on every node', {
      timeout: 60_000 + KILLS * 20_000,
    }, async (t) => {
      const { nodes, redis, restart, restartRedis, send, tree } = fleet()
      const outcomes = { old: 0, new: 0 }
      for (let n = 0; n < KILLS; n++) {
        // A change of four files: an item with its translations is removed.
        const put = async (path: string) => {
          const text = { title: `Item ${n}`, markdown: `Text ${n}.` }
          await until(async () => (await send(nodes[0]!, 'PUT', path, text)).status === 200)
        }
        await put('/news/item')
        for (const lang of LANGUAGES) await put(`/news/item/translations/${lang}`)
        await untilEqual(() => tree(1), await tree(0))
        const before = await tree(0)
        const after = Object.fromEntries(Object.entries(before).filter(([name]) => !name.startsWith('app/news/item.')))
        assert.equal(Object.keys(before).length - Object.keys(after).length, 1 + LANGUAGES.length)

        const publisher = n % 2
        const change = send(nodes[publisher]!, 'DELETE', '/news/item').catch(() => ({ status: 0 }))
        await sleep(Math.random() * 120)
        const victim = (n + 1) % 3
        if (victim === 2) await redis.kill()
        else await nodes[victim]!.kill()
        const { status } = await change
        if (victim === 2) await restartRedis()
        else await restart(victim)

        // Both nodes end with the same state, and it is one of the two.
        const isSettled = async () => {
          const states = [await tree(0), await tree(1)].map((state) => JSON.stringify(state))
          return states[0] === states[1] && [before, after].some((state) => JSON.stringify(state) === states[0])
        }
        await until(isSettled, 30_000).catch(async () => {
          const files = [await tree(0), await tree(1)].map((state) => Object.keys(state))
          const problems = await Promise.all(nodes.map((node) => node.json('/readyz').catch(String)))
          assert.fail(`try ${n}: ${JSON.stringify({ status, victim, files, problems })}`)
        })
        // It stays so: nothing that was on its way is lost or added later.
        await sleep(KILLS > 2 ? 600 : 0)
        await until(isSettled)
        const isNew = JSON.stringify(await tree(0)) === JSON.stringify(after)
        if (status === 200) assert.ok(isNew, `try ${n}: a confirmed change is gone`)
        outcomes[isNew ? 'new' : 'old']++
      }
      t.diagnostic(`${KILLS} kills: ${outcomes.old} times the old state, ${outcomes.new} times the new one`)
    })
  })
