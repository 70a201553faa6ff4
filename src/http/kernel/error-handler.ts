import { ApiError, InternalError, MethodNotAllowed, TokenInvalid, TokenRequired } from '../../errors/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { cache, json, type Reply } from './replies.ts'

/** The one place where an error becomes a reply. What is not meant for the caller goes to the log only. */
export function buildErrorReply(error: unknown, requestId: string, log: Log): Reply {
  if (error instanceof ApiError) return replyOf(error, requestId)
  log.error({ err: error, requestId }, 'a request failed on a bug')
  return replyOf(new InternalError(), requestId)
}

function replyOf(error: ApiError, requestId: string): Reply {
  const { status, code, message, details } = error
  return json(
    { success: false, status, code, message, ...details, requestId },
    { status, cache: cache.none, headers: headersOf(error) },
  )
}

const NEEDS_TOKEN = [TokenRequired.code, TokenInvalid.code]

/** Details that also have an HTTP header. */
function headersOf(error: ApiError): string[] {
  const { allowed, retryAfter } = error.details
  const headers: string[] = []
  if (error instanceof MethodNotAllowed && Array.isArray(allowed)) headers.push('Allow', allowed.join(', '))
  if (NEEDS_TOKEN.includes(error.code)) headers.push('WWW-Authenticate', 'Bearer')
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter))
  return headers
}
