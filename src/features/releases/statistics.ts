import { isDeepStrictEqual } from 'node:util'
import { createSharedRun } from '../../platform/concurrency/index.ts'
import { type Adoption, type DownloadSummary, type Downloads, listLastDays } from '../../platform/store/index.ts'
import { applications } from './release.ts'

const SUMMARY_DAYS = 30
/** The store is read at most once in this time, however many requests arrive. */
const CACHE_TTL_MS = 1000

export type Statistics = ReturnType<typeof createStatistics>

export const createStatistics = (store: { downloads: Downloads; adoption: Adoption }) => ({
  downloads: cacheSummary(async () => addMissingApplications(await store.downloads.summary(SUMMARY_DAYS))),
  adoption: cacheSummary(() => summarizeAdoption(store.adoption)),
})

function cacheSummary<Summary>(readStore: () => Promise<Summary>) {
  let cached: Summary | undefined
  let revision = 0
  let readAt = Number.NEGATIVE_INFINITY

  const { run: readAgain } = createSharedRun(async () => {
    const summary = await readStore().catch((error) => {
      if (cached) return cached
      throw error
    })
    if (!isDeepStrictEqual(summary, cached)) {
      cached = summary
      revision++
    }
    readAt = performance.now()
    return summary
  })

  const readFresh = () => (performance.now() - readAt < CACHE_TTL_MS ? cached : undefined)

  const read = async (): Promise<Summary> => readFresh() ?? readAgain()

  return {
    /** Changes when the summary changes. */
    revision: () => revision,
    /** The last known summary while the store is unavailable. */
    read,
    /** Undefined if the store must be read. Costs less than `read`, because it returns no promise. */
    readFresh,
    /** Does not wait: returns the summary that was read last, and reads it again for the next call. */
    readLatest: () => {
      void read().catch(() => {})
      return cached
    },
  }
}

/** An application without downloads is listed with 0. */
function addMissingApplications(summary: DownloadSummary): DownloadSummary {
  const zeros = Object.fromEntries(applications.map((name) => [name, { total: 0, versions: {} }]))
  return { ...summary, applications: { ...zeros, ...summary.applications } }
}

export type AdoptionSummary = Awaited<ReturnType<typeof summarizeAdoption>>

/** The last days, oldest first. Versions are sorted, so that all nodes send the same reply. */
async function summarizeAdoption(adoption: Adoption) {
  const dates = listLastDays(Date.now(), SUMMARY_DAYS)
  const days = Map.groupBy(await adoption.days(dates[0] ?? ''), ({ day }) => day)
  return dates.map((date) => {
    const [{ installations, versions } = { installations: 0, versions: {} }] = days.get(date) ?? []
    const sorted = Object.entries<number>(versions).sort(([a], [b]) => (a < b ? -1 : 1))
    const checks = sorted.reduce((sum, [, count]) => sum + count, 0)
    return { date, checks, installations, versions: Object.fromEntries(sorted) }
  })
}
