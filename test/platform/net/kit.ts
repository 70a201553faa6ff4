import { createFetcher, FetchError, type FetcherOptions, type FetchFailure } from '../../../src/platform/net/index.ts'
import type { Source } from '../../kit/source.ts'

/** A fetcher that may reach these sources on loopback, with limits that a test can wait for. */
export const fetcherFor = (sources: Source[], options: Partial<FetcherOptions> = {}) =>
  createFetcher({ allowHosts: sources.map(({ host }) => host), totalTimeoutMs: 10_000, maxBytes: 100_000, ...options })

export const signal = () => new AbortController().signal

/** A matcher for `assert.rejects` and `assert.throws`. */
export const failsWith =
  (reason: FetchFailure, details: Partial<FetchError['details']> = {}) =>
  (error: unknown) => {
    if (!(error instanceof FetchError)) throw error
    const found = { reason: error.reason, ...error.details }
    const expected = { reason, ...details }
    const isOther = Object.entries(expected).some(([name, value]) => found[name as keyof typeof found] !== value)
    if (isOther) throw new Error(`failed with ${JSON.stringify(found)}, not ${reason}`, { cause: error })
    return true
  }
