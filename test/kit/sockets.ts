import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Scope } from './scope.ts'

/** Sockets that a process may have open here, less some for files and pipes; each end of a connection takes one. */
export const mostSockets = () =>
  Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024) - 200

export interface OpenSocket {
  readonly socket: Socket
  readonly received: () => string
  readonly isClosed: () => boolean
}

/** A connection that sends these bytes and then stays as it is. */
export function openSocket(url: string, text = ''): Promise<OpenSocket> {
  const { hostname, port } = new URL(url)
  let received = ''
  let isClosed = false
  const socket = connect(Number(port), hostname)
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('error', () => {})
  socket.once('close', () => {
    isClosed = true
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      if (text !== '') socket.write(text)
      resolve({ socket, received: () => received, isClosed: () => isClosed })
    })
  })
}

/** So many of them, a few at a time; all are closed with the test. */
export async function openSockets(t: Scope, url: string, count: number, text = ''): Promise<OpenSocket[]> {
  const open: OpenSocket[] = []
  t.after(() => {
    for (const { socket } of open) socket.destroy()
  })
  while (open.length < count) {
    const some = Array.from({ length: Math.min(200, count - open.length) }, () => openSocket(url, text))
    open.push(...(await Promise.all(some)))
  }
  return open
}
