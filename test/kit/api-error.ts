import { ApiError } from '../../src/errors/index.ts'

/** Matches an API error by code and details, for `assert.rejects` and `assert.throws`. */
export const matchApiError =
  (code: string, details: Record<string, unknown> = {}) =>
  (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const told: Record<string, unknown> = { ...error.details, code: error.code }
    const wrong = Object.entries({ code, ...details }).some(([name, value]) => told[name] !== value)
    if (wrong) throw new Error(`saw ${JSON.stringify(told)} (${error.message}), not ${code}`, { cause: error })
    return true
  }
