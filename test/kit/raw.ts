import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'

/** Turns in which what came while this process was held up is read and answered. */
const TURNS = 5

/** Sends bytes as they are and gives all that comes back until the service closes or is silent. */
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
    const silent = async () => {
      const before = received
      for (let turn = 0; turn < TURNS && received === before; turn++) await setImmediate()
      if (received === before) done()
    }
    let timer = setTimeout(silent, silenceMs + 5000)
    socket.on('connect', async () => {
      for (const part of Array.isArray(text) ? text : [text]) {
        socket.write(part)
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs))
      }
    })
    socket.on('data', (bytes) => {
      received += bytes
      clearTimeout(timer)
      timer = setTimeout(silent, silenceMs)
    })
    socket.on('end', done)
    socket.on('error', (error) => (received ? done() : reject(error)))
  })
}

/** Status, headers and JSON of the first reply in such text. */
export function parseRaw(received: string) {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.split(': ')[1] ?? '']))
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) }
}
