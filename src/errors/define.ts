// How an error that a client can see is defined.

export type Facts = Record<string, unknown>

/** What the one error handler turns into a reply. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly facts: Facts

  constructor(code: string, status: number, message: string, facts: Facts) {
    super(message)
    this.code = code
    this.status = status
    this.facts = facts
  }
}

export interface ErrorClass<Args extends unknown[] = never> {
  new (...args: Args): ApiError
  readonly code: string
  readonly status: number
  readonly summary: string
}

type Told = { message: string } & Facts

/** `tell` says what is wrong and what would be right; whatever else it returns are facts that the reply carries. */
export function defineError<Args extends unknown[]>(
  code: string,
  status: number,
  summary: string,
  tell: (...args: Args) => Told,
): ErrorClass<Args> {
  return class extends ApiError {
    static readonly code = code
    static readonly status = status
    static readonly summary = summary

    constructor(...args: Args) {
      const { message, ...facts } = tell(...args)
      super(code, status, message, facts)
    }
  }
}

export const oneOf = (allowed: readonly string[]) => `choose one of ${allowed.join(', ')}`
