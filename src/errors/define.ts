// The base classes of errors, and how an error that a client can see is defined.

/** A problem that the operator can solve. Commands print the message without a stack, and exit with code 1. */
export class OperatorError extends Error {}

/** The command line or another input of the operator is invalid. Exit code 2. */
export class UsageError extends OperatorError {}

/** Nothing was published, and nothing was changed. */
export class PublishError extends OperatorError {}

/** The entry to change is not published. */
export class UnknownEntryError extends PublishError {}

/** Extra fields of an error reply, such as `allowed` or `retryAfter`. */
export type ErrorDetails = Record<string, unknown>

export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly details: ErrorDetails

  constructor(code: string, status: number, message: string, details: ErrorDetails) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
  }
}

export interface ErrorClass<Args extends unknown[] = never> {
  new (...args: Args): ApiError
  readonly code: string
  readonly status: number
  readonly summary: string
  /** An error as the API reference shows it. */
  buildExample(): ApiError
}

type Description = { message: string } & ErrorDetails

/**
 * `describe` returns the message (what is wrong and how to fix it) and the details of the reply. `example`: its arguments
 * in the API reference.
 */
export function defineError<Args extends unknown[]>(
  code: string,
  status: number,
  summary: string,
  describe: (...args: Args) => Description,
  ...example: NoInfer<Args>
): ErrorClass<Args> {
  return class extends ApiError {
    static readonly code = code
    static readonly status = status
    static readonly summary = summary

    static buildExample() {
      const { message, ...details } = describe(...example)
      return new ApiError(code, status, message, details)
    }

    constructor(...args: Args) {
      const { message, ...details } = describe(...args)
      super(code, status, message, details)
    }
  }
}

/** Shortens text that the client sent before it is repeated in a message. */
export const quote = (text: string, maxCharacters = 64) => `"${text.slice(0, maxCharacters)}"`

export const useOneOf = (allowed: readonly string[]) => `Use one of: ${allowed.join(', ')}.`
