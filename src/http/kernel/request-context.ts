import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '../../errors/index.ts'
import type { Origin } from './origin.ts'
import { formatHeaders } from './replies.ts'
import type { Trace } from './tracing.ts'

const EMPTY: Readonly<Record<string, never>> = Object.freeze({})

/** A request that is being handled: everything a handler can read about it. */
export class RequestContext<Params = unknown, Query = unknown> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly startedAt: number
  private readonly origin: Origin
  /** Undefined until the router has found a route. */
  route: { readonly path: string; readonly tag: string } | undefined
  /** Position in the list of routes; -1 for an unknown path. */
  routeIndex = -1
  params = EMPTY as Params
  query = EMPTY as Query
  /** Header lines for the reply, whether it is a success or an error. */
  headerText = ''
  /** The reply closes the connection. */
  closesConnection = false
  /** An error to reply with, after bans and rate limits are checked. */
  rejection: ApiError | undefined
  /** An extra field for the access log; nothing private. */
  logNote: string | undefined
  /** Undefined if tracing is off. */
  trace: Trace | undefined
  // Not #private: a context is created for each request, and #private fields take longer to create.
  private cachedClient: string | undefined
  private cachedBaseUrl: string | undefined
  private cachedSignal: AbortSignal | undefined

  constructor(request: IncomingMessage, response: ServerResponse, id: string, startedAt: number, origin: Origin) {
    this.request = request
    this.response = response
    this.id = id
    this.startedAt = startedAt
    this.origin = origin
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  /** Flat: name, value, name, value … */
  addHeaders(...headers: string[]): void {
    this.headerText += formatHeaders(headers)
  }

  /** The address of the client; forwarded addresses count only from trusted proxies. */
  get client(): string {
    this.cachedClient ??= this.origin.readClient(this.request)
    return this.cachedClient
  }

  /** The start of absolute URLs in replies. */
  get baseUrl(): string {
    this.cachedBaseUrl ??= this.origin.readBaseUrl(this.request)
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

  /** Aborted when the client disconnects before the reply is sent. */
  get signal(): AbortSignal {
    if (this.cachedSignal) return this.cachedSignal
    const controller = new AbortController()
    this.response.once('close', () => {
      if (!this.response.writableFinished) controller.abort()
    })
    this.cachedSignal = controller.signal
    return this.cachedSignal
  }
}
