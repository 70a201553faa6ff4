import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Scope } from '../../../kit/scope.ts'

export interface ConnectionRecorder {
  /** Returns the addresses that were dialled since the last call, in order. */
  takeDialled: () => string[]
}

/** Listens on port 80 of all addresses, and records to which of them clients connect. */
export async function startConnectionRecorder(t: Scope, listener: RequestListener): Promise<ConnectionRecorder> {
  const dialled: string[] = []
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    dialled.push(socket.localAddress!.replace(/^::ffff:(?=\d+\.)/, ''))
  })
  server.listen(80, '::')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { takeDialled: () => dialled.splice(0) }
}
