import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Scope } from './scope.ts'
import { passTurns } from './turns.ts'

const FIRST_BYTE_TIMEOUT_MS = 20_000

/**
 * Sends bytes unchanged, and returns everything received until the server closes the connection or is silent. The server
 * runs in this process, so a short silence is enough.
 */
export function sendRaw(url: string, text: string, { silenceMs = 50 } = {}): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(received)
    }
    const finishIfSilent = async () => {
      const before = received
      await passTurns()
      if (received === before) finish()
    }
    let timer = setTimeout(finishIfSilent, FIRST_BYTE_TIMEOUT_MS)
    socket.on('data', (bytes) => {
      received += bytes
      clearTimeout(timer)
      timer = setTimeout(finishIfSilent, silenceMs)
    })
    socket.on('end', finish)
    socket.on('error', (error) => {
      if (received === '') reject(error)
      finish()
    })
  })
}

/** The status, headers and JSON body of the first reply in the text. */
export function parseRaw(received: string) {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.split(': ')[1] ?? '']))
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) }
}

/** The number of sockets that this process can open, minus a reserve for files. Each end of a connection needs one. */
export const readMaxSockets = () =>
  Number(/Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024) - 200

export interface OpenSocket {
  readonly socket: Socket
  readonly received: () => string
  readonly isClosed: () => boolean
}

/** Opens a connection, sends the text, and leaves the connection idle. */
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

/** Opens many connections in batches, and closes them after the test. */
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
