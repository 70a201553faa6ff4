import type { Open, ServiceErrorCode } from './api.ts'

/** What goes wrong before the service could answer, or where something else answered in its place. */
export type ClientErrorCode =
  /** No reply: no connection, or one that broke off. A browser says the same of a request that it refuses. */
  | 'NO_ANSWER'
  /** No whole reply within `timeoutMs`. */
  | 'NO_ANSWER_IN_TIME'
  /** A reply that is not one of the service: another server's page, or half a text. */
  | 'UNEXPECTED_REPLY'

/** A newer service may know codes that this client does not. */
export type ErrorCode = Open<ServiceErrorCode | ClientErrorCode>

export interface ErrorDetails {
  readonly facts?: Readonly<Record<string, unknown>>
  readonly requestId?: string | undefined
  /** Seconds after which the service asks to try again. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** Every failure, except that an aborted call rejects with the reason of its signal. */
export class MenagerieError extends Error {
  override readonly name = 'MenagerieError'
  /** Stays as it is for ever; compare with this. */
  readonly code: ErrorCode
  /** Of HTTP; 0 where there was no reply. */
  readonly status: number
  /** What helps: `allowed`, `min`, `max`, `parameter`, `suggestion` … */
  readonly facts: Readonly<Record<string, unknown>>
  /** Name it when you ask the operator. */
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, status: number, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = status
    this.facts = details.facts ?? {}
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
  }
}
