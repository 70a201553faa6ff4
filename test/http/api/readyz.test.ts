import assert from 'node:assert/strict'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportFailures, resumeRamp } from '../../../src/features/releases/index.ts'
import { buildHealthRoutes } from '../../../src/http/api/health.ts'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { APP, startApp } from '../../kit/app.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { ROOT } from '../../kit/root.ts'
import { reverseScope } from '../../kit/scope.ts'
import { startTestService, type TestService } from '../../kit/service.ts'
import { startSource } from '../../kit/source.ts'
import { blockThread, keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

const starterDir = join(ROOT, 'content')

interface Problem {
  readonly part: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly rule?: string
}

async function problemsOf({ fetchJson }: Pick<TestService, 'fetchJson'>, part: string): Promise<Problem[]> {
  const { status, body } = await fetchJson('/readyz')
  assert.equal(status, 200)
  assert.equal(body.state, body.problems.length > 0 ? 'degraded' : 'ok')
  return body.problems.filter((problem: Problem) => problem.part === part)
}

test('a blocked event loop is a problem', async (t) => {
  const service = await startTestService(t)
  assert.deepEqual(await problemsOf(service, 'event-loop'), [])
  // Blocks it again if the monitor had not started yet. 3.3 s: more than BLOCKED_SECONDS.
  await until(async () => {
    blockThread(3300)
    return (await problemsOf(service, 'event-loop')).length > 0
  })
  const [problem] = await problemsOf(service, 'event-loop')
  assert.match(problem?.message ?? '', /the event loop was blocked for \d+\.\d s/)
})

test('a failed blocklist update is reported without its URL', async (t) => {
  const { url } = await startSource(t, (_, response) => response.writeHead(500).end())
  const service = await startTestService(t, { BLOCKLIST_URL: `${url('/list.txt')}?key=hunter2` })
  await until(async () => (await problemsOf(service, 'blocklist')).length > 0)
  const [problem] = await problemsOf(service, 'blocklist')
  assert.match(problem?.message ?? '', /the blocklist was not updated: .*500/)
  assert.doesNotMatch(problem?.message ?? '', /hunter2|127\.0\.0\.1/)
})

test('a content problem is reported with file and rule until it is fixed', async (t) => {
  const contentDir = await temporaryFolder(t)
  await writeFiles(contentDir, { 'yt-video/hl-cats.yaml': '- nonsense: [\n', 'animals/cat/broken.png': 'no picture' })
  const service = await startTestService(t, { CONTENT_DIR: contentDir })
  await until(async () => (await problemsOf(service, 'content')).length === 2)
  const found = await problemsOf(service, 'content')
  assert.deepEqual(found.map(({ file }) => file).sort(), ['animals/cat/broken.png', 'yt-video/hl-cats.yaml'])
  for (const { rule, message } of found) assert.ok(rule && message)
  await rm(join(contentDir, 'animals/cat/broken.png'))
  await copyFile(join(starterDir, 'yt-video/hl-cats.yaml'), join(contentDir, 'yt-video/hl-cats.yaml'))
  await until(async () => (await problemsOf(service, 'content')).length === 0)
})

test('a ramp that failures stopped is a problem until it is resumed', async (t) => {
  const ramp = { steps: [10, 100], every: '24h', start: new Date().toISOString(), maxFailures: 5 }
  const launcher = [record('1.0.0'), record('2.0.0', { ramp })]
  const app = await startApp(t, { 'releases.yaml': releasesYaml({ launcher }) })
  assert.deepEqual(await problemsOf(app, 'releases'), [])
  const options = { dir: app.appDir, application: 'launcher', version: '2.0.0' } as const
  await reportFailures({ ...options, failed: 5, total: 100 })
  await reportFailures({ ...options, failed: 12, total: 100 })
  await until(async () => (await problemsOf(app, 'releases')).length === 1)
  const [problem] = await problemsOf(app, 'releases')
  assert.deepEqual([problem?.file, problem?.rule], ['app/releases.yaml', 'failures'])
  assert.match(
    problem?.message ?? '',
    /^The ramp of launcher 2\.0\.0 is paused at 10 %: 12 of 100 installations failed/,
  )
  await resumeRamp(options)
  await until(async () => (await problemsOf(app, 'releases')).length === 0)
})

test('a full disk is a problem of log, store and downloads until space is available', async (t) => {
  const scope = { ...reverseScope(t), skip: (why: string) => t.skip(why) }
  const disk = await mountSmallDisk(scope, 4 * 1024 * 1024)
  if (!disk) return
  const releases = { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }) }
  const app = await startApp(scope, releases, { DATA_DIR: disk.folder, LOG_LEVEL: 'info' })
  const messagesOf = async (part: string) => (await problemsOf(app, part)).map(({ message }) => message).join()
  assert.deepEqual([await messagesOf('log'), await messagesOf('store'), await messagesOf('downloads')], ['', '', ''])
  await writeFile(join(disk.folder, 'filler'), Buffer.alloc(8 * 1024 * 1024)).catch(() => {})
  assert.equal((await app.fetch('/download/launcher')).status, 302)
  await until(async () => /cannot be written/.test(await messagesOf('log')))
  await until(async () => /disk of menagerie\.sqlite is full/.test(await messagesOf('store')))
  await until(async () => /^counts waiting for the store: 1$/.test(await messagesOf('downloads')))
  assert.ok(!(await messagesOf('log')).includes(disk.folder))
  await rm(join(disk.folder, 'filler'))
  await until(async () => (await problemsOf(app, 'downloads')).length === 0)
  await until(async () => (await problemsOf(app, 'log')).length === 0)
  await until(async () => (await app.fetchJson(`${APP}/stats/downloads`)).body.total === 1)
  await until(async () => (await app.fetchJson('/readyz')).body.state === 'ok')
})

test('a list of problems that takes long is shared for ten times as long', async (t) => {
  let lists = 0
  const problems = () => {
    lists++
    keepThreadBusy(100)
    return []
  }
  const server = createHttpServer({
    routes: buildHealthRoutes(problems),
    log: {} as never,
    observe() {},
    publicUrl: '',
    trustProxy: [],
  })
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const startedAt = performance.now()
  while (lists < 3) assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.ok(performance.now() - startedAt > 2000)
})
