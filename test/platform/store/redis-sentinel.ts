import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { redisServer } from '../../kit/external-programs.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { freePort, sendCommand, startRedis, type TestRedis } from '../../kit/redis.ts'
import type { Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

export interface TestSentinels {
  readonly url: string
  readonly master: TestRedis
  readonly replica: TestRedis
  readonly sentinelPorts: readonly number[]
  /** The port of the current master according to the sentinels. */
  readMasterPort(): Promise<number>
  /** Stops the sentinel that the URL names first, without closing its connections. */
  pauseFirst(): void
}

/** Starts a real master with a replica, and three sentinels that watch them. */
export async function startSentinels(t: Scope): Promise<TestSentinels> {
  const folder = await temporaryFolder(t)
  const master = await startRedis(t, '--repl-diskless-sync-delay', '0')
  const replica = await startRedis(
    t,
    '--replicaof',
    '127.0.0.1',
    String(master.port),
    '--repl-diskless-sync-delay',
    '0',
  )
  await until(async () => (await replica.command('INFO replication')).includes('master_link_status:up'), 20_000)
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const processes: ChildProcess[] = []
  for (const port of ports) {
    const file = join(folder, `${port}.conf`)
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor house 127.0.0.1 ${master.port} 2`,
      'sentinel down-after-milliseconds house 500',
      'sentinel failover-timeout house 4000',
    ]
    await writeFile(file, lines.join('\n'))
    const sentinel = spawn(redisServer ?? 'redis-server', [file, '--sentinel'], { stdio: 'ignore' })
    processes.push(sentinel)
    t.after(async () => {
      const ended = once(sentinel, 'exit')
      sentinel.kill('SIGKILL')
      await ended
    })
  }
  const askSentinel = (port: number, line: string) => sendCommand(port, line).catch(() => '')
  await until(async () => {
    const replies = await Promise.all(ports.map((port) => askSentinel(port, 'SENTINEL MASTER house')))
    return replies.every((text) => /num-slaves\r\n\$1\r\n1/.test(text) && /num-other-sentinels\r\n\$1\r\n2/.test(text))
  }, 20_000)
  return {
    url: `redis-sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/house`,
    master,
    replica,
    sentinelPorts: ports,
    pauseFirst: () => void processes[0]?.kill('SIGSTOP'),
    async readMasterPort() {
      const reply = await askSentinel(ports[0] ?? 0, 'SENTINEL GET-MASTER-ADDR-BY-NAME house')
      return Number(/\$\d+\r\n(\d+)\r\n$/.exec(reply)?.[1])
    },
  }
}
