import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import { ApiError, ImageUnreachable } from '../../errors/index.ts'
import { readBody } from './body.ts'
import type { Clock } from './clock.ts'
import { type Waste, watchWaste } from './protocol-overhead.ts'

export interface ExchangeLimits {
  /** Decoded bytes of the body. */
  maxBytes: number
  /** Bytes of the reply's headers. */
  maxHeaderBytes: number
  /** From the request to the end of the reply's headers. */
  firstByteTimeoutMs: number
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  /** Empty unless the status is 200 or 203: the rest is not read. */
  body: Buffer
}

export const isPicture = (status: number) => status === 200 || status === 203

/** One GET over this socket, which serves no other: a connection that was judged for one host never answers for another. */
export async function exchange(
  url: URL,
  socket: Socket,
  headers: Record<string, string>,
  limits: ExchangeLimits,
  clock: Clock,
): Promise<Reply> {
  const sockets = [socket]
  const client = new Client(url.origin, {
    connect: (_to, connected) => {
      const next = sockets.pop()
      // Not at once: undici takes no answer from inside its own call.
      queueMicrotask(() => (next ? connected(null, next) : connected(new Error('one connection a hop'), null)))
    },
    allowH2: false,
    pipelining: 0,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let status: number | null = null
  using waste = watchWaste(socket)
  try {
    const path = url.pathname + url.search
    const request = client.request({ method: 'GET', path, headers, signal: clock.signal })
    const reply = await clock.within(limits.firstByteTimeoutMs, request)
    status = reply.statusCode
    reply.body.on('error', () => {})
    const body = isPicture(status) ? await readBody(reply, limits.maxBytes, waste) : Buffer.alloc(0)
    return { status, headers: reply.headers, body }
  } catch (error) {
    clock.signal.throwIfAborted()
    if (error instanceof ApiError) throw error
    throw new ImageUnreachable(status, whyNot(error, waste))
  } finally {
    socket.destroy()
    client.destroy().catch(() => {})
  }
}

function whyNot(error: unknown, { isTooMuch }: Waste): string {
  if (isTooMuch) return 'sent more around it than in it'
  return error instanceof errors.HeadersOverflowError ? 'sent too many headers' : 'broke off its answer'
}
