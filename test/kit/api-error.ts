import { ApiError } from '../../src/errors/index.ts'

/** Matches an API error by code and details, for `assert.rejects` and `assert.throws`. */
export const matchApiError =
  (code: string, details: Record<string, unknown> = {}) =>
  (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const actual: Record<string, unknown> = { ...error.details, code: error.code }
    const isDifferent = Object.entries({ code, ...details }).some(([name, value]) => actual[name] !== value)
    if (isDifferent) throw new Error(`got ${JSON.stringify(actual)} (${error.message}), not ${code}`, { cause: error })
    return true
  }
