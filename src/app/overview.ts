// The overview of this node for the operator. Metrics and states cover all workers; `sharedResults`, `limits`, `store`
// and `problems` are those of the worker that replies.
import { createUptimeClock } from '../features/developer/index.ts'
import { findExampleReleases } from '../features/releases/index.ts'
import { countTraffic } from '../http/api/operator/overview.ts'
import type { Limits } from '../http/kernel/limits.ts'
import type { Route } from '../http/kernel/route.ts'
import type { Sample, Snapshot } from '../platform/metrics/index.ts'
import type { WorkerContext } from '../platform/workers/index.ts'
import type { Services } from './open-services.ts'
import type { Problems } from './problems.ts'

interface OverviewOptions {
  readonly services: Services
  readonly problems: Problems
  readonly limits: Limits
  readonly routes: () => readonly Route[]
  readonly worker: WorkerContext
  /** The metrics of all workers of this node, including counts of workers that have exited. */
  readonly readMetrics: () => Promise<Snapshot>
  readonly access: 'open' | 'registered'
}

export function createOverview({ services, problems, limits, routes, worker, readMetrics, access }: OverviewOptions) {
  const uptime = createUptimeClock(services.startedAt)
  /** The state of this worker that its metrics do not contain. */
  const readState = () => {
    const { storeProblem, diskProblem } = services.counter.status()
    return { storeProblem, diskProblem }
  }
  worker.provide('state', readState)
  const collectStates = () => worker.collect('state') as Promise<ReturnType<typeof readState>[]>
  return async () => {
    const [metrics, states] = await Promise.all([readMetrics(), collectStates()])
    const readCache = (name: string) => ({
      entries: readValue(metrics.cacheEntries, name),
      bytes: readValue(metrics.cacheBytes, name),
    })
    return {
      version: services.version,
      ...uptime(),
      traffic: countTraffic(metrics.requests ?? [], routes()),
      downloads: await services.statistics.downloads.read().catch(() => null),
      adoption: await services.statistics.adoption.read().catch(() => null),
      counter: {
        counted: readValue(metrics.downloadsCounted),
        waiting: readValue(metrics.downloadsWaiting),
        lost: readValue(metrics.downloadsLost),
        storeProblem: states.find(({ storeProblem }) => storeProblem)?.storeProblem,
        diskProblem: states.find(({ diskProblem }) => diskProblem)?.diskProblem,
      },
      pipeline: {
        running: readValue(metrics.queueRunning, 'filters'),
        waiting: readValue(metrics.queueWaiting, 'filters'),
        overdue: readValue(metrics.filterOverdue),
        caches: { sources: readCache('sources'), records: readCache('records'), results: readCache('results') },
        replies: countReads('results', metrics.cacheReads),
        sourceReads: countReads('sources', metrics.cacheReads),
      },
      sharedResults: services.sharedResults?.status() ?? null,
      limits: limits.status(),
      store: problems.store() ?? null,
      blocklists: services.blocklist.infos(),
      access,
      isApplicationConfigured: isConfigured(services) || access === 'registered',
      content: services.content.catalogue(),
      problems: problems.list(),
      advice: listAdvice(services),
    }
  }
}

/** Whether there are releases other than the examples. */
function isConfigured({ releases }: Services): boolean {
  const all = releases.catalogue().releases
  const offered = Object.values(all)
    .flat()
    .filter(({ withdrawn }) => !withdrawn)
  return offered.length > findExampleReleases(all).length
}

/** What the operator should do. The service works without it, so `/readyz` does not report it as a problem. */
function listAdvice({ releases }: Services) {
  const examples = findExampleReleases(releases.catalogue().releases)
  if (examples.length === 0) return []
  const message = `Example releases are offered to clients: ${examples.join(', ')}. Replace them with your own.`
  return [{ part: 'releases', message, file: 'app/releases.yaml' }]
}

/** The value of the sample whose first label is `label`. Without `label`: the value of a metric that has no labels. */
const readValue = (samples: readonly Sample[] = [], label?: string) =>
  Number(samples.find(([labels]) => labels[0] === label)?.[1] ?? 0)

const countReads = (cache: string, reads: readonly Sample[] = []) =>
  Object.fromEntries(
    reads.filter(([[name]]) => name === cache).map(([[, outcome = ''], count]) => [outcome, Number(count)]),
  )
