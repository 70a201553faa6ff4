import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { ApiError, ExpectationFailed, LoopDetected } from '../../errors/index.ts'
import { createThreadTurns } from '../../platform/concurrency/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { hasLoopMark, listNetworks } from '../../platform/net/index.ts'
import { createPipelineCounter, FLOOD_SIZE, lingerAfterReply, MAX_PIPELINED } from './connections.ts'
import { answerEarlyErrors, buildErrorReply, MAX_HEADER_BYTES, MAX_HEADERS, TinyChunks } from './error-replies.ts'
import { dropBody, type InternalsOptions, stopParsing, stopReading } from './http-internals.ts'
import { hasBody, isNavigation, watchChunks } from './input.ts'
import type { Limits } from './limits.ts'
import { beginTrace, type ObserveReply } from './observers.ts'
import { createPartReads } from './ranges.ts'
import { isStream, type Reply } from './replies.ts'
import { createReplyBudget, PendingReplies, type ReplyBudgetOptions, replyBudgetDefaults } from './reply-budget.ts'
import { createOrigin, RequestContext } from './request-context.ts'
import type { Route } from './route.ts'
import { createRouter, createTargetCheck, isPreflight } from './router.ts'
import { createRequestIds, createSend } from './send.ts'
import { handleInTime, limitIdleTime } from './timeouts.ts'

interface HttpServerOptions extends InternalsOptions {
  readonly routes: readonly Route[]
  readonly log: Log
  readonly observe: ObserveReply
  readonly publicUrl: string
  readonly trustProxy: readonly string[]
  readonly onUntrustedProxy?: (address: string) => void
  /** Rejects banned clients, before a request is routed. */
  readonly checkBan?: (ctx: RequestContext) => void
  /** Reports attacks. It takes longer than other checks, so requests above the rate limit do not reach it. */
  readonly checkAttack?: Route['admit']
  /** Runs before the 404 of a request without a route: a client without a token must not learn which operator paths exist. */
  readonly admitUnknown?: Route['admit']
  /** Bodies of refused requests are searched for attacks there, also that of a GET that waits and has no match yet. */
  readonly isOperatorPath?: (url: string) => boolean
  /** A page instead of the JSON of an error, for a browser that opens the URL. Undefined: the JSON. */
  readonly renderErrorPage?: ((ctx: RequestContext, error: ApiError) => Promise<Reply> | undefined) | undefined
  readonly limits?: Limits
  readonly isTraced?: boolean
  readonly replyBudget?: Partial<ReplyBudgetOptions>
  /** Called with the error code of each connection that is rejected before there is a request, or pipelines too many. */
  readonly onEarlyError?: (code: string) => void
  /** While it is closing, each reply closes its connection, so that clients connect to a server that stays. */
  readonly closing?: { readonly isClosing: boolean }
  readonly idleTimeoutMs?: number
  readonly replyTimeoutMs?: number
  readonly pending?: PendingReplies
}

// A slow client may hold a connection this long until its request has arrived.
const [HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS, CHECK_TIMEOUTS_INTERVAL_MS] = [10_000, 30_000, 1_000]

/** Checking one request per second is enough to notice a proxy that TRUST_PROXY does not name. */
const PROXY_CHECK_INTERVAL_MS = 1000

/** Builds the HTTP server of the routes. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { routes, log, observe, publicUrl, trustProxy, checkBan, limits, isTraced, onEarlyError, closing } = options
  const { pending = new PendingReplies() } = options
  const router = createRouter(routes)
  const origin = createOrigin({ publicUrl, trustProxy, onUntrustedProxy: options.onUntrustedProxy })
  const replyBudget = createReplyBudget({ ...replyBudgetDefaults, ...options.replyBudget })
  const send = createSend({
    strictTransport: publicUrl.startsWith('https:'),
    observe,
    replyBudget,
    useInternals: options.useInternals,
  })
  const checkTarget = createTargetCheck()
  const nextId = createRequestIds()
  const countPipelined = createPipelineCounter(replyBudget.maxBytes)
  const turns = createThreadTurns(listNetworks)
  const services = { origin, limits, replyBudget, turns, acquireReads: createPartReads() }
  const receivingFile = new WeakSet<Socket>()
  let upgradeRequest: IncomingMessage | undefined
  let nextProxyCheckAt = 0

  const answerInTurn = (ctx: RequestContext): Reply | Promise<Reply> =>
    turns.mustWait(ctx.startedAt) ? ctx.waitForTurn().then(() => answer(ctx)) : answer(ctx)

  /** The steps of every request, in this order. A step that need not wait returns no promise, which costs less. */
  const answer = (ctx: RequestContext): Reply | Promise<Reply> => {
    ctx.rejection = checkTarget(ctx.request) ?? ctx.rejection
    if (ctx.startedAt >= nextProxyCheckAt) {
      nextProxyCheckAt = ctx.startedAt + PROXY_CHECK_INTERVAL_MS
      // It reports the proxy, even if nobody attacks.
      ctx.isFromUntrustedProxy()
    }
    checkBan?.(ctx)
    if (!isPreflight(ctx.request)) ctx.match = router.find(ctx.request.method ?? '', ctx.url)
    const taking = limits?.take(ctx, ctx.match?.route.bucket ?? 'requests')
    return taking ? taking.then(() => inspect(ctx)) : inspect(ctx)
  }

  const inspect = (ctx: RequestContext): Reply | Promise<Reply> => {
    const checkingAttack = options.checkAttack?.(ctx)
    return checkingAttack ? checkingAttack.then(() => admit(ctx)) : admit(ctx)
  }

  const admit = (ctx: RequestContext): Reply | Promise<Reply> => {
    const { match, rejection } = ctx
    if (rejection) throw rejection
    if (isPreflight(ctx.request)) return router.buildPreflightReply(ctx.url)
    if (!match?.route.mayBeFetchedByFilters && hasLoopMark(ctx.request.headers)) throw new LoopDetected()
    if (match) ctx.params = match.params
    const admitting = match ? match.route.admit?.(ctx) : options.admitUnknown?.(ctx)
    return admitting ? admitting.then(() => handle(ctx)) : handle(ctx)
  }

  const handle = (ctx: RequestContext) => {
    const { match } = ctx
    if (!match) throw router.explainNotFound(ctx.request.method ?? '', ctx.url)
    ctx.query = match.readQuery()
    if (match.route.receivesFile) {
      const { socket } = ctx.request
      receivingFile.add(socket)
      ctx.request.once('close', () => receivingFile.delete(socket))
    }
    return handleInTime(ctx, match.route, options.replyTimeoutMs)
  }

  const fail = (ctx: RequestContext, error: unknown) => {
    if (ctx.response.headersSent) {
      log.error({ err: error, requestId: ctx.id }, 'sending a reply failed')
      ctx.response.destroy()
    } else if (!ctx.response.destroyed) {
      const page =
        error instanceof ApiError && isNavigation(ctx.request) ? options.renderErrorPage?.(ctx, error) : undefined
      if (!page) return sendError(ctx, error)
      pending.add(ctx.request, ctx.response)
      page.then((reply) => finish(ctx, reply)).catch((err) => sendError(ctx, err))
    }
  }

  const sendError = (ctx: RequestContext, error: unknown) => {
    try {
      finish(ctx, buildErrorReply(error, ctx.id, log))
    } catch (busy) {
      // There is no memory for an error with long details. BUSY is short enough to be sent always.
      finish(ctx, buildErrorReply(busy, ctx.id, log))
    }
  }

  const finish = (ctx: RequestContext, reply: Reply) => {
    if (closing?.isClosing) ctx.closesConnection = true
    dropUnreadBody(ctx, true)
    send(ctx, reply)
  }

  /**
   * Closes the connection after the reply: the next request follows only after the rest of the body. If that is not valid
   * HTTP, a 400 follows: a proxy must not take it for the reply to another request.
   */
  const dropUnreadBody = (ctx: RequestContext, isAnswered: boolean) => {
    const { request, response } = ctx
    if (!hasBody(request) || (request.complete && request.rawTrailers.length === 0)) return
    // After a trailer `Connection: close`, Node refuses the next request, which a proxy may send for another client.
    ctx.closesConnection = true
    // A request whose reader stopped before its end has no socket.
    const socket: Socket | null = request.socket ?? response.socket
    if (!socket || request.complete) return
    lingerAfterReply(socket)
    dropBody(socket, options)
    // Until then the service must read, to notice that the client disconnects.
    if (isAnswered) stopReading(socket, options)
  }

  const mayReadBody = ({ match, request, url }: RequestContext) =>
    (match?.route ?? request).method !== 'GET' || options.isOperatorPath?.(url)

  const rejectTinyChunks = (ctx: RequestContext, socket: Socket) => {
    dropUnreadBody(ctx, true)
    server.emit('clientError', new TinyChunks(), socket)
  }

  const finishOrFail = (ctx: RequestContext, reply: Reply) => {
    try {
      finish(ctx, reply)
    } catch (error) {
      fail(ctx, error)
    }
  }

  const serve = (request: IncomingMessage, response: ServerResponse, rejection?: ApiError) => {
    const isPipelined = response.socket === null
    const pipelined = isPipelined ? countPipelined(request, response) : 0
    if (pipelined > MAX_PIPELINED) {
      // The reply to request MAX_PIPELINED announced that the connection closes.
      if (pipelined === FLOOD_SIZE) request.socket.destroy()
      return
    }
    const ctx = new RequestContext(request, response, nextId(), performance.now(), services)
    if (isTraced) ctx.trace = beginTrace(request)
    if (rejection) ctx.rejection = rejection
    if (pipelined === MAX_PIPELINED) {
      onEarlyError?.('FLOOD')
      stopParsing(request.socket, options)
    }
    if (pipelined === MAX_PIPELINED || request === upgradeRequest) ctx.closesConnection = true
    upgradeRequest = undefined
    watchChunks(request, (socket) => rejectTinyChunks(ctx, socket))
    try {
      const reply = answerInTurn(ctx)
      if (isPipelined || reply instanceof Promise || isStream(reply)) pending.add(request, response)
      if (!(reply instanceof Promise)) return finishOrFail(ctx, reply)
      if (!mayReadBody(ctx)) dropUnreadBody(ctx, false)
      // One promise less than with `catch`.
      reply.then(
        (ready) => finishOrFail(ctx, ready),
        (error) => fail(ctx, error),
      )
    } catch (error) {
      if (isPipelined) pending.add(request, response)
      fail(ctx, error)
    }
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_INTERVAL_MS,
      // limitIdleTime closes idle connections. This would start and stop a timer for each request.
      keepAliveTimeout: 0,
      // A request without a body needs no stream.
      optimizeEmptyRequests: true,
      // Node would reject a request without Host with an empty body; checkTarget does it in JSON.
      requireHostHeader: false,
      // Node would use the first of two Host headers; checkTarget must see both.
      joinDuplicateHeaders: true,
      // Called right before a request with `Upgrade` is served. Node drops the requests that follow on the connection, so the
      // reply has to close it: the client would wait for replies to them.
      shouldUpgradeCallback: (request) => {
        upgradeRequest = request
        return false
      },
    },
    serve,
  )
  server.maxHeadersCount = MAX_HEADERS
  limitIdleTime(server, options.idleTimeoutMs)
  // Node would reply with an empty body. An Expect header must not bypass bans and limits.
  server.on('checkExpectation', (request, response) => serve(request, response, new ExpectationFailed()))
  answerEarlyErrors(server, { ...options, nextId, pending, receivingFile })
  return server
}
