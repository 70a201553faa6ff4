import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { temporaryFolder } from '../kit/folder.ts'
import { startLoad } from '../kit/load.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { PROGRAM, ROOT } from '../kit/root.ts'
import { readChildren } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

const STARTS = 2

test('a service that is restarted by a manager that holds its port refuses and resets no connection', (t) =>
  assertRestarts(t, {}))

test('nor does one with several workers', needsRedis, async (t) => {
  const { url } = await startRedis(t)
  await assertRestarts(t, { WORKERS: '2', STORE_URL: url })
})

async function assertRestarts(t: TestContext, settings: NodeJS.ProcessEnv) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  // Like systemd, the shell has the port open as file descriptor 3 and accepts no connection.
  const manager = spawn(
    'sh',
    ['-c', `for start in $(seq ${STARTS}); do "$@"; done`, 'sh', process.execPath, PROGRAM, 'serve'],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache'),
        DATA_DIR: await temporaryFolder(t),
        RATE_LIMIT: 'off',
        LISTEN_FDS: '1',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit', fd],
    },
  )
  const exited = once(manager, 'exit')
  t.after(async () => {
    for (const pid of await readChildren(manager.pid!)) process.kill(pid, 'SIGKILL')
    manager.kill('SIGKILL')
    await exited
  })
  server.close()
  let output = ''
  manager.stdout?.on('data', (text) => {
    output += text
  })

  const url = `http://127.0.0.1:${port}/api/v1/version`
  const loads = [true, false].map((keepAlive) => startLoad(t, url, { callers: 20, pauseMs: 0, keepAlive }))
  const countDone = () => loads.reduce((sum, { done }) => sum + done, 0)
  for (let start = 1; start <= STARTS; start++) {
    await until(() => output.split(`http://127.0.0.1:${port}/api`).length > start, 60_000)
    const enough = countDone() + 300
    await until(() => countDone() > enough)
    if (start === STARTS) await Promise.all(loads.map((load) => load.stop()))
    for (const pid of await readChildren(manager.pid!)) process.kill(pid, 'SIGTERM')
  }
  await exited
  assert.deepEqual(
    loads.flatMap(({ failed }) => failed),
    [],
  )
}

test('a Unix socket is refused with a sentence: its clients have no address', async (t) => {
  const folder = await temporaryFolder(t)
  const server = createServer().listen(join(folder, 'socket'))
  await once(server, 'listening')
  t.after(() => void server.close())
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  const service = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', DATA_DIR: join(folder, 'data'), LISTEN_FDS: '1' },
    stdio: ['ignore', 'ignore', 'pipe', fd],
  })
  t.after(() => void service.kill('SIGKILL'))
  const [printed, [code]] = await Promise.all([text(service.stderr!), once(service, 'exit')])
  assert.match(printed, /^menagerie: The socket of LISTEN_FDS is no TCP port\. Set ListenStream to a port\.$/m)
  assert.notEqual(code, 0)
})
