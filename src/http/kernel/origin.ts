import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createAddressMatcher } from '../../features/access/index.ts'

export interface Origin {
  readClient(request: IncomingMessage): string
  readBaseUrl(request: IncomingMessage): string
}

const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address)

/** Who is at the other end of the connection: a caller, or a proxy. */
export const readPeerAddress = ({ socket }: IncomingMessage) => plain(socket.remoteAddress ?? '')

/** Azure's gateway and IIS write the port of the caller, too, and then brackets around IPv6. */
const WITH_PORT = /^"?(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+|([\da-f:.]+))"?$/i

function hopOf(text: string): string {
  if (isIP(text) !== 0) return plain(text)
  const [, bracketed, beforePort, quoted] = WITH_PORT.exec(text) ?? []
  return plain(bracketed ?? beforePort ?? quoted ?? '')
}

const SAFE_HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * Who asks, and under which address we are known. Forwarded headers are forged by real clients: they count only where
 * the connection itself comes from an address in TRUST_PROXY.
 */
export function createOrigin({ publicUrl, trustProxy }: { publicUrl: string; trustProxy: readonly string[] }): Origin {
  const hasProxies = trustProxy.length > 0
  const isTrusted = createAddressMatcher(trustProxy)

  // Nearly all callers know us by one name.
  let last = { host: '', isHttps: false, baseUrl: '' }

  function clientOf(request: IncomingMessage): string {
    let client = readPeerAddress(request)
    if (!hasProxies || !isTrusted(client)) return client
    // From the right: each believed proxy vouches for the one before it; what stands further left is hearsay.
    const hops = String(request.headers['x-forwarded-for'] ?? '').split(',')
    while (hops.length > 0 && isTrusted(client)) {
      const hop = hopOf(hops.pop()?.trim() ?? '')
      if (isIP(hop) === 0) break
      client = hop
    }
    return client
  }

  function baseUrlOf(request: IncomingMessage): string {
    if (publicUrl !== '') return publicUrl
    const believed = hasProxies && isTrusted(readPeerAddress(request))
    const forwarded = (name: string) =>
      String(request.headers[name] ?? '')
        .split(',', 1)[0]
        ?.trim()
    const isHttps = believed && forwarded('x-forwarded-proto') === 'https'
    const host = (believed && forwarded('x-forwarded-host')) || request.headers.host || ''
    if (host !== '' && host === last.host && isHttps === last.isHttps) return last.baseUrl
    const scheme = isHttps ? 'https' : 'http'
    // A host that could not stand in a URL is not echoed.
    if (!SAFE_HOST.test(host) || !URL.canParse(`http://${host}`)) return `${scheme}://${localHost(request)}`
    last = { host, isHttps, baseUrl: `${scheme}://${host}` }
    return last.baseUrl
  }

  return { readClient: clientOf, readBaseUrl: baseUrlOf }
}

function localHost({ socket }: IncomingMessage): string {
  const address = plain(socket.localAddress ?? '127.0.0.1')
  return `${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`
}
