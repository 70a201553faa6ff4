import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { ImageTimeout, ImageUnreachable } from '../../errors/index.ts'
import { hostOf, portOf } from './source-url.ts'

// A name with twenty dead addresses must not keep us busy twenty times.
const MAX_ATTEMPTS = 4

/**
 * A socket to one of these addresses, which the caller has judged. They are dialled as literals, so that no second look
 * at DNS comes between the judgement and the connection (rebinding).
 */
export async function dial(url: URL, addresses: readonly string[], timeoutMs: number, signal: AbortSignal) {
  const attempts = addresses.slice(0, MAX_ATTEMPTS)
  let failure: Error = new ImageUnreachable(null, 'has a name without an address')
  for (const address of attempts) {
    const socket = openSocket(url, address)
    const limit = AbortSignal.timeout(Math.ceil(timeoutMs / attempts.length))
    try {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      await once(socket, connected, { signal: AbortSignal.any([signal, limit]) })
      return socket
    } catch {
      socket.destroy()
      signal.throwIfAborted()
      failure = limit.aborted ? new ImageTimeout(timeoutMs) : new ImageUnreachable(null, whyNot(socket))
    }
  }
  throw failure
}

function openSocket(url: URL, address: string): Socket {
  const to = { host: address, port: portOf(url), noDelay: true }
  const name = isIP(hostOf(url)) ? '' : hostOf(url)
  const socket =
    url.protocol === 'https:'
      ? // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not switch it off.
        connectTls({ ...to, servername: name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
      : connectTcp(to)
  // An error after the last listener has gone would end the process; whoever uses the socket hears of it anyway.
  return socket.on('error', () => {})
}

const whyNot = (socket: Socket | TLSSocket) =>
  'authorizationError' in socket && socket.authorizationError
    ? 'has a certificate that is not valid for it'
    : 'does not accept connections'
