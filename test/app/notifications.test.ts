import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../kit/app.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startReceiver } from '../kit/receiver.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { startNode } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const CLIENT = { name: 'Somebody', contact: 'somebody@example.org', reason: 'I build a launcher for it.' }
const keyRequest = (number = 0) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.18.0.${number}` },
  body: JSON.stringify(CLIENT),
})

test('a running service reports each event to its webhook, without addresses or contacts', async (t) => {
  const receiver = await startReceiver(t)
  const releases = [record('1.0.0'), record('1.1.0', { rollout: 0 })]
  const files = { 'releases.yaml': releasesYaml({ launcher: releases }) }
  const settings = {
    NOTIFY_URLS: receiver.url('/hook'),
    TRUST_PROXY: 'loopback',
    PUBLIC_URL: 'https://animals.example',
  }
  const app = await startApp(t, files, settings)
  const find = (event: string, text = '') =>
    receiver.messages().find((message) => message.event === event && message.message?.includes(text))

  await t.test('a release that becomes public at its planned time', async () => {
    releases.push(record('1.2.0.1', { date: new Date(Date.now() + 5000).toISOString() }))
    await writeFiles(app.appDir, { 'releases.yaml': releasesYaml({ launcher: releases }) })
    await until(() => find('release-public') !== undefined)
    assert.equal(find('release-public')?.message, 'launcher 1.2.0.1')
    assert.equal(find('release-public')?.title, 'animals.example: release public')
  })
  await t.test('a release whose rollout starts', async () => {
    releases[1] = record('1.1.0', { rollout: 10 })
    await writeFiles(app.appDir, { 'releases.yaml': releasesYaml({ launcher: releases }) })
    await until(() => find('release-public', 'launcher 1.1.0 (rollout 10 %)') !== undefined)
  })
  await t.test('a problem', async () => {
    await writeFiles(app.appDir, { 'tiers.yaml': '2: [' })
    await until(() => find('problem-began', 'app/tiers.yaml') !== undefined)
  })
  await t.test('a problem that names a version of four numbers, which looks like an address', async () => {
    releases.push(record('8.7.3.1', { file: 'missing.exe' }))
    await writeFiles(app.appDir, { 'releases.yaml': releasesYaml({ launcher: releases }) })
    await until(() => find('problem-began', 'The file of version 8.7.3.1 is missing') !== undefined)
  })
  await t.test('a request for a key', async () => {
    assert.equal((await app.fetch('/clients', keyRequest())).status, 201)
    await until(() => find('key-requested') !== undefined)
  })
  await t.test('many bans', async () => {
    for (let number = 1; number <= 20; number++) {
      const headers = { 'x-forwarded-for': `203.0.${number}.9` }
      const { status } = await app.fetch('/operator/..%2f..%2fetc%2fpasswd', { headers })
      assert.equal(status, 403)
    }
    await until(() => find('many-bans') !== undefined)
  })
  const texts = receiver.received.map(({ body }) => body).join('\n')
  assert.doesNotMatch(texts, /203\.0\.|198\.18\.|somebody/i)
  assert.ok(!texts.includes(app.contentDir) && !texts.includes(app.dataDir))
})

test('a webhook that fails is a problem and a metric, and requests are served meanwhile', async (t) => {
  const failing = await startReceiver(t, (response) => response.writeHead(410).end())
  const url = failing.url('/the-secret')
  const app = await startApp(t, { 'tiers.yaml': '2: [' }, { NOTIFY_URLS: url })
  const readProblems = async () => (await app.fetchJson('/readyz')).body.problems as { part: string; message: string }[]
  await until(async () => (await readProblems()).some(({ part }) => part === 'notifications'))
  const problem = (await readProblems()).find(({ part }) => part === 'notifications')
  assert.match(problem?.message ?? '', /webhook 1 \(json\): replied with status 410/)
  const metrics = await (await app.fetchPath('/metrics')).text()
  assert.match(metrics, /^menagerie_notifications_total\{outcome="failed"\} [1-9]/m)
  assert.ok(app.printed.some((text) => text.includes('webhook 1 (json) got no notification')))
  assert.doesNotMatch(app.printed.join('\n') + JSON.stringify(await readProblems()), /the-secret/)
})

test('two nodes, one of them with two workers, send one message per event', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const receiver = await startReceiver(t)
  const content = await temporaryFolder(t)
  const publish = (...versions: string[]) =>
    writeFiles(join(content, 'app'), {
      'releases.yaml': releasesYaml({ launcher: versions.map((version) => record(version)) }),
    })
  await publish('1.0.0')
  const settings = {
    STORE_URL: redis.url,
    CONTENT_DIR: content,
    CONTENT_SYNC: 'shared',
    TRUST_PROXY: 'loopback',
    NOTIFY_URLS: receiver.url(),
  }
  const nodes = await Promise.all([startNode(t, { ...settings, WORKERS: '2' }), startNode(t, settings)])
  const count = (event: string, part = '') =>
    receiver.messages().filter((message) => message.event === event && JSON.stringify(message).includes(part)).length
  // A busy machine may have other problems.
  const countFileProblems = () => count('problem-began', 'app/tiers.yaml')

  // What exists at the first check is not reported.
  await until(async () => (await redis.command('HEXISTS {menagerie}:markers notified-key-requests')).startsWith(':1'))
  for (let round = 1; round <= 3; round++) {
    await nodes[round % 2]?.fetch('/api/v5/app/clients', keyRequest(round))
    await until(() => count('key-requested') === round)
  }
  await publish('1.0.0', '1.1.0')
  await until(() => count('release-public') === 1)
  await writeFiles(join(content, 'app'), { 'tiers.yaml': '2: [' })
  await until(() => countFileProblems() === 1)
  // A later event of each node shows that it has finished its checks of the earlier ones.
  await publish('1.0.0', '1.1.0', '1.2.0')
  await until(() => count('release-public') === 2)
  await nodes[0]?.fetch('/api/v5/app/clients', keyRequest(9))
  await until(() => count('key-requested') === 4)
  const totals = [count('release-public'), count('key-requested'), countFileProblems()]
  assert.deepEqual(totals, [2, 4, 1], JSON.stringify(receiver.messages()))
})
