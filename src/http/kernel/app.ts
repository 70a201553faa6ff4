import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type ApiError, ExpectationFailed } from '../../errors/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import type { BanGate } from './ban-gate.ts'
import type { BatchedObservers } from './batch-requests.ts'
import { checkTarget } from './check-target.ts'
import { createLines, FLOOD_SIZE, MAX_PIPELINED } from './connections.ts'
import { answerEarlyErrors, largest } from './early-errors.ts'
import { buildErrorReply } from './error-handler.ts'
import type { Limits } from './limits.ts'
import { createOrigin } from './origin.ts'
import { isPreflight, preflightReply } from './preflight.ts'
import type { Reply } from './replies.ts'
import { RequestContext } from './request-context.ts'
import { createRequestIds } from './request-ids.ts'
import type { Route } from './route.ts'
import { createRouter, type RouteMatch } from './router.ts'
import { createSend } from './send.ts'
import type { BeginTrace } from './tracing.ts'

export interface AppOptions {
  readonly routes: readonly Route[]
  readonly log: Log
  readonly observe: BatchedObservers['observe']
  readonly publicUrl: string
  readonly trustProxy: readonly string[]
  readonly gate?: BanGate
  readonly limits?: Limits
  readonly beginTrace?: BeginTrace | undefined
  /** Told of each connection that is refused before there is a request, by error code. */
  readonly onEarlyError?: (code: string) => void
  /** While it is closing, each reply is the last of its connection: callers then come back to a server that stays. */
  readonly closing?: { readonly isClosing: boolean }
}

// A slow caller holds a connection no longer than this until its request has arrived.
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const LOOK_FOR_SLOW_CALLERS_MS = 1_000
// Longer than the usual 60 s of a load balancer, which must be the one that closes.
const KEEP_ALIVE_MS = 65_000
// Nothing was read or written for so long: longer than any work takes, so the caller is gone or does not read.
const STALLED_MS = 120_000

/** The HTTP server over the route tables; it does not listen yet. */
export function createApp(options: AppOptions): Server {
  const { routes, log, observe, publicUrl, trustProxy, gate, limits, beginTrace, onEarlyError, closing } = options
  const router = createRouter(routes)
  const origin = createOrigin({ publicUrl, trustProxy })
  const send = createSend({ strictTransport: publicUrl.startsWith('https:'), keepAliveMs: KEEP_ALIVE_MS, observe })
  const nextId = createRequestIds()
  const placeInLine = createLines()
  let asksUpgrade: IncomingMessage | undefined

  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const ctx = new RequestContext(request, response, nextId(), performance.now(), origin)
    if (beginTrace) ctx.trace = beginTrace(request)
    return ctx
  }

  const fail = (ctx: RequestContext, error: unknown) => {
    if (ctx.response.headersSent) {
      log.error({ err: error, requestId: ctx.id }, 'a reply broke while it was sent')
      ctx.response.destroy()
    } else if (!ctx.response.destroyed) {
      // A body that nobody will read: rather close the connection than swallow it.
      if (hasBody(ctx.request)) ctx.closesConnection = true
      send(ctx, buildErrorReply(error, ctx.id, log))
    }
  }

  const handle = (match: RouteMatch, ctx: RequestContext) => {
    ctx.query = match.query
    return match.route.handle(ctx)
  }

  const answer = (ctx: RequestContext): Reply | Promise<Reply> => {
    checkTarget(ctx.request)
    const held = gate?.(ctx)
    return held ? held.then(() => find(ctx)) : find(ctx)
  }

  const find = (ctx: RequestContext): Reply | Promise<Reply> => {
    const { method = '', url = '' } = ctx.request
    if (isPreflight(ctx.request)) return preflightReply(router.listMethods(url))
    const match = router.find(method, url)
    const taking = limits?.take(ctx, match?.route.bucket ?? 'requests')
    return taking ? taking.then(() => admit(match, ctx)) : admit(match, ctx)
  }

  const admit = (match: RouteMatch | undefined, ctx: RequestContext): Reply | Promise<Reply> => {
    if (ctx.rejection) throw ctx.rejection
    if (!match) throw router.explainNotFound(ctx.request.method ?? '', ctx.request.url ?? '')
    ctx.route = match.route
    ctx.routeIndex = match.index
    ctx.params = match.params
    const admitted = match.route.admit?.(ctx)
    return admitted ? admitted.then(() => handle(match, ctx)) : handle(match, ctx)
  }

  const serve = (request: IncomingMessage, response: ServerResponse, refusal?: ApiError) => {
    const place = response.socket === null ? placeInLine(request.socket) : 0
    if (place > MAX_PIPELINED) {
      // The reply before said that it is the last.
      if (place !== FLOOD_SIZE) return
      request.socket.destroy()
      onEarlyError?.('FLOOD')
      return
    }
    const ctx = begin(request, response)
    if (refusal) ctx.rejection = refusal
    if (closing?.isClosing || place === MAX_PIPELINED || request === asksUpgrade) ctx.closesConnection = true
    asksUpgrade = undefined
    try {
      const reply = answer(ctx)
      if (reply instanceof Promise) {
        reply.then((ready) => send(ctx, ready)).catch((error) => fail(ctx, error))
      } else {
        send(ctx, reply)
      }
    } catch (error) {
      fail(ctx, error)
    }
  }

  const server = createServer(
    {
      maxHeaderSize: largest.headerBytes,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_FOR_SLOW_CALLERS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // A request without a body is no stream that has to be read to its end.
      optimizeEmptyRequests: true,
      // Node would refuse a request without Host with an empty body; checkTarget does it in JSON.
      requireHostHeader: false,
      // Instead of the first of two Host headers both are seen.
      joinDuplicateHeaders: true,
      // Asked right before such a request is served. Node drops what came with it: its caller would wait for more replies.
      shouldUpgradeCallback: (request) => {
        asksUpgrade = request
        return false
      },
    },
    serve,
  )
  server.timeout = STALLED_MS
  // Node would answer with an empty body. What the caller expects is no way around the line, the bans and the limits.
  server.on('checkExpectation', (request, response) => serve(request, response, new ExpectationFailed()))
  answerEarlyErrors(server, { log, nextId, onEarlyError })
  return server
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
