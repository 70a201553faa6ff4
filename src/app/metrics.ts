// Connects the services to the metrics: the only place that knows both.
import { CHAIN, filterNames } from '../http/api/filters/endpoint.ts'
import { isFilterGroup } from '../http/api/operator/recent-activity.ts'
import type { RequestObserver } from '../http/kernel/observers.ts'
import type { Route } from '../http/kernel/route.ts'
import * as metrics from '../platform/metrics/index.ts'
import { type Problems, problemParts } from './node-state.ts'
import type { Services } from './open-services.ts'
import { readLastSegment } from './usage.ts'

interface MetricSources {
  readonly services: Services
  readonly problems: Problems
  /** Uptime in seconds. */
  readonly uptime: () => number
}

/** Counts events. Services and the HTTP kernel get its functions as callbacks and know nothing about metrics. */
export function createServiceMetrics(eventLoop: metrics.EventLoopMonitor) {
  const runtime = metrics.createRuntimeMetrics(eventLoop)
  const stages = metrics.createHistograms(metrics.definitions.stageSeconds)
  const failures = metrics.createTally()
  const earlyErrors = metrics.createTally()
  const storeCalls = metrics.createHistograms(metrics.definitions.storeSeconds)
  const storeErrors = metrics.createTally()
  const limited = metrics.createTally()
  let banned = 0

  return {
    onStage: stages.observeMs,
    onFailed: (code: string) => failures.add(code),
    onEarlyError: (code: string) => earlyErrors.add(code),
    onStoreCall: (operation: string, ms: number, failed: boolean) => {
      storeCalls.observeMs(operation, ms)
      if (failed) storeErrors.add(operation)
    },
    onLimited: (bucket: string) => limited.add(bucket),
    onBanned: () => void banned++,
    snapshot: (sources: MetricSources): metrics.Snapshot => ({
      ...runtime.snapshot(),
      ...readServices(sources),
      stageSeconds: stages.samples(),
      filterFailures: failures.samples(),
      earlyErrors: earlyErrors.samples(),
      storeSeconds: storeCalls.samples(),
      storeErrors: storeErrors.samples(),
      limitsRefused: limited.samples(),
      bansRefused: metrics.single(banned),
    }),
    close: runtime.close,
  }
}

function readServices({ services, problems, uptime }: MetricSources): metrics.Snapshot {
  const { version, content, blocklist, sync } = services
  const { running, waiting, overdue, caches } = services.images.status()
  const { fetches, imageProcesses } = services.pipeline()
  const bans = services.bans.status()
  const counter = services.counter.status()
  const store = problems.store()
  const found = problems.list()
  const categories = Object.entries(content.catalogue())
  const byCache = (read: (cache: { bytes: number; entries: number }) => number) =>
    metrics.byLabel(Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, read(cache)])))
  return {
    queueRunning: metrics.byLabel({
      filters: running,
      fetches: fetches.running,
      'image-processes': imageProcesses.running,
    }),
    queueWaiting: metrics.byLabel({
      filters: waiting,
      fetches: fetches.waiting,
      'image-processes': imageProcesses.queued,
    }),
    filterOverdue: metrics.single(overdue),
    cacheReads: readCacheReads(services),
    cacheBytes: byCache(({ bytes }) => bytes),
    cacheEntries: byCache(({ entries }) => entries),
    bansActive: metrics.single(bans.active),
    bansAdded: metrics.byLabel(bans.added),
    storeUp: store ? [[[store.driver], Number(store.ok)]] : [],
    downloadsCounted: metrics.single(counter.counted),
    contentSequence: sync ? metrics.single(sync.status().sequence ?? 0) : [],
    contentEdits: sync ? metrics.single(sync.status().edited.length) : [],
    downloadsWaiting: metrics.single(counter.waiting),
    downloadsLost: metrics.single(counter.lost),
    updateChecks: metrics.byLabel(services.adoption.totals()),
    updateInstallations: metrics.single(services.statistics.adoption.readLatest()?.at(-1)?.installations ?? 0),
    contentItems: categories.map(([category, kinds]) => [[category], kinds.reduce((sum, { count }) => sum + count, 0)]),
    contentKinds: categories.map(([category, kinds]) => [[category], kinds.length]),
    blocklistEntries: metrics.single(blocklist.infos().reduce((sum, { entries }) => sum + entries, 0)),
    problems: problemParts.map((part) => [[part], found.filter((problem) => problem.part === part).length]),
    notifications: services.notifier ? metrics.byLabel(services.notifier.status()) : [],
    uptime: metrics.single(uptime()),
    buildInfo: [[[version.version, version.node, version.commit ?? ''], 1]],
  }
}

export function readCacheReads({ images }: Services): metrics.Sample[] {
  const { replies, sourceReads } = images.status()
  const toSamples = (cache: string, outcomes: Readonly<Record<string, number>>) =>
    Object.entries(outcomes).map(([outcome, count]): metrics.Sample => [[cache, outcome], count])
  return [...toSamples('results', replies), ...toSamples('sources', sourceReads)]
}

/** Counts requests by filter, which is the last segment of the path. Unknown names are not counted. */
export function createFilterCounter(routes: readonly Route[]) {
  const isFilterRoute = routes.map(({ tag }) => isFilterGroup(tag))
  const counts = new Map([...filterNames, CHAIN].map((name) => [name, 0]))
  const observe: RequestObserver = ({ routeIndex, url }) => {
    if (!isFilterRoute[routeIndex]) return
    const name = readLastSegment(url)
    const count = counts.get(name)
    if (count !== undefined) counts.set(name, count + 1)
  }
  return { observe, samples: (): metrics.Sample[] => metrics.byLabel(Object.fromEntries(counts)) }
}

/** The gauges that the dashboard shows over time. */
export function createHistoryGauges({ images }: Services): () => Omit<metrics.SlotGauges, 'lag'> {
  const readProcess = metrics.createProcessGauges()
  return () => {
    const { running, waiting, caches } = images.status()
    const cacheBytes = Object.values(caches).reduce((sum, { bytes }) => sum + bytes, 0)
    return { running, waiting, cacheBytes, ...readProcess() }
  }
}
