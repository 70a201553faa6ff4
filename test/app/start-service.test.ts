import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startService } from '../../src/app/start-service.ts'
import { readConfig } from '../../src/config/config.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startLoad } from '../kit/load.ts'
import { readLogs } from '../kit/log-files.ts'
import { openSocket } from '../kit/raw-http.ts'
import { startRedis } from '../kit/redis.ts'
import { startTestService } from '../kit/service.ts'
import { spawnService } from '../kit/service-process.ts'
import { until, untilEqual } from '../kit/until.ts'

test('after SIGINT a request in progress is answered, the log is saved, and the exit code is 0', async (t) => {
  const dataDir = await temporaryFolder(t)
  const { child, opened, exited, output } = await spawnService(t, { DATA_DIR: dataDir })
  const url = await opened
  for (const shown of ['/docs', 'Content', 'Data']) assert.ok(output().includes(shown), shown)

  // A request whose headers are incomplete when the signal arrives.
  const { socket, received, isClosed } = await openSocket(url, 'GET /api/v1/uptime HTTP/1.1\r\nHost: x\r\n')
  // When this is answered, the first half of the request has been read.
  assert.equal((await fetch(`${url}/api/v1/version`)).status, 200)
  child.kill('SIGINT')
  await until(() => output().includes('Stopping'))
  socket.write('\r\n')
  await until(isClosed)
  assert.match(received(), /^HTTP\/1\.1 200 OK[\s\S]*"uptime"/)
  assert.equal(await exited, 0)
  const lines = (await readLogs(dataDir)).trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    entries.filter(({ msg }) => msg === 'request').map(({ path }) => path),
    ['/api/v1/version', '/api/v1/uptime'],
  )
  assert.equal(entries.at(-1).msg, 'stopped')
})

test('a stopping service is not ready and accepts no new connection', async (t) => {
  const { url, service } = await startTestService(t)
  const { socket, received, isClosed } = await openSocket(url, 'GET /readyz HTTP/1.1\r\nHost: x\r\n')
  // When this is answered, the first half of the request has been read.
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const stopped = service.stop()
  socket.write('\r\n')
  await stopped
  await until(isClosed)
  assert.match(received(), /^HTTP\/1\.1 503[\s\S]*NOT_READY/)
  await assert.rejects(fetch(`${url}/healthz`))
})

/**
 * `STOP_TRIES=50 npm test -- test/app/start-service.test.ts` on an idle machine. Between the last check and the closing of
 * the port, a busy machine may pause the service, so this is not part of the suite.
 */
const TRIES = Number(process.env.STOP_TRIES ?? 0)
const timeout = TRIES * 20_000

for (const workers of TRIES > 0 ? [1, 2] : []) {
  test(`SIGTERM resets no connection of clients that send one request after the other, ${workers} workers`, {
    timeout,
  }, async (t) => {
    const STORE_URL = workers > 1 ? (await startRedis(t)).url : ''
    let done = 0
    for (let tries = 0; tries < TRIES; tries++) {
      const { child, opened, exited } = await spawnService(t, { WORKERS: String(workers), STORE_URL })
      const load = startLoad(t, `${await opened}/api/v1/version`, { callers: 20, pauseMs: tries % 2 })
      await until(() => load.done > 200)
      child.kill('SIGTERM')
      assert.equal(await exited, 0)
      await load.stop()
      done += load.done
      // A refused connection is no lost request: nothing was sent.
      assert.deepEqual(
        load.failed.filter((reason) => reason !== 'ECONNREFUSED'),
        [],
      )
    }
    t.diagnostic(`${done} requests while the service was stopped ${TRIES} times, none failed`)
  })
}

test('a second start with the same data folder is refused until the first process has ended', async (t) => {
  const first = await spawnService(t)
  await first.opened
  const settings = { PORT: '0', DATA_DIR: first.dataDir }
  await assert.rejects(startService(readConfig(settings)), /^Error: Another service uses DATA_DIR \(/)
  first.child.kill('SIGKILL')
  await first.exited
  await (await startTestService(t, settings)).untilHealthy()
})

test('other users of the machine cannot read a new data folder', async (t) => {
  const DATA_DIR = join(await temporaryFolder(t), 'data')
  await startTestService(t, { DATA_DIR })
  assert.equal((await stat(DATA_DIR)).mode & 0o77, 0)
})

test('an invalid data folder is an error that names the setting', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  await assert.rejects(startService(readConfig({ PORT: '0', DATA_DIR: join(folder, 'file') })), /^Error: DATA_DIR/)
  await chmod(folder, 0o700)
})

test('the service starts without a content folder', async (t) => {
  const folder = await temporaryFolder(t)
  const { fetchJson } = await startTestService(t, { CONTENT_DIR: join(folder, 'none') })
  assert.equal((await fetchJson('/api/v1/version')).status, 200)
  assert.equal((await fetchJson('/api/v1/static/cache/blocklist.txt')).status, 404)
  assert.deepEqual((await fetchJson('/api/v1/static/cache')).body.files, [])
})

test('a stopped service leaves no timer, which would keep it in memory', async (t) => {
  const timers = new Map<number, string | undefined>()
  let isRunning = true
  const hook = createHook({
    init(id, type) {
      if (isRunning && type === 'Timeout') timers.set(id, new Error('created here').stack)
    },
    destroy: (id) => timers.delete(id),
  }).enable()
  t.after(() => hook.disable())
  const folder = await temporaryFolder(t)
  const service = await startService(readConfig({ PORT: '0', DATA_DIR: join(folder, 'data') }), () => {})
  await service.stop()
  isRunning = false
  // Node reports a cleared timer a moment later.
  await untilEqual(() => [...timers.values()], [])
})
