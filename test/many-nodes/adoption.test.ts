/**
 * Checks of many installations over HTTP. `ADOPTION_CHECKS=1000000 npm test -- test/many-nodes/adoption.test.ts` sends a
 * million checks of 200,000 installations, which takes several minutes.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@redis/client'
import { temporaryFolder } from '../kit/folder.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import type { Scope } from '../kit/scope.ts'
import { startNode } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const CHECKS = Number(process.env.ADOPTION_CHECKS ?? 1000)
const INSTALLATIONS = CHECKS / 5
const VERSIONS = ['2.1.0', '2.0.0', '9.9.9']
/** All ids contain it. */
const MARK = 'c0ffee-installation'
const APP = '/api/v5/app'
const MAX_ERROR = 0.03
const CONNECTIONS = 16
const timeout = 120_000 + CHECKS * 5

async function startNodes(t: Scope, count: number, STORE_URL: string) {
  const folder = await temporaryFolder(t)
  await writeFiles(join(folder, 'content', 'app'), {
    'releases.yaml': releasesYaml({ launcher: [record('2.1.0'), record('2.0.0')] }),
  })
  const settings = { STORE_URL, CONTENT_DIR: join(folder, 'content'), LOG_LEVEL: 'trace' }
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, n) => startNode(t, { ...settings, DATA_DIR: join(folder, `data${n}`) })),
  )
  return { folder, nodes }
}

/** Sends checks to the nodes in turns. Each installation checks five times, through any of them. */
async function sendChecks(urls: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let next = 0
  const sendAll = async () => {
    for (let n = next++; n < CHECKS; n = next++) {
      const installation = n % INSTALLATIONS
      const url = `${urls[n % urls.length]}${APP}/launcher/updates?current=${VERSIONS[installation % 3]}`
      const request = get(url, { agent, headers: { 'X-Install-Id': `${MARK}-${installation}` } })
      const [response] = await once(request, 'response')
      assert.equal(response.statusCode, 200)
      response.resume()
      await once(response, 'end')
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll))
  agent.destroy()
}

interface Day {
  readonly checks: number
  readonly installations: number
  readonly versions: Record<string, number>
}

/** Checks that all checks, and about all installations, are counted. */
async function expectCounts({ nodes }: Awaited<ReturnType<typeof startNodes>>): Promise<void> {
  let days: Day[] = []
  await until(async () => {
    const { body } = await nodes[0]!.json<{ daily: Day[] }>(`${APP}/stats/adoption`)
    days = body.daily.filter(({ checks }) => checks > 0)
    return days.reduce((sum, { checks }) => sum + checks, 0) === CHECKS
  })
  // An installation that checks before and after midnight counts on both days.
  const [day] = days
  if (!day || days.length > 1) return
  assert.deepEqual(Object.keys(day.versions), ['2.0.0', '2.1.0', 'other'])
  const error = day.installations / INSTALLATIONS - 1
  console.log(
    `${CHECKS} checks of ${INSTALLATIONS} installations: ${day.installations} (${(100 * error).toFixed(2)} %)`,
  )
  assert.ok(Math.abs(error) < MAX_ERROR, `${day.installations} instead of ${INSTALLATIONS}`)
}

/** Checks that no file in the folder contains an id. */
async function expectNoIds(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  assert.ok(files.some((file) => file.includes('logs')))
  for (const file of files) {
    // SQLite removes its journals.
    const bytes = await readFile(file).catch(() => '')
    assert.ok(!bytes.includes(MARK), file)
  }
}

test('on one node with SQLite, installations are counted within 3 %, and no id is stored', { timeout }, async (t) => {
  const started = await startNodes(t, 1, '')
  await sendChecks(started.nodes.map(({ url }) => url))
  await expectCounts(started)
  await expectNoIds(started.folder)
})

test('on two nodes with Redis, installations are counted within 3 %, and no id is stored', {
  ...needsRedis,
  timeout,
}, async (t) => {
  const redis = await startRedis(t)
  const started = await startNodes(t, 2, redis.url)
  await sendChecks(started.nodes.map(({ url }) => url))
  await expectCounts(started)
  await expectNoIds(started.folder)
  const content = await readAllKeys(redis.url)
  assert.ok(content.includes('adoption:checks') && content.includes('HYLL'))
  assert.ok(!content.includes(MARK))
})

/** All keys of Redis with their values. */
async function readAllKeys(url: string): Promise<string> {
  const client = createClient({ url })
  await client.connect()
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hGetAll(key),
    zset: (key) => client.zRange(key, 0, -1),
    set: (key) => client.sMembers(key),
    list: (key) => client.lRange(key, 0, -1),
    none: async () => '',
  }
  let content = ''
  for (const key of await client.keys('*')) {
    content += `${key} ${JSON.stringify(await read[await client.type(key)]!(key))}\n`
  }
  client.destroy()
  return content
}
