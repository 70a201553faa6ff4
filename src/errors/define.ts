// The base classes of errors, and how an error that a client can see is defined.

/** A problem that the operator can solve. Commands print the message without a stack, and exit with code 1. */
export class OperatorError extends Error {}

/** The command line or another input of the operator is invalid. Exit code 2. */
export class UsageError extends OperatorError {}

/** A change failed. Unless the message says otherwise, nothing was published, and nothing was changed. */
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

interface Definition<Args extends unknown[]> {
  readonly summary: string
  /** Returns the message (what is wrong and how to fix it), or an object that also has the details of the reply. */
  readonly describe: (...args: Args) => string | Description
}

/** The arguments of `describe` in the API reference. */
type Example<Args extends unknown[]> = [] extends Args ? { readonly example?: Args } : { readonly example: Args }

export function defineError<Args extends unknown[]>(
  code: string,
  status: number,
  { summary, describe, example }: Definition<Args> & Example<NoInfer<Args>>,
): ErrorClass<Args> {
  const toMessageAndDetails = (...args: Args): [message: string, details: ErrorDetails] => {
    const description = describe(...args)
    if (typeof description === 'string') return [description, {}]
    const { message, ...details } = description
    return [message, details]
  }
  return class extends ApiError {
    static readonly code = code
    static readonly status = status
    static readonly summary = summary

    static buildExample() {
      return new ApiError(code, status, ...toMessageAndDetails(...((example ?? []) as Args)))
    }

    constructor(...args: Args) {
      super(code, status, ...toMessageAndDetails(...args))
    }
  }
}

/** Shortens text that the client sent before it is repeated in a message. */
export const quote = (text: string, maxCharacters = 64) => `"${text.slice(0, maxCharacters)}"`

export const useOneOf = (allowed: readonly string[]) => `Use one of: ${allowed.join(', ')}.`
