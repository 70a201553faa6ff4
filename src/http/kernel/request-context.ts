import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '../../errors/index.ts'
import { formatHeaders } from './head.ts'
import type { Origin } from './origin.ts'
import type { Trace } from './tracing.ts'

const EMPTY: Readonly<Record<string, never>> = Object.freeze({})

/** One request on its way to its reply: all that a handler may ask about it. */
export class RequestContext<Params = Record<string, string>, Query = Record<string, unknown>> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly startedAt: number
  private readonly origin: Origin
  /** Undefined until the router has found one. */
  route: { readonly path: string; readonly tag: string } | undefined
  /** The place of the route in the table; -1 where there is none. */
  routeIndex = -1
  params = EMPTY as Params
  query = EMPTY as Query
  /** Header lines of the reply, whatever it will be. */
  headerText = ''
  /** No further request is read from the connection. */
  closesConnection = false
  /** What the reply will be, once the request is let in and paid for. */
  rejection: ApiError | undefined
  /** A fact for the access log that the path does not tell; nothing private. */
  logNote: string | undefined
  /** Undefined where nothing is traced. */
  trace: Trace | undefined
  // Not hidden by #: a context is made for each request, and hidden fields take longer to make.
  private knownClient: string | undefined
  private knownBaseUrl: string | undefined
  private knownSignal: AbortSignal | undefined

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

  /** Name, value, name, value … */
  addHeaders(...headers: string[]): void {
    this.headerText += formatHeaders(headers)
  }

  /** The caller's address, through believed proxies only. */
  get client(): string {
    this.knownClient ??= this.origin.readClient(this.request)
    return this.knownClient
  }

  /** What absolute URLs of the reply start with. */
  get baseUrl(): string {
    this.knownBaseUrl ??= this.origin.readBaseUrl(this.request)
    return this.knownBaseUrl
  }

  /** Path and query, as the client sent them. */
  get url(): string {
    return this.request.url ?? ''
  }

  /** The whole URL: a cache key for what depends on host, path and query only. */
  get absoluteUrl(): string {
    return this.baseUrl + this.url
  }

  /** Aborted when the caller hangs up before the reply is out. */
  get signal(): AbortSignal {
    if (this.knownSignal) return this.knownSignal
    const controller = new AbortController()
    this.response.once('close', () => {
      if (!this.response.writableFinished) controller.abort()
    })
    this.knownSignal = controller.signal
    return this.knownSignal
  }
}
