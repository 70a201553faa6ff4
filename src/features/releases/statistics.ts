import { isDeepStrictEqual } from 'node:util'
import type { DownloadSummary, Downloads } from '../../platform/store/index.ts'
import { applications } from './release.ts'

const SUMMARY_DAYS = 30
/** The store is read at most once in this time, however many requests arrive. */
const CACHE_TTL_MS = 1000

export type Statistics = ReturnType<typeof createStatistics>

export function createStatistics(downloads: Downloads) {
  let cached: DownloadSummary | undefined
  let revision = 0
  let readAt = Number.NEGATIVE_INFINITY
  let pending: Promise<DownloadSummary> | undefined

  const read = async (): Promise<DownloadSummary> => {
    const summary = await downloads.summary(SUMMARY_DAYS).then(addMissingApplications, (error) => {
      if (cached) return cached
      throw error
    })
    if (!isDeepStrictEqual(summary, cached)) {
      cached = summary
      revision++
    }
    readAt = performance.now()
    return summary
  }

  return {
    /** Changes when the summary changes. */
    revision: () => revision,
    /** The last known summary while the store is unavailable. */
    downloads: async () => {
      if (cached && performance.now() - readAt < CACHE_TTL_MS) return cached
      pending ??= read().finally(() => {
        pending = undefined
      })
      return pending
    },
  }
}

/** An application without downloads is listed with 0. */
function addMissingApplications(summary: DownloadSummary): DownloadSummary {
  const zeros = Object.fromEntries(applications.map((name) => [name, { total: 0, versions: {} }]))
  return { ...summary, applications: { ...zeros, ...summary.applications } }
}
