import { ApiError } from '../../src/errors/index.ts'

/** What a client would see of the error: a match for `assert.rejects` and `assert.throws`. */
export const seen =
  (code: string, details: Record<string, unknown> = {}) =>
  (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const told: Record<string, unknown> = { ...error.details, code: error.code }
    const wrong = Object.entries({ code, ...details }).some(([name, value]) => told[name] !== value)
    if (wrong) throw new Error(`saw ${JSON.stringify(told)} (${error.message}), not ${code}`, { cause: error })
    return true
  }
