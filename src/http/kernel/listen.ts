import type { Server } from 'node:http'
import { type AddressInfo, createServer, Server as Listener, type Server as NetServer } from 'node:net'

const STOP_WAITS_MS = 10_000

/** Why the service cannot listen, for the operator. */
export class ListenError extends Error {}

/**
 * Resolves to the URL under which the server is reached on this machine. `onError` is told of connections that the system
 * could not hand over afterwards, for want of memory for one: such an error that nobody hears ends the process.
 */
export async function listen(
  server: NetServer,
  host: string,
  port: number,
  onError: (error: Error) => void = () => {},
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(new ListenError(reasonOf(error, host, port)))
    server.once('error', refused)
    server.listen({ host, port, backlog: 2048 }, () => {
      server.off('error', refused).on('error', onError)
      resolve()
    })
  })
  const { address, port: taken, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function reasonOf({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program; stop it or choose another PORT.`
  if (code === 'EACCES') return `This user may not listen on port ${port}; choose a PORT from 1024 up.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST ${host} is no address of this machine.`
  return `Cannot listen on ${host}:${port}: ${message}`
}

/** Which port that would be, or why it cannot be; nothing is listened to afterwards. */
export async function checkPort(host: string, port: number): Promise<number> {
  const server = createServer()
  const url = await listen(server, host, port)
  await new Promise((resolve) => server.close(resolve))
  return Number(new URL(url).port || 80)
}

/**
 * Takes no new connections and lets every request finish. A connection that nobody uses is left open for `lingerMs`: a
 * caller who sends on it the moment it is closed gets no reply.
 */
export async function drain(server: Server, lingerMs = 0): Promise<void> {
  const lingerUntil = performance.now() + lingerMs
  // Not the HTTP server's own close, which cuts idle connections at once.
  const closed = new Promise<void>((resolve) => Listener.prototype.close.call(server, () => resolve()))
  // A connection that was busy at first is idle once its reply is out, and would linger.
  const closeIdle = () => {
    if (performance.now() >= lingerUntil) server.closeIdleConnections()
  }
  closeIdle()
  const idle = setInterval(closeIdle, 20)
  const force = setTimeout(() => server.closeAllConnections(), lingerMs + STOP_WAITS_MS)
  await closed
  clearInterval(idle)
  clearTimeout(force)
}
