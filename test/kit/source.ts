import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Scope } from './scope.ts'

export interface Source {
  /** A value for FILTER_ALLOW_HOSTS. */
  host: string
  url: (path?: string) => string
  /** Connections since the start, and those still open. */
  connections: () => { made: number; open: number }
}

/** Starts a real HTTP server on loopback. It is closed when the test ends. */
export const startSource = (t: Scope, listener: RequestListener) => listen(t, createServer(listener))

/** A TCP server, for responses that no HTTP server sends. */
export const startRawSource = (t: Scope, onSocket: (socket: Socket) => void) =>
  listen(
    t,
    createTcpServer((socket) => void socket.once('data', () => onSocket(socket))),
  )

async function listen(t: Scope, server: Server): Promise<Source> {
  const open = new Set<Socket>()
  let made = 0
  server.on('connection', (socket: Socket) => {
    made++
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: (path = '/') => `http://${host}${path}`, connections: () => ({ made, open: open.size }) }
}
