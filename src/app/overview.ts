// How the service is, on one screen of the operator.
import { uptimeSince } from '../features/developer/index.ts'
import type { Images } from '../features/images/index.ts'
import { countTraffic } from '../http/api/operator/overview.ts'
import type { Limits } from '../http/kernel/limits.ts'
import type { Route } from '../http/kernel/route.ts'
import type { Sample, Snapshot } from '../platform/metrics/index.ts'
import type { CounterStatus } from '../platform/store/index.ts'
import type { WorkerContext } from '../platform/workers/index.ts'
import type { Problems } from './problems.ts'
import type { Services } from './services.ts'

export interface Overseen {
  readonly services: Services
  readonly problems: Problems
  readonly limits: Limits
  readonly routes: () => readonly Route[]
  readonly worker: WorkerContext
  /** The numbers of all processes of this node. */
  readonly measured: () => Promise<Snapshot>
  readonly access: 'open' | 'registered'
}

/** How one process is. */
interface Condition {
  readonly counter: CounterStatus
  readonly pipeline: ReturnType<Images['status']>
}

export function createOverview({ services, problems, limits, routes, worker, measured, access }: Overseen) {
  const uptime = uptimeSince(services.startedAt)
  const condition = (): Condition => ({ counter: services.counter.status(), pipeline: services.images.status() })
  worker.provide('condition', condition)
  return async () => {
    const [numbers, conditions] = await Promise.all([measured(), worker.collect('condition') as Promise<Condition[]>])
    return {
      version: services.version,
      ...uptime(),
      traffic: countTraffic(numbers.requests ?? [], routes()),
      downloads: await services.statistics.downloads().catch(() => null),
      counter: counterOf(conditions, numbers),
      pipeline: pipelineOf(conditions, numbers),
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

// What was counted since the start is in the numbers, which outlive a process; what holds for the moment is asked for.

const counterOf = (conditions: readonly Condition[], { downloadsCounted, downloadsLost }: Snapshot): CounterStatus => {
  const all = conditions.map(({ counter }) => counter)
  return {
    counted: sum(downloadsCounted, ([, count]) => Number(count)),
    waiting: sum(all, ({ waiting }) => waiting),
    lost: sum(downloadsLost, ([, count]) => Number(count)),
    trouble: all.find(({ trouble }) => trouble)?.trouble,
    diskTrouble: all.find(({ diskTrouble }) => diskTrouble)?.diskTrouble,
  }
}

const pipelineOf = (conditions: readonly Condition[], { cacheReads = [] }: Snapshot) => {
  const all = conditions.map(({ pipeline }) => pipeline)
  const cache = (name: keyof Condition['pipeline']['caches']) => ({
    entries: sum(all, ({ caches }) => caches[name].entries),
    bytes: sum(all, ({ caches }) => caches[name].bytes),
  })
  return {
    running: sum(all, ({ running }) => running),
    waiting: sum(all, ({ waiting }) => waiting),
    overdue: sum(all, ({ overdue }) => overdue),
    stuck: all.some(({ stuck }) => stuck),
    caches: { sources: cache('sources'), records: cache('records'), results: cache('results') },
    replies: readsOf('results', cacheReads),
    sourceReads: readsOf('sources', cacheReads),
  }
}

const readsOf = (cache: string, reads: readonly Sample[]) =>
  Object.fromEntries(
    reads.filter(([[name]]) => name === cache).map(([[, outcome = ''], count]) => [outcome, Number(count)]),
  )

const sum = <T>(list: readonly T[] = [], read: (one: T) => number) => list.reduce((total, one) => total + read(one), 0)
