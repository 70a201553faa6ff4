import type { SpanContext } from '@opentelemetry/api'

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NONE = /^0+$/
const SAMPLED = 1

/**
 * The caller's span, or undefined where the header is not one by W3C's rules. Its `tracestate` is not taken: that is free
 * text of a stranger.
 */
export function parentOf(traceparent: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true }
}
