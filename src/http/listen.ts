import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const STOP_WAITS_MS = 10_000

/** Why the service cannot listen, for the operator. */
export class ListenError extends Error {}

/** Resolves to the URL under which the server is reached on this machine. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenError(reasonOf(error, host, port))))
    server.listen({ host, port, backlog: 2048 }, resolve)
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

/** Takes no new connections and lets every request finish. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was busy at first is idle once its reply is out, and would linger.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const force = setTimeout(() => server.closeAllConnections(), STOP_WAITS_MS)
  await closed
  clearInterval(idle)
  clearTimeout(force)
}
