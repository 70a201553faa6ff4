import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from './scope.ts'

export interface SlowProxy {
  readonly port: number
  /** The server that new connections reach. */
  target: number
  /** The delay of each chunk of a reply. */
  delayMs: number
  /** Changes each chunk of a reply. */
  rewrite?: (text: string) => string
}

/** Starts a TCP proxy that delays the replies of a server on this machine. */
export async function startSlowProxy(t: Scope, target: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(proxy.target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.pipe(upstream)
    let previous = Promise.resolve()
    upstream.on('data', (bytes) => {
      const delay = sleep(proxy.delayMs)
      const reply = proxy.rewrite ? Buffer.from(proxy.rewrite(bytes.toString('latin1')), 'latin1') : bytes
      previous = previous.then(() => delay).then(() => void (client.writable && client.write(reply)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SlowProxy = { port: (server.address() as AddressInfo).port, target, delayMs: 0 }
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return proxy
}
