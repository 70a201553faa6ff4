import { connect } from 'node:net'

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
    let timer = setTimeout(done, silenceMs + 5000)
    socket.on('connect', async () => {
      for (const part of Array.isArray(text) ? text : [text]) {
        socket.write(part)
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs))
      }
    })
    socket.on('data', (bytes) => {
      received += bytes
      clearTimeout(timer)
      timer = setTimeout(done, silenceMs)
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
