// Writes the generated files at the start, and again when their content changes.
import type { ApiDescription } from '../http/api/api-description.ts'
import type { Log } from '../platform/logging/index.ts'
import type { Services } from './open-services.ts'

const STATISTICS_INTERVAL_MS = 60_000
const CHECK_INTERVAL_MS = 2000

/** If several processes share a folder, only one of them writes. The others only refresh their descriptions. */
export async function publishGeneratedFiles(
  services: Services,
  apiDescription: ApiDescription,
  log: Log,
  { isWriter }: { isWriter: boolean },
) {
  const { generated, content, statistics } = services
  let lastWrite = Promise.resolve()
  let loggedProblem: string | undefined

  /** One write at a time, so that the newest content is written last. */
  const enqueue = (write: () => Promise<unknown>) => {
    if (!isWriter) return lastWrite
    lastWrite = lastWrite.then(write).then(
      () => {},
      (error) => {
        const problem = generated.problem()
        if (problem === undefined || problem !== loggedProblem)
          log.warn({ err: error }, 'a generated file could not be written')
        loggedProblem = problem
      },
    )
    return lastWrite
  }
  const writeDescriptions = () => {
    apiDescription.refresh()
    return enqueue(() =>
      Promise.all([
        generated.put('openapi.json', apiDescription.document()),
        generated.put('endpoints.json', apiDescription.endpoints()),
        generated.put('errors.json', apiDescription.errors()),
        generated.put('catalogue.json', content.catalogue()),
      ]),
    )
  }
  const writeStatistics = () =>
    enqueue(async () => generated.put('statistics/downloads.json', await statistics.downloads.read()))

  const repairFiles = () =>
    enqueue(async () => {
      const isDamaged = await generated.detectDamage()
      if (!isDamaged && !generated.hasFailed()) return
      if (!generated.hasFailed()) log.warn({}, generated.problem() ?? '')
      void writeDescriptions()
      void writeStatistics()
    })

  await writeDescriptions()
  void writeStatistics()
  const unsubscribe = content.onChange(() => void writeDescriptions())
  const timers = [setInterval(writeStatistics, STATISTICS_INTERVAL_MS), setInterval(repairFiles, CHECK_INTERVAL_MS)]
  for (const timer of timers) timer.unref()
  return {
    close: async () => {
      unsubscribe()
      timers.forEach(clearInterval)
      await lastWrite
    },
  }
}
