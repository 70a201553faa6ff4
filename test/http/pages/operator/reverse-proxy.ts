import { createServer, type RequestListener, request, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../../../kit/scope.ts'

interface ProxyOptions {
  /** Terminates TLS with this certificate; plain HTTP without it. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Replaces the Host header of the client. */
  readonly host?: string
}

/** Starts a reverse proxy on loopback that sends no X-Forwarded-* headers. Resolves to its port. */
export async function startProxy(t: Scope, target: string, { tls, host }: ProxyOptions = {}): Promise<number> {
  const pass: RequestListener = (incoming, outgoing) => {
    const { method, url } = incoming
    const headers = { ...incoming.headers, ...(host && { host }) }
    const onward = request(target + url, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.on('error', () => outgoing.destroy())
      reply.pipe(outgoing)
    })
    // The page sends requests until it is closed, and the service may have stopped by then.
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }
  const proxy: Server = tls ? createTlsServer(tls, pass) : createServer(pass)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return (proxy.address() as AddressInfo).port
}
