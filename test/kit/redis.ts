import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { succeeds } from '../../src/platform/concurrency/index.ts'
import { redisServer } from './external-programs.ts'
import { temporaryFolder } from './folder.ts'
import { forSuite, type Scope } from './scope.ts'
import { until } from './until.ts'

/** Options for `test(name, needsRedis, …)`: skips the test without redis-server. */
export const needsRedis: { skip: string | false } = { skip: redisServer ? false : 'no redis-server on the PATH' }

export interface TestRedis {
  readonly url: string
  readonly port: number
  /** Stops the process without closing its connections. */
  pause(): void
  resume(): void
  kill(): Promise<void>
  /** Starts an empty server on the same port. */
  start(): Promise<void>
  /** Sends one command; resolves to the raw reply. */
  command(line: string): Promise<string>
}

/** Starts a real redis-server without persistence on a free port, and ends it after the test. */
export const startRedis = (t: Scope, ...options: string[]): Promise<TestRedis> =>
  startOnce(t, options).catch(() => startOnce(t, options))

/** Tests that share a Redis. Call `redis` inside a test. */
export function describeWithRedis(name: string, defineTests: (redis: () => TestRedis) => void): void {
  if (needsRedis.skip) test(name, needsRedis, () => {})
  else describe(name, () => defineTests(forSuite(startRedis)))
}

async function startOnce(t: Scope, options: readonly string[]): Promise<TestRedis> {
  const port = await freePort()
  // A replica writes the data of its master into its folder.
  const folder = await temporaryFolder(t)
  let server: ChildProcess | undefined

  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async kill() {
      if (!server || server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
    },
    async start() {
      const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
      const started = spawn(redisServer ?? 'redis-server', [...fixed, ...options], { stdio: 'ignore' })
      server = started
      await until(() => {
        // Another program may have taken the port since it was found free.
        if (started.exitCode !== null) throw new Error(`redis-server on port ${port} ended with ${started.exitCode}`)
        return redis.command('PING').then(
          (reply) => /PONG|NOAUTH/.test(reply),
          () => false,
        )
      })
    },
    command: (line) => sendCommand(port, line),
  }
  t.after(() => redis.kill())
  await redis.start()
  return redis
}

/** Sends one command to a server on this machine; resolves to the raw reply. */
export const sendCommand = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(`${line}\r\n`))
    socket.once('data', (data) => {
      resolve(String(data))
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed without a reply')))
  })

/** Below the ephemeral ports of the system, so that no other process gets the port by chance before a restart. */
const PORT_RANGE = { from: 20_000, to: 32_000 }

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORT_RANGE.from, PORT_RANGE.to)
    const server = createServer().listen(port, '127.0.0.1')
    if (!(await succeeds(once(server, 'listening')))) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
