import { ApiError } from '../../src/errors.ts'
import { createFetcher, type FetcherOptions } from '../../src/net/index.ts'
import type { Source } from '../kit/source.ts'

/** A fetcher that may reach these sources on loopback, with limits that a test can wait for. */
export const fetcherFor = (sources: Source[], options: Partial<FetcherOptions> = {}) =>
  createFetcher({ allowHosts: sources.map(({ host }) => host), totalTimeoutMs: 2000, maxBytes: 100_000, ...options })

/** What a client would see of the error: a match for `assert.rejects`. */
export const seen =
  (code: string, facts: Record<string, unknown> = {}) =>
  (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    const told = { code: error.code, ...error.facts }
    const missing = Object.entries({ code, ...facts }).filter(([name, value]) => told[name as 'code'] !== value)
    if (missing.length > 0)
      throw new Error(`saw ${JSON.stringify(told)} (${error.message}), not ${code}`, { cause: error })
    return true
  }

export const signal = () => new AbortController().signal
