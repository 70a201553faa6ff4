import { isDeepStrictEqual } from 'node:util'
import type { DownloadSummary, Downloads } from '../../platform/store/index.ts'
import { applications } from './applications.ts'

const DAYS = 30
/** However many ask, the store is asked once in so long. */
const FRESH_MS = 1000

export interface Statistics {
  /** The same object as long as nothing changed; the last known one while the store is away. */
  downloads(): Promise<DownloadSummary>
}

export function createStatistics(downloads: Downloads): Statistics {
  let known: DownloadSummary | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<DownloadSummary> | undefined

  const ask = async (): Promise<DownloadSummary> => {
    const summary = await downloads.summary(DAYS).then(withAll, (error) => {
      if (known) return known
      throw error
    })
    if (!known || !isDeepStrictEqual(summary, known)) known = summary
    askedAt = performance.now()
    return known
  }

  return {
    downloads: async () => {
      if (known && performance.now() - askedAt < FRESH_MS) return known
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

/** An application that nobody downloaded yet is there with 0. */
function withAll(summary: DownloadSummary): DownloadSummary {
  const none = Object.fromEntries(applications.map((name) => [name, { total: 0, versions: {} }]))
  return { ...summary, applications: { ...none, ...summary.applications } }
}
