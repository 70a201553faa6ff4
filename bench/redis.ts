import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithBench } from './harness.ts'

/** A redis-server of its own on a free port, without persistence; resolves to its URL. */
export async function startBenchRedis(): Promise<string> {
  const port = await freePort()
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  endWithBench(spawn('redis-server', flags, { stdio: 'ignore' }))
  while (!(await answers(port))) await sleep(50)
  return `redis://127.0.0.1:${port}`
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('connect', () => socket.destroy())
    socket.once('error', () => resolve(false))
  })
