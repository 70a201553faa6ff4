import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { ApiError } from '../../errors/index.ts'
import { createAddressMatcher, isInProxyNetwork, toClientAddress, unwrapIpv4 } from '../../platform/net/index.ts'
import type { Trace } from './observers.ts'
import { formatHeaders } from './replies.ts'
import type { ReplyBudget } from './reply-budget.ts'
import type { RouteMatch } from './router.ts'

const EMPTY: Readonly<Record<string, never>> = Object.freeze({})

interface Services {
  readonly origin: Origin
  readonly replyBudget?: ReplyBudget
  readonly limits?: { charge(ctx: RequestContext, requests: number): void } | undefined
  readonly turns?: { wait(client: string): Promise<void> }
  readonly acquireReads?: (client: string, signal: AbortSignal) => Promise<Disposable>
}

/** A request that is being handled: everything a handler can read about it. */
export class RequestContext<Params = unknown, Query = unknown> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly startedAt: number
  private readonly services: Services
  /** Undefined for an unknown path. */
  match: RouteMatch | undefined
  params = EMPTY as Params
  query = EMPTY as Query
  /** Header lines for the reply, whether it is a success or an error. */
  headerText = ''
  closesConnection = false
  /** The reply contains what the client sent as its host: shared caches must not store it. */
  dependsOnHost = false
  /** An error to reply with, after bans and rate limits are checked. */
  rejection: ApiError | undefined
  /** An extra field for the access log; nothing private. */
  logNote: string | undefined
  /** Undefined if tracing is off. */
  trace: Trace | undefined
  // Not #private: a context is created for each request, and #private fields take longer to create.
  private cachedSender: Sender | undefined
  private cachedBaseUrl: string | undefined
  private controller: AbortController | undefined

  constructor(request: IncomingMessage, response: ServerResponse, id: string, startedAt: number, services: Services) {
    this.request = request
    this.response = response
    this.id = id
    this.startedAt = startedAt
    this.services = services
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Throws BUSY if there is no memory to send a file of this length: call it before the request has an effect. */
  reserveFile(length: number | undefined): void {
    this.services.replyBudget?.addFile(this.response, this.client, length)
  }

  /**
   * `cost`: the number of requests that this one counts as. Call it before the work begins. Throws RateLimited if other
   * requests of the client, which arrived together with this one, have used more than its limit.
   */
  charge(cost: number): void {
    if (cost > 1) this.services.limits?.charge(this, cost - 1)
  }

  /** Call it before each few milliseconds of work in this thread. Throws if the client disconnects. */
  async waitForTurn(): Promise<void> {
    await this.services.turns?.wait(this.client)
    // `signal` would cost more than the wait.
    if (this.response.closed) throw new DOMException('The client disconnected.', 'AbortError')
  }

  /** Call it before reading parts of a file. Rejects if the client disconnects. */
  async acquireReads(): Promise<Disposable | undefined> {
    return this.services.acquireReads?.(this.client, this.signal)
  }

  /** Flat: name, value, name, value … */
  addHeaders(...headers: string[]): void {
    this.headerText += formatHeaders(headers)
  }

  private get sender(): Sender {
    this.cachedSender ??= this.services.origin.readSender(this.request)
    return this.cachedSender
  }

  /** The address of the client; forwarded addresses count only from trusted proxies. */
  get client(): string {
    return this.sender.address
  }

  /** The client as limits and bans know it: an IPv4 address or an IPv6 /64. */
  get clientAddress(): string {
    return this.sender.clientAddress
  }

  /** Whether the address of the client is that of a proxy that TRUST_PROXY should name: all clients share it. */
  isFromUntrustedProxy(): boolean {
    return this.services.origin.isUntrustedProxy(this.request, this.client)
  }

  /** The start of absolute URLs in replies. Without PUBLIC_URL it comes from the client. */
  get baseUrl(): string {
    if (!this.services.origin.hasPublicUrl) this.dependsOnHost = true
    this.cachedBaseUrl ??= this.services.origin.readBaseUrl(this.request)
    return this.cachedBaseUrl
  }

  /** Path and query, as the client sent them. */
  get url(): string {
    return this.request.url ?? ''
  }

  /** The whole URL: a cache key for what depends on host, path and query only. */
  get absoluteUrl(): string {
    return this.baseUrl + this.url
  }

  /** Aborted when the client disconnects before the reply is sent, or the reply takes too long. */
  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal
    this.controller = new AbortController()
    if (this.response.closed) this.abort()
    else this.response.once('close', () => !this.response.writableFinished && this.abort())
    return this.controller.signal
  }

  /** Ends the work for this request. */
  abort(): void {
    this.controller?.abort()
  }
}

/** Who sent a request, and under which URL the sender knows the service. */
type Origin = ReturnType<typeof createOrigin>

interface Sender {
  readonly address: string
  /** The result of `toClientAddress`. */
  readonly clientAddress: string
}

const PEER = Symbol('peer')

/** The other end of the connection, a client or a proxy. Read once per connection instead of at each request. */
function readPeer({ socket }: { socket: Socket & { [PEER]?: Sender } }): Sender {
  if (socket[PEER]) return socket[PEER]
  // Without the zone of a link-local address, such as fe80::1%eth0.
  const [address = ''] = unwrapIpv4(socket.remoteAddress ?? '').split('%', 1)
  const peer = { address, clientAddress: toClientAddress(address) }
  socket[PEER] = peer
  return peer
}

export const readPeerAddress = (request: IncomingMessage) => readPeer(request).address

/** Azure's gateway and IIS append the port of the client, with brackets around IPv6. */
const ADDRESS_WITH_PORT = /^"?(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+|([\da-f:.]+))"?$/i

function parseForwardedAddress(text: string): string {
  if (isIP(text) !== 0) return unwrapIpv4(text)
  const [, bracketed, beforePort, quoted] = ADDRESS_WITH_PORT.exec(text) ?? []
  return unwrapIpv4(bracketed ?? beforePort ?? quoted ?? '')
}

const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Whether a text can be the host of a URL, with an optional port. */
export const isValidHost = (text: string) => HOST.test(text) && URL.canParse(`http://${text}`)

/** A proxy that sends no address of the client may send its scheme or host. */
const FORWARDED_HEADER = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

export const hasForwardedHeader = ({ headers }: IncomingMessage) =>
  Object.keys(headers).some((name) => FORWARDED_HEADER.test(name))

interface OriginOptions {
  readonly publicUrl: string
  readonly trustProxy: readonly string[]
  /** Called with the address of each such proxy that is found. */
  readonly onUntrustedProxy?: ((address: string) => void) | undefined
}

/** Clients forge forwarded headers: they count only if the connection comes from an address in TRUST_PROXY. */
export function createOrigin({ publicUrl, trustProxy, onUntrustedProxy }: OriginOptions) {
  const hasProxies = trustProxy.length > 0
  const isTrusted = createAddressMatcher(trustProxy)

  // Nearly all requests name the same host.
  let last = { host: '', isSecure: false, baseUrl: '' }

  function readSender(request: IncomingMessage): Sender {
    const peer = readPeer(request)
    if (!hasProxies || !isTrusted(peer.address)) return peer
    let client = peer.address
    // From right to left: each trusted proxy has appended the address of its client. A client can forge everything
    // further left.
    const addresses = String(request.headers['x-forwarded-for'] ?? '').split(',')
    while (addresses.length > 0 && isTrusted(client)) {
      const address = parseForwardedAddress(addresses.pop()?.trim() ?? '')
      if (isIP(address) === 0) break
      client = address
    }
    return { address: client, clientAddress: toClientAddress(client) }
  }

  /** A client in a private network that forwards requests of others. A client that forges this only avoids bans. */
  function isUntrustedProxy(request: IncomingMessage, client: string): boolean {
    const [first = ''] = String(request.headers['x-forwarded-for'] ?? '').split(',')
    const isForwarding =
      client === readPeerAddress(request) ? hasForwardedHeader(request) : client !== parseForwardedAddress(first.trim())
    if (!isForwarding || isTrusted(client) || !isInProxyNetwork(client)) return false
    onUntrustedProxy?.(client)
    return true
  }

  const isForwarded = (request: IncomingMessage) => hasProxies && isTrusted(readPeerAddress(request))
  const readFirst = (request: IncomingMessage, name: string) =>
    String(request.headers[name] ?? '')
      .split(',', 1)[0]
      ?.trim()

  function readBaseUrl(request: IncomingMessage): string {
    if (publicUrl !== '') return publicUrl
    // Only a proxy can have received the request over HTTPS.
    const isSecure = isForwarded(request) && readFirst(request, 'x-forwarded-proto') === 'https'
    const host = (isForwarded(request) && readFirst(request, 'x-forwarded-host')) || request.headers.host || ''
    if (host !== '' && host === last.host && isSecure === last.isSecure) return last.baseUrl
    const scheme = isSecure ? 'https' : 'http'
    // A text that cannot be the host of a URL is not echoed. The address of this machine is not revealed either.
    if (!isValidHost(host)) return `${scheme}://${request.headers.host || 'localhost'}`
    last = { host, isSecure, baseUrl: `${scheme}://${host}` }
    return last.baseUrl
  }

  return { hasPublicUrl: publicUrl !== '', readSender, readBaseUrl, isUntrustedProxy }
}
