import { createFetcher, type FetcherOptions } from '../../../src/platform/net/index.ts'
import type { Source } from '../../kit/source.ts'

/** A fetcher that may reach these sources on loopback, with limits that a test can wait for. */
export const fetcherFor = (sources: Source[], options: Partial<FetcherOptions> = {}) =>
  createFetcher({ allowHosts: sources.map(({ host }) => host), totalTimeoutMs: 10_000, maxBytes: 100_000, ...options })

export const signal = () => new AbortController().signal
