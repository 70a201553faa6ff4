// A caller that costs next to nothing beside the service: one connection, one request at a time, bodies counted and dropped.
import { once } from 'node:events'
import { connect } from 'node:net'

export interface Answer {
  readonly ms: number
  /** What the reply says in X-Cache. */
  readonly cache: string
}

const BUFFER_BYTES = 1024 * 1024
const END_OF_HEAD = '\r\n\r\n'

export async function openCaller(server: string) {
  const { hostname: host, port } = new URL(server)
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let head = ''
  let missing = 0
  let waiting = Promise.withResolvers<string>()

  const read = (count: number) => {
    if (head !== '') {
      missing -= count
    } else {
      // Node sends a head in one piece, the first of its reply.
      const end = buffer.indexOf(END_OF_HEAD)
      head = buffer.toString('latin1', 0, end)
      missing = Number(/^content-length: (\d+)/im.exec(head)?.[1]) + end + END_OF_HEAD.length - count
    }
    if (missing === 0) waiting.resolve(head)
    return true
  }

  const socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer, callback: read } })
  socket.on('error', (error) => waiting.reject(error)).on('close', () => waiting.reject(new Error('hung up')))
  await once(socket, 'connect')

  return {
    async get(path: string): Promise<Answer> {
      const begun = performance.now()
      head = ''
      waiting = Promise.withResolvers()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
      const answered = await waiting.promise
      const ms = performance.now() - begun
      if (!answered.startsWith('HTTP/1.1 200')) throw new Error(`${path}: ${answered}`)
      return { ms, cache: /^x-cache: (\S+)/im.exec(answered)?.[1] ?? '' }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
