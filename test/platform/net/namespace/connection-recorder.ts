import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Scope } from '../../../kit/scope.ts'

export interface ConnectionRecorder {
  /** Returns the addresses that clients connected to since the last call, in order. */
  takeConnected: () => string[]
}

/** Listens on port 80 of all addresses, and records to which of them clients connect. */
export async function startConnectionRecorder(t: Scope, listener: RequestListener): Promise<ConnectionRecorder> {
  const connected: string[] = []
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    connected.push(socket.localAddress!.replace(/^::ffff:(?=\d+\.)/, ''))
  })
  server.listen(80, '::')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { takeConnected: () => connected.splice(0) }
}
