// An HTTP client that needs very little CPU time: one connection, one request at a time; bodies are discarded.
import { once } from 'node:events'
import { connect } from 'node:net'

export interface Reply {
  readonly ms: number
  /** The value of X-Cache. */
  readonly cache: string
}

const BUFFER_BYTES = 1024 * 1024
const END_OF_HEAD = '\r\n\r\n'

export async function openConnection(server: string) {
  const { hostname: host, port } = new URL(server)
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let head = ''
  let missing = 0
  let waiting = Promise.withResolvers<string>()

  const read = (count: number) => {
    if (head !== '') {
      missing -= count
    } else {
      // Node sends the complete head in its first write.
      const end = buffer.indexOf(END_OF_HEAD)
      head = buffer.toString('latin1', 0, end)
      missing = Number(/^content-length: (\d+)/im.exec(head)?.[1]) + end + END_OF_HEAD.length - count
    }
    if (missing === 0) waiting.resolve(head)
    return true
  }

  const socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer, callback: read } })
  socket
    .on('error', (error) => waiting.reject(error))
    .on('close', () => waiting.reject(new Error('the server closed the connection')))
  await once(socket, 'connect')

  return {
    async get(path: string): Promise<Reply> {
      const start = performance.now()
      head = ''
      waiting = Promise.withResolvers()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`)
      const replyHead = await waiting.promise
      const ms = performance.now() - start
      if (!replyHead.startsWith('HTTP/1.1 200')) throw new Error(`${path}: ${replyHead}`)
      return { ms, cache: /^x-cache: (\S+)/im.exec(replyHead)?.[1] ?? '' }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
