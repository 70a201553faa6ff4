import { isDeepStrictEqual } from 'node:util'
import type { DownloadSummary, Downloads } from '../../platform/store/index.ts'
import { applications } from './applications.ts'

const DAYS = 30
/** However many ask, the store is asked once in so long. */
const FRESH_MS = 1000

export interface Statistics {
  /** The last known summary while the store is unavailable. */
  downloads(): Promise<DownloadSummary>
  /** Changes when the summary changes. */
  revision(): number
}

export function createStatistics(downloads: Downloads): Statistics {
  let known: DownloadSummary | undefined
  let revision = 0
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<DownloadSummary> | undefined

  const ask = async (): Promise<DownloadSummary> => {
    const summary = await downloads.summary(DAYS).then(withAll, (error) => {
      if (known) return known
      throw error
    })
    if (!isDeepStrictEqual(summary, known)) {
      known = summary
      revision++
    }
    askedAt = performance.now()
    return summary
  }

  return {
    revision: () => revision,
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
