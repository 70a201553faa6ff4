// The time that connections may be idle, and that replies may take.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Busy } from '../../errors/index.ts'
import { withTimeout } from '../../platform/concurrency/index.ts'
import type { Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

/**
 * A connection is closed after this time without a byte. It is longer than any request takes, and longer than a load
 * balancer keeps an idle connection: the load balancer must close it first.
 */
export const IDLE_TIMEOUT_MS = 120_000
/** More than a filter may take, and less than proxies wait: nginx takes a node that does not reply for failed. */
export const REPLY_TIMEOUT_MS = 105_000
const RETRY_AFTER_S = 10

/** Replies with BUSY if the handler takes too long. Operators may wait longer, and files may take longer to arrive. */
export function handleInTime(ctx: RequestContext, route: Route, timeoutMs = REPLY_TIMEOUT_MS): Reply | Promise<Reply> {
  const reply = route.handle(ctx)
  if (!(reply instanceof Promise) || route.operatorScope || route.receivesFile) return reply
  return withTimeout<Reply>(timeoutMs - (performance.now() - ctx.startedAt), reply, () => {
    ctx.abort()
    throw new Busy(RETRY_AFTER_S)
  })
}

/**
 * Closes connections that are idle for `idleMs` to 1.5 × `idleMs`. `server.timeout` would restart a timer at each read and
 * write, which takes 3 % of the time of a small reply. Here a connection gets one after at least half of `idleMs`.
 */
export function limitIdleTime(server: Server, idleMs = IDLE_TIMEOUT_MS): void {
  const bytesBefore = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    bytesBefore.set(socket, 0)
    socket.once('close', () => bytesBefore.delete(socket))
  })
  const checking = setInterval(() => {
    for (const [socket, before] of bytesBefore) {
      const bytes = socket.bytesRead + socket.bytesWritten
      if (bytes !== before) socket.setTimeout(0)
      else if (!socket.timeout) socket.setTimeout(idleMs / 2)
      bytesBefore.set(socket, bytes)
    }
  }, idleMs / 2).unref()
  server.once('close', () => clearInterval(checking))
}
