// What the services tell of themselves, as metrics: the one place that knows both.
import {
  byLabel,
  createHistograms,
  createTally,
  definitions,
  type EventLoopWatch,
  type Sample,
  type Snapshot,
  single,
  watchRuntime,
} from '../platform/metrics/index.ts'
import { type Problems, problemParts } from './problems.ts'
import type { Services } from './services.ts'

/** What is read from the services when somebody asks for the numbers. */
export interface Measured {
  readonly services: Services
  readonly problems: Problems
  /** Seconds. */
  readonly uptime: () => number
}

/** Counts what happens; services and edges are handed its functions and know nothing of metrics. */
export function createMeasures(eventLoop: EventLoopWatch) {
  const runtime = watchRuntime(eventLoop)
  const stages = createHistograms(definitions.stageSeconds)
  const refusals = createTally()
  const earlyErrors = createTally()
  const storeCalls = createHistograms(definitions.storeSeconds)
  const storeErrors = createTally()
  const limited = createTally()
  let banned = 0

  return {
    onStage: (stage: string, _startedAt: number, ms: number) => stages.of(stage).observe(ms / 1000),
    onRefused: (code: string) => refusals.add(code),
    onEarlyError: (code: string) => earlyErrors.add(code),
    onStoreCall: (operation: string, ms: number, failed: boolean) => {
      storeCalls.of(operation).observe(ms / 1000)
      if (failed) storeErrors.add(operation)
    },
    onLimited: (bucket: string) => limited.add(bucket),
    onBanned: () => void banned++,
    snapshot: (measured: Measured): Snapshot => ({
      ...runtime.snapshot(),
      ...roomNumbers(measured),
      stageSeconds: stages.samples(),
      filterRefusals: refusals.samples(),
      earlyErrors: earlyErrors.samples(),
      storeSeconds: storeCalls.samples(),
      storeErrors: storeErrors.samples(),
      limitsRefused: limited.samples(),
      bansRefused: single(banned),
    }),
    close: runtime.close,
  }
}

function roomNumbers({ services, problems, uptime }: Measured): Snapshot {
  const { version, content, blocklist } = services
  const { running, waiting, overdue, caches, replies, sourceReads } = services.images.status()
  const { fetches, threads } = services.pipeline()
  const bans = services.bans.status()
  const counter = services.counter.status()
  const store = problems.store()
  const categories = Object.entries(content.catalogue())
  const each = (read: (cache: { bytes: number; entries: number }) => number) =>
    byLabel(Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, read(cache)])))
  return {
    queueRunning: byLabel({ filters: running, fetches: fetches.running, threads: threads.running }),
    queueWaiting: byLabel({ filters: waiting, fetches: fetches.waiting, threads: threads.queued }),
    filterOverdue: single(overdue),
    cacheReads: [...readsOf('results', replies), ...readsOf('sources', sourceReads)],
    cacheBytes: each(({ bytes }) => bytes),
    cacheEntries: each(({ entries }) => entries),
    bansActive: single(bans.active),
    bansAdded: byLabel(bans.added),
    storeUp: store ? [[[store.driver], Number(store.ok)]] : [],
    downloadsCounted: single(counter.counted),
    downloadsWaiting: single(counter.waiting),
    downloadsLost: single(counter.lost),
    contentItems: categories.map(([category, kinds]) => [[category], kinds.reduce((sum, { count }) => sum + count, 0)]),
    contentKinds: categories.map(([category, kinds]) => [[category], kinds.length]),
    blocklistEntries: single(blocklist.info()?.entries ?? 0),
    problems: problemCounts(problems),
    uptime: single(uptime()),
    buildInfo: [[[version.version, version.node, version.commit ?? ''], 1]],
  }
}

const readsOf = (cache: string, outcomes: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(outcomes).map(([outcome, count]) => [[cache, outcome], count])

function problemCounts(problems: Problems): Sample[] {
  const found = problems.list()
  return problemParts.map((part) => [[part], found.filter((problem) => problem.part === part).length])
}
