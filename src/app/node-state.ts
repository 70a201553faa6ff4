// The state of this node for the operator: the problems of all parts, and the overview.
import { createClockCheck, createUptimeClock } from '../features/developer/index.ts'
import { findExampleReleases } from '../features/releases/index.ts'
import { countTraffic } from '../http/api/operator/overview.ts'
import type { Limits } from '../http/kernel/limits.ts'
import type { Route } from '../http/kernel/route.ts'
import { createRecentProblem, type Logging, type ServiceProblem, shortenAddress } from '../platform/logging/index.ts'
import type { EventLoopMonitor, Sample, Snapshot } from '../platform/metrics/index.ts'
import { classifyAddress } from '../platform/net/index.ts'
import { type Health, isUnfinishedCopy } from '../platform/store/index.ts'
import type { WorkerContext } from '../platform/workers/index.ts'
import type { Services } from './open-services.ts'

const CHECK_INTERVAL_MS = 2000
/** By then clients, load balancers and store calls have timed out. */
const BLOCKED_SECONDS = 3

/** The values of `part`. */
export const problemParts = [
  'service',
  'event-loop',
  'network',
  'log',
  'data',
  'blocklist',
  'store',
  'limits',
  'downloads',
  'filters',
  'content',
  'releases',
  'notifications',
  'backup',
]

/** Replies are public, so the network is named instead of the address, as in the log. */
function describeUntrustedProxy(address: string): string {
  const isLocal = classifyAddress(address) === 'loopback'
  const where = isLocal ? 'on this machine' : `in ${shortenAddress(address)}`
  const value = isLocal ? 'loopback' : '<address of the proxy>'
  return (
    `a proxy ${where} forwards requests, but TRUST_PROXY does not name it: all clients share one limit, and attackers ` +
    `are not banned; set TRUST_PROXY=${value}`
  )
}

export type Problems = ReturnType<typeof watchProblems>

interface WatchedParts {
  /** Undefined in a worker: its primary has locked the folder and watches it. */
  readonly dataDir?: { problem(): string | undefined } | undefined
  readonly logging: Pick<Logging, 'problem' | 'log'>
  readonly eventLoop: Pick<EventLoopMonitor, 'lag'>
  readonly limits: Pick<Limits, 'status'>
  readonly worker: WorkerContext
}

export function watchProblems(services: Services, { dataDir, logging, eventLoop, limits, worker }: WatchedParts) {
  let health: Health | undefined
  let hasMissingData = false
  let otherStore: string | undefined
  let isStopping = false
  const untrustedProxy = createRecentProblem()
  const checkStore = async () => {
    health = await services.store.health()
    hasMissingData = await isUnfinishedCopy(services.store).catch(() => hasMissingData)
    const known = otherStore
    otherStore = await services.checkLastStore?.().catch(() => known)
    if (otherStore && !known) logging.log.error({}, otherStore)
  }
  const clock = createClockCheck(logging.log)
  let ofOtherWorkers: readonly ServiceProblem[] = []
  const readOtherWorkers = async () => {
    if (worker.workerCount === 1) return
    const [, ...others] = (await worker.collect('problems')) as ServiceProblem[][]
    // A worker that stops is no reason to send no requests to the others.
    ofOtherWorkers = others.flat().filter(({ fatal }) => !fatal)
  }

  const listOwn = (): ServiceProblem[] => {
    const { blocklist, content, counter, engine, generated, images, listUpdates, releases, sharedResults } = services
    const { waiting, loss, storeProblem, diskProblem, importProblem, damage } = counter.status()
    const storeMessage = health && !health.ok && health.message
    const blocked = eventLoop.lag().max
    const isLimitingAlone = Object.values(limits.status()).some((bucket) => bucket.isStoreUnavailable)
    const messages: [part: string, message: string | false | undefined][] = [
      ['event-loop', blocked >= BLOCKED_SECONDS && `the event loop was blocked for ${blocked.toFixed(1)} s`],
      ['network', untrustedProxy.message()],
      ['service', clock.problem()],
      ['log', logging.problem()],
      ['data', dataDir?.problem()],
      ['data', generated.problem()],
      ['data', services.lastGoodProblem()],
      ['content', services.contentDisk.problem()],
      ['blocklist', blocklist.problem()],
      ['blocklist', listUpdates?.problem()],
      ['store', storeMessage],
      ['store', health?.warning],
      ['store', health?.incident],
      ['store', hasMissingData && 'a restore or copy into the store was interrupted: data is missing; repeat it'],
      ['store', otherStore],
      ['store', services.backups?.storeProblem()],
      ['backup', services.backups?.problem()],
      ['limits', isLimitingAlone && 'Redis does not reply in time; this node applies its own limits'],
      ['downloads', storeProblem && waiting > 0 && `counts waiting for the store: ${waiting}`],
      [
        'downloads',
        diskProblem &&
          `DATA_DIR/counts cannot be written (${diskProblem}): each download waits for the store, and the ` +
            `${waiting} counts that the store has not confirmed are lost when the process ends`,
      ],
      ['downloads', importProblem && `counts wait in a file of DATA_DIR/counts that cannot be read (${importProblem})`],
      ['downloads', damage],
      ['downloads', loss],
      ['filters', images.status().allOverdue && 'all running jobs are overdue: they have run for more than a minute'],
      ['filters', engine.problem()],
      ['notifications', services.notifier?.problem()],
      ['filters', sharedResults?.problem()],
    ]
    return [
      ...(isStopping ? [{ part: 'service', message: 'the service is stopping', fatal: true }] : []),
      ...messages.flatMap(([part, message]) => (message ? [{ part, message }] : [])),
      ...(services.sync?.problems() ?? []).map((message) => ({ part: 'content', message })),
      ...content.problems().map((problem) => ({ part: 'content', ...problem })),
      ...releases.problems().map(({ file, ...problem }) => ({ part: 'releases', file: `app/${file}`, ...problem })),
    ]
  }
  worker.provide('problems', listOwn)
  const check = () => {
    if (worker.isLeader) clock.check()
    void Promise.all([checkStore(), readOtherWorkers()])
  }
  check()
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()

  return {
    store: () => health,
    /** From now on `/readyz` replies 503. */
    setStopping: () => {
      isStopping = true
    },
    /** Logs the first one. It stays a problem until an hour after the last request of any such proxy. */
    reportUntrustedProxy: (address: string) => {
      const known = untrustedProxy.message()
      const message = known ?? describeUntrustedProxy(address)
      if (!known) logging.log.warn({ setting: 'TRUST_PROXY' }, message)
      untrustedProxy.report(message)
    },
    close: () => clearInterval(timer),
    readOtherWorkers,
    /** The problems of this node: those of this worker as of now, and those that the others had at the last check. */
    list: () => uniqueProblems([...listOwn(), ...ofOtherWorkers]),
  }
}

const uniqueProblems = (problems: readonly ServiceProblem[]) => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
]

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

/**
 * Metrics, states and problems cover all workers. `sharedResults`, `limits`, `store`, `blocklists` and `content` are
 * those of the worker that replies.
 */
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
