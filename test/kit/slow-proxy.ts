import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from './scope.ts'

export interface SlowProxy {
  readonly port: number
  /** Milliseconds by which each piece of an answer is late. */
  delayMs: number
}

/** Stands before a server on this machine and delays what it answers. */
export async function startSlowProxy(t: Scope, port: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    near.pipe(far)
    let before = Promise.resolve()
    far.on('data', (bytes) => {
      const late = sleep(proxy.delayMs)
      before = before.then(() => late).then(() => void (near.writable && near.write(bytes)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SlowProxy = { port: (server.address() as AddressInfo).port, delayMs: 0 }
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return proxy
}
