import type { Open, ServiceErrorCode } from './api.ts'

/** Failures without a reply of the service. */
export type ClientErrorCode =
  /** No connection, or it broke. Browsers report blocked requests in the same way. */
  | 'NO_ANSWER'
  /** No complete reply within `timeoutMs`. */
  | 'NO_ANSWER_IN_TIME'
  /** The reply is not from a Menagerie service, or it is incomplete. */
  | 'UNEXPECTED_REPLY'

/** Open, because a newer service may have codes that this client does not know. */
export type ErrorCode = Open<ServiceErrorCode | ClientErrorCode>

export interface ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** The error of every failed call. Only an aborted call rejects with the reason of its signal instead. */
export class MenagerieError extends Error {
  override readonly name = 'MenagerieError'
  /** Stable: compare this, not the message. */
  readonly code: ErrorCode
  /** The HTTP status, or 0 without a reply. */
  readonly status: number
  /** Further fields of the error: `allowed`, `min`, `max`, `parameter`, `suggestion` … */
  readonly details: Readonly<Record<string, unknown>>
  /** Quote it when you contact the operator. */
  readonly requestId: string | undefined
  /** Seconds to wait before retrying. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, status: number, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = status
    this.details = options.details ?? {}
    this.requestId = options.requestId
    this.retryAfter = options.retryAfter
  }
}
