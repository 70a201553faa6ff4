// The state of the node for the operator: all processes together.
import { createUptimeClock } from '../features/developer/index.ts'
import type { Images } from '../features/images/index.ts'
import { countTraffic } from '../http/api/operator/overview.ts'
import type { Limits } from '../http/kernel/limits.ts'
import type { Route } from '../http/kernel/route.ts'
import type { Sample, Snapshot } from '../platform/metrics/index.ts'
import type { CounterStatus } from '../platform/store/index.ts'
import type { WorkerContext } from '../platform/workers/index.ts'
import type { Problems } from './problems.ts'
import type { Services } from './services.ts'

export interface OverviewOptions {
  readonly services: Services
  readonly problems: Problems
  readonly limits: Limits
  readonly routes: () => readonly Route[]
  readonly worker: WorkerContext
  /** The metrics of all processes of this node. */
  readonly readMetrics: () => Promise<Snapshot>
  readonly access: 'open' | 'registered'
}

/** The state of one process. */
interface ProcessState {
  readonly counter: CounterStatus
  readonly pipeline: ReturnType<Images['status']>
}

export function createOverview({ services, problems, limits, routes, worker, readMetrics, access }: OverviewOptions) {
  const uptime = createUptimeClock(services.startedAt)
  const readState = (): ProcessState => ({ counter: services.counter.status(), pipeline: services.images.status() })
  worker.provide('state', readState)
  return async () => {
    const [metrics, states] = await Promise.all([readMetrics(), worker.collect('state') as Promise<ProcessState[]>])
    return {
      version: services.version,
      ...uptime(),
      traffic: countTraffic(metrics.requests ?? [], routes()),
      downloads: await services.statistics.downloads().catch(() => null),
      counter: mergeCounters(states, metrics),
      pipeline: mergePipelines(states, metrics),
      sharedPictures: services.sharedResults?.status() ?? null,
      limits: limits.status(),
      store: problems.store() ?? null,
      blocklist: services.blocklist.info() ?? null,
      access,
      content: services.content.catalogue(),
      problems: problems.list(),
    }
  }
}

// Counts since the start come from the metrics, which include exited processes. The rest is the state of running ones.

const mergeCounters = (
  states: readonly ProcessState[],
  { downloadsCounted, downloadsLost }: Snapshot,
): CounterStatus => {
  const all = states.map(({ counter }) => counter)
  return {
    counted: sum(downloadsCounted, ([, count]) => Number(count)),
    waiting: sum(all, ({ waiting }) => waiting),
    lost: sum(downloadsLost, ([, count]) => Number(count)),
    trouble: all.find(({ trouble }) => trouble)?.trouble,
    diskTrouble: all.find(({ diskTrouble }) => diskTrouble)?.diskTrouble,
  }
}

const mergePipelines = (states: readonly ProcessState[], { cacheReads = [] }: Snapshot) => {
  const all = states.map(({ pipeline }) => pipeline)
  const cache = (name: keyof ProcessState['pipeline']['caches']) => ({
    entries: sum(all, ({ caches }) => caches[name].entries),
    bytes: sum(all, ({ caches }) => caches[name].bytes),
  })
  return {
    running: sum(all, ({ running }) => running),
    waiting: sum(all, ({ waiting }) => waiting),
    overdue: sum(all, ({ overdue }) => overdue),
    stuck: all.some(({ stuck }) => stuck),
    caches: { sources: cache('sources'), records: cache('records'), results: cache('results') },
    replies: countReads('results', cacheReads),
    sourceReads: countReads('sources', cacheReads),
  }
}

const countReads = (cache: string, reads: readonly Sample[]) =>
  Object.fromEntries(
    reads.filter(([[name]]) => name === cache).map(([[, outcome = ''], count]) => [outcome, Number(count)]),
  )

const sum = <T>(list: readonly T[] = [], read: (one: T) => number) => list.reduce((total, one) => total + read(one), 0)
