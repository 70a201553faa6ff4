import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Scope } from './scope.ts'

/** Event loop turns in which this process reads what arrived while it was busy. */
const TURNS = 5

/** Sends bytes unchanged, and returns everything received until the server closes the connection or is silent. */
export function sendRaw(
  url: string,
  text: string | readonly string[],
  { silenceMs = 400, pauseMs = 0 } = {},
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname)
    const done = () => {
      socket.destroy()
      resolve(received)
    }
    const finishIfSilent = async () => {
      const before = received
      for (let turn = 0; turn < TURNS && received === before; turn++) await setImmediate()
      if (received === before) done()
    }
    let timer = setTimeout(finishIfSilent, silenceMs + 5000)
    socket.on('connect', async () => {
      for (const part of Array.isArray(text) ? text : [text]) {
        socket.write(part)
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs))
      }
    })
    socket.on('data', (bytes) => {
      received += bytes
      clearTimeout(timer)
      timer = setTimeout(finishIfSilent, silenceMs)
    })
    socket.on('end', done)
    socket.on('error', (error) => (received ? done() : reject(error)))
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
