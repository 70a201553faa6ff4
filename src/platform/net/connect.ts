import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { FetchError } from './fetch-error.ts'
import { getHost, getPort } from './url.ts'

/** A name with many dead addresses must not occupy a slot for many timeouts. */
const MAX_ATTEMPTS = 4

/**
 * Connects to the first of these addresses that answers. The caller has checked the addresses, and they are dialled as
 * literals: no second DNS lookup happens between check and connection (DNS rebinding).
 */
export async function connect(url: URL, addresses: readonly string[], timeoutMs: number, signal: AbortSignal) {
  const attempts = addresses.slice(0, MAX_ATTEMPTS)
  let failure = () => new FetchError('unreachable', { problem: 'has no address in DNS' })
  for (const address of attempts) {
    const socket = openSocket(url, address)
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs / attempts.length))
    try {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      await once(socket, connected, { signal: AbortSignal.any([signal, timeout]) })
      return socket
    } catch {
      socket.destroy()
      signal.throwIfAborted()
      failure = () =>
        timeout.aborted
          ? new FetchError('timeout', { max: timeoutMs })
          : new FetchError('unreachable', { problem: describeFailure(socket) })
    }
  }
  throw failure()
}

function openSocket(url: URL, address: string): Socket {
  const target = { host: address, port: getPort(url), noDelay: true }
  const servername = isIP(getHost(url)) ? '' : getHost(url)
  const socket =
    url.protocol === 'https:'
      ? // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not disable it.
        connectTls({ ...target, servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
      : connectTcp(target)
  // A late error without a listener would end the process. The reader of the socket notices the error anyway.
  return socket.on('error', () => {})
}

const describeFailure = (socket: Socket | TLSSocket) =>
  'authorizationError' in socket && socket.authorizationError
    ? 'has a certificate that is not valid for its name'
    : 'does not accept connections'
