// The content folder is lost, emptied or shrinks under the service.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { createToken } from '../kit/app.ts'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { createHangingDisk } from '../kit/disk.ts'
import { readLogs } from '../kit/log-files.ts'
import { tinyPng } from '../kit/pictures.ts'
import { openSockets } from '../kit/raw-http.ts'
import { news, record, releasesYaml } from '../kit/releases.ts'
import { startTestService, type TestService } from '../kit/service.ts'
import { fetchJson, fetchOnce, spawnService } from '../kit/service-process.ts'
import { until, untilEqual } from '../kit/until.ts'

const files = {
  'app/releases.yaml': releasesYaml({ launcher: [record('1.0.0'), record('2.0.0')] }),
  'app/resources.yaml': `resources:\n  - ${record('3.0.0')}\n`,
  'app/tiers.yaml': '2:\n  benefits: [A badge]\n',
  'app/news/one.md': news('One'),
  'app/news/two.md': news('Two'),
  'app/news/three.md': news('Three'),
  'kaomoji/own.txt': '(own)\n',
  'blocklist.txt': 'blocked.example\n',
  'animals/cat/a.png': tinyPng(1),
  'animals/cat/b.png': tinyPng(2),
}

async function createContent(t: TestContext) {
  const cli = await commandLine(t)
  await writeSettledFiles(cli.contentDir, files)
  const start = (DATA_DIR = cli.dataDir) => startTestService(t, { CONTENT_DIR: cli.contentDir, DATA_DIR })
  return { ...cli, dir: cli.contentDir, start }
}

async function readState({ fetchJson }: TestService) {
  const get = async (path: string) => (await fetchJson(path)).body
  const app = '/api/v5/app'
  const blocked = await get('/api/v2/filter/invert?format=json&image=http://a.blocked.example/x.png')
  return {
    versions: (await get(`${app}/launcher/updates`)).updates.map(({ version }: { version: string }) => version),
    resources: (await get(`${app}/version/app/launcher/resources`)).message,
    benefits: (await get(`${app}/version/tier/2`)).benefits,
    news: (await get(`${app}/launcher/news`)).news.length,
    own: (await get('/api/v2/random/kaomoji/own')).message,
    blocked: blocked.code,
  }
}
const wholeState = {
  versions: ['2.0.0', '1.0.0'],
  resources: '3.0.0',
  benefits: ['A badge'],
  news: 3,
  own: '(own)',
  blocked: 'IMAGE_HOST_BLOCKED',
}

/** Other parts, such as the event loop, may have problems on a busy machine. */
const contentParts = ['content', 'releases', 'blocklist']

const readProblems =
  ({ fetchJson }: TestService) =>
  async (): Promise<string[]> => {
    const { problems } = (await fetchJson('/readyz')).body as { problems: Record<string, string>[] }
    const found = problems.filter(({ part = '' }) => contentParts.includes(part))
    return found.map(({ part, file, rule }) => [part, file, rule].filter(Boolean).join(' '))
  }

const releaseProblems = ['releases.yaml', 'resources.yaml', 'tiers.yaml', 'news'].map(
  (file) => `releases app/${file} shrunk`,
)

describe('content faults', { concurrency: 3 }, () => {
  test('a content folder that is gone changes nothing that is served, also after a restart, and is reported', async (t) => {
    const { dir, dataDir, start } = await createContent(t)
    const first = await start()
    assert.deepEqual(await readState(first), wholeState)
    assert.deepEqual(await readProblems(first)(), [])
    const kept = ['app', 'lists', 'blocklist'].map((part) => join(dataDir, 'last-good', part, 'state.json'))
    await until(() => kept.every(existsSync))
    await rename(dir, `${dir}-away`)
    const expected = ['blocklist', 'content . missing', ...releaseProblems]
    await untilEqual(readProblems(first), expected)
    assert.deepEqual(await readState(first), wholeState)
    await first.service.stop()
    assert.match(await readLogs(dataDir), /releases.yaml: It has 0 of 2 entries/)

    const second = await start()
    assert.deepEqual(await readState(second), wholeState)
    await untilEqual(readProblems(second), expected)
    // A picture that is gone cannot be served, so the artist draws.
    assert.match((await second.fetchJson('/api/v1/animals/cat')).body.message, /\/~/)

    await rename(`${dir}-away`, dir)
    await untilEqual(readProblems(second), [])
    assert.deepEqual(await readState(second), wholeState)
    await until(async () => !/\/~/.test((await second.fetchJson('/api/v1/animals/cat')).body.message))
  })

  test('an emptied folder is confirmed with one command, on all nodes that share it', async (t) => {
    const { dir, folder, dataDir, start, run, json } = await createContent(t)
    const [one, two] = [await start(), await start(join(folder, 'data-2'))]
    await rm(dir, { recursive: true })
    await mkdir(dir)
    const expected = ['blocklist', 'content kaomoji/own.txt shrunk', 'content animals/cat shrunk', ...releaseProblems]
    for (const node of [one, two]) await untilEqual(readProblems(node), expected)
    for (const node of [one, two]) assert.deepEqual(await readState(node), wholeState)

    const doctor = await run('doctor')
    assert.match(doctor.stdout, /app\/news.*It has 0 of 3 entries/s)
    const { accepted } = await json('content', 'accept')
    assert.deepEqual(accepted.map(({ name, before, now }: Record<string, unknown>) => [name, before, now]).sort(), [
      ['animals/cat', 2, 0],
      ['app/news', 3, 0],
      ['app/releases.yaml', 2, 0],
      ['app/resources.yaml', 1, 0],
      ['app/tiers.yaml', 2, 0],
      ['blocklist.txt', 1, 0],
      ['kaomoji/own.txt', 1, 0],
    ])
    for (const node of [one, two]) {
      await untilEqual(readProblems(node), [])
      assert.deepEqual((await node.fetchJson('/api/v5/app/launcher/news')).body.news, [])
    }
    await one.service.stop()
    assert.deepEqual(await readProblems(await start(dataDir))(), [], 'nothing is left of the former state')
  })

  test('what shrank is confirmed by name, also while the service is stopped', async (t) => {
    const { dir, start, run } = await createContent(t)
    const first = await start()
    await first.service.stop()
    await writeFile(join(dir, 'app/releases.yaml'), '')
    await rm(join(dir, 'kaomoji/own.txt'))
    const refused = await run('content', 'accept', 'kaomoji/none.txt')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /There is no "kaomoji\/none.txt". Known names: .*app\/news/)
    const confirmed = await run('content', 'accept', 'kaomoji/own.txt')
    assert.match(confirmed.stdout, /^kaomoji\/own\.txt: 0 entries instead of 1\nConfirmed\./)
    const second = await start()
    assert.deepEqual(await readProblems(second)(), ['releases app/releases.yaml shrunk'])
    assert.equal((await second.fetchJson('/api/v2/random/kaomoji/own')).status, 404)
    assert.deepEqual((await readState(second)).versions, ['2.0.0', '1.0.0'])
  })

  test('removing one item, or using the commands, needs no confirmation', async (t) => {
    const { dir, start, run } = await createContent(t)
    const service = await start()
    await rm(join(dir, 'app/news/one.md'))
    await rm(join(dir, 'animals/cat/a.png'))
    await until(async () => (await readState(service)).news === 2)
    for (const id of ['two', 'three']) assert.equal((await run('news', 'remove', id)).code, 0)
    assert.equal((await run('tier', 'set', '2', '--benefit', 'Another')).code, 0)
    await until(async () => (await readState(service)).news === 0)
    await until(async () => (await readState(service)).benefits[0] === 'Another')
    assert.deepEqual(await readProblems(service)(), [])
  })

  test('a deploy that deletes and copies is never visible', async (t) => {
    const { dir, start } = await createContent(t)
    const service = await start()
    await rm(dir, { recursive: true })
    await until(async () => (await readProblems(service)()).length > 0)
    assert.deepEqual(await readState(service), wholeState)
    await writeSettledFiles(dir, { ...files, 'app/news/four.md': news('Four') })
    await untilEqual(() => readState(service), { ...wholeState, news: 4 })
    await untilEqual(readProblems(service), [])
  })

  test('a folder of pictures that is not a folder any more is reported, also if it had no pictures', async (t) => {
    const { dir, start } = await createContent(t)
    const animals = join(dir, 'animals')
    await rm(animals, { recursive: true })
    await mkdir(animals)
    const service = await start()
    await rm(animals, { recursive: true })
    spawnSync('mkfifo', [animals])
    await untilEqual(readProblems(service), ['content animals readable'])
    await rm(animals)
    await mkdir(animals)
    await untilEqual(readProblems(service), [])
  })

  test('a service without content starts without a problem', async (t) => {
    const { dir, start } = await createContent(t)
    await rm(dir, { recursive: true })
    await mkdir(dir)
    assert.deepEqual(await readProblems(await start())(), [])
  })

  test('pictures stay while the service has no free file descriptors, and new ones are found afterwards', {
    skip: spawnSync('prlimit').error ? 'no prlimit on the PATH' : false,
  }, async (t) => {
    const { dir } = await createContent(t)
    const service = await spawnService(t, { CONTENT_DIR: dir, LOG_LEVEL: 'warn' })
    const url = await service.opened
    const limitDescriptors = (count: number) =>
      spawnSync('prlimit', [`--pid=${service.pid}`, `--nofile=${count}:`]).status === 0
    const pictures = async () => [...new Set((await fetchJson(`${url}/api/v2/random/animal/cat?count=50`)).message)]
    await until(async () => (await pictures()).length === 2)
    const [picture] = await pictures()
    const { headers } = await createToken(service.dataDir)
    const buildRequest = (path: string, method = 'GET') =>
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nAuthorization: ${headers.Authorization}\r\n\r\n`
    const [open] = await openSockets(t, url, 1, buildRequest('/api/v1/version'))
    await until(() => open!.received().includes('200 OK'))
    assert.ok(limitDescriptors(1))
    await writeFile(join(dir, 'animals/cat/c.png'), tinyPng(3))
    await until(() => /animals has a problem: The folder cannot be read \(EMFILE\)/.test(service.output()))
    // It cannot be read either, which must not end the service.
    open!.socket.write(buildRequest(new URL(String(picture)).pathname))
    await until(() => open!.received().includes('MEDIA_NOT_FOUND'))
    open!.socket.write(buildRequest('/api/v5/app/operator/reload', 'POST'))
    await until(() => open!.received().split(' 200 OK').length === 3)
    assert.ok(limitDescriptors(1000))
    assert.equal((await fetchOnce(String(picture))).status, 200)
    await until(async () => (await pictures()).length === 3)
  })
})

test('a disk of the content that does not reply is reported, and other requests are answered', async (t) => {
  const disk = await createHangingDisk(t)
  await writeSettledFiles(disk.folder, files)
  const service = await spawnService(t, { CONTENT_DIR: disk.folder })
  const url = await service.opened
  if (!disk.hang()) return
  await until(async () => /CONTENT_DIR does not reply/.test(JSON.stringify(await fetchJson(`${url}/readyz`))), 40_000)
  assert.equal((await fetchJson(`${url}/api/v5/app/launcher/updates`)).latest, '2.0.0')
})
