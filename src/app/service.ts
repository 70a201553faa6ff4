// Composes settings -> services -> HTTP, and takes it all down again; nothing else.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { ROOT } from '../config/root.ts'
import { uptimeSince } from '../features/developer/index.ts'
import { filters } from '../features/filters/index.ts'
import { describeSelf } from '../http/api/about.ts'
import { createHistory } from '../http/api/operator/history/history.ts'
import { createLive } from '../http/api/operator/history/live.ts'
import { createAccessLog } from '../http/kernel/access-log.ts'
import { createApp } from '../http/kernel/app.ts'
import { createBanGate } from '../http/kernel/ban-gate.ts'
import { batchRequests } from '../http/kernel/batch-requests.ts'
import { limitConnections } from '../http/kernel/connections.ts'
import { type BucketLimits, createLimits } from '../http/kernel/limits.ts'
import { drain, ListenError, listen } from '../http/kernel/listen.ts'
import { createRequestMetrics } from '../http/kernel/request-metrics.ts'
import type { Route } from '../http/kernel/route.ts'
import { openLogging } from '../platform/logging/index.ts'
import { lasting, merge, momentary, type Snapshot, watchEventLoop } from '../platform/metrics/index.ts'
import { type ShutdownOptions, singleProcess, type WorkerContext } from '../platform/workers/index.ts'
import { publishGenerated } from './generated-files.ts'
import { logOptionsOf } from './log-options.ts'
import { createMeasures } from './metrics.ts'
import { createOverview } from './overview.ts'
import { ensureWritable, StartError } from './preconditions.ts'
import { watchProblems } from './problems.ts'
import { buildRoutes } from './routes.ts'
import { MAX_FRAMES, openServices } from './services.ts'
import { openTracing } from './tracing.ts'

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** After the grace takes no new connections, lets every request finish, saves what is unsaved. */
  stop(options?: ShutdownOptions): Promise<void>
  /** For a crash: saves what can be saved at once. */
  crash(error: unknown): void
}

export async function startService(
  config: Config,
  tellOperator?: (text: string) => void,
  worker: WorkerContext = singleProcess(),
): Promise<Service> {
  await ensureWritable(config.DATA_DIR)
  // Where the start fails, what was opened by then is closed, the last first: a thread that is left keeps the process.
  await using opened = new AsyncDisposableStack()
  const logging = openLogging({
    ...logOptionsOf(config),
    ...(tellOperator && { console: tellOperator }),
    ...(worker.log && { sink: worker.log, worker: worker.number }),
  })
  opened.defer(logging.close)
  const { log } = logging
  const eventLoop = watchEventLoop()
  opened.defer(eventLoop.close)
  const measures = createMeasures(eventLoop)
  opened.defer(measures.close)
  const tellProgress = (done: number, total: number) => tellOperator?.(`Reading pictures: ${done} of ${total}`)
  const watchers = { ...measures, ...(worker.isLeader && { onProgress: tellProgress }) }
  const services = await openServices(config, log, watchers, worker)
  opened.defer(services.close)
  const budgets = budgetsOf(config)
  const limits = createLimits(budgets, { leases: services.store.leases, onRefused: measures.onLimited })
  opened.defer(limits.close)
  const problems = watchProblems(services, logging, { eventLoop, limits })
  opened.defer(problems.close)
  const history = createHistory({
    node: worker.startedAt.getTime().toString(36),
    filters: filters.map(({ name }) => name),
    pipeline: services.images.status,
  })
  opened.defer(history.close)
  const live = createLive(history, worker)

  /** Of all processes of this node; what those counted that ended is in it. */
  const measured = async () =>
    merge((await Promise.all([worker.collect('metrics'), worker.collectCounters()])).flat() as Snapshot[])
  const uptime = uptimeSince(services.startedAt)
  const overview = createOverview({
    services,
    problems,
    limits,
    routes: () => routes,
    worker,
    measured,
    access: config.V5_ACCESS,
  })
  const reload = async () => {
    await Promise.all([services.releases.reload(), services.blocklist.reload()])
  }

  const self = describeSelf(() => routes, services.version.version, config.PUBLIC_URL)
  const routes: readonly Route[] = buildRoutes(
    { ...services, overview, reload, problems: problems.list, live },
    {
      appName: config.APP_NAME,
      access: config.V5_ACCESS,
      siteDir: join(ROOT, 'build', 'site'),
      described: self,
      metrics: {
        read: measured,
        allow: config.METRICS_ALLOW,
      },
      limits: { budgets, picture: pictureLimits(config) },
    },
  )
  const generated = await publishGenerated(services, self, log, { writes: worker.isLeader })
  opened.defer(generated.close)

  const requests = createRequestMetrics(routes)
  const tracing = await openTracing(config, routes, services.version.version, log)
  opened.defer(async () => tracing?.close())
  const observing = batchRequests([
    history.observe,
    requests.observe,
    ...(tracing ? [tracing.observe] : []),
    ...(logging.writeAccess ? [createAccessLog(logging.writeAccess)] : []),
  ])
  const snapshot = () => {
    observing.flush()
    return { ...measures.snapshot({ services, problems, uptime: () => uptime().uptime }), ...requests.snapshot() }
  }
  worker.provide('metrics', () => momentary(snapshot()))
  worker.provideCounters(() => lasting(snapshot()))
  const closing = { isClosing: false }
  const server = createApp({
    routes,
    closing,
    log,
    observe: observing.observe,
    publicUrl: config.PUBLIC_URL,
    trustProxy: config.TRUST_PROXY,
    limits,
    gate: createBanGate({
      ...services,
      operatorPath: `/api/v5/${config.APP_NAME}/operator`,
      onRefused: measures.onBanned,
    }),
    beginTrace: tracing?.begin,
    onEarlyError: measures.onEarlyError,
  })
  limitConnections(server, {
    perAddress: Math.ceil(config.CONNECTIONS_PER_ADDRESS / worker.workerCount),
    exempt: config.TRUST_PROXY,
  })
  const onError = (err: Error) => log.error({ err }, 'A connection could not be accepted')
  const url = await listen(server, config.HOST, config.PORT, onError).catch((error) => {
    throw error instanceof ListenError ? new StartError(error.message) : error
  })
  log.info({ version: services.version.version, node: services.version.node }, 'Listening')

  const running = opened.move()
  let stopped: Promise<void> | undefined
  const stop = async ({ graceMs, lingerMs }: ShutdownOptions) => {
    problems.stopping()
    closing.isClosing = true
    await sleep(graceMs)
    await drain(server, lingerMs)
    observing.flush()
    log.info({}, 'Stopped')
    await running.disposeAsync()
  }
  return {
    url,
    stop: (options = { graceMs: 0, lingerMs: 0 }) => {
      stopped ??= stop(options)
      return stopped
    },
    crash: (error) => {
      observing.flush()
      log.error({ err: error }, 'The service crashed')
      logging.flush()
    },
  }
}

/** None where the limits are off. */
function budgetsOf({ RATE_LIMIT, RATE_LIMIT_FILTERS, RATE_LIMIT_DOWNLOADS }: Config): Partial<BucketLimits> {
  if (RATE_LIMIT === 'off') return {}
  return {
    requests: RATE_LIMIT,
    ...(RATE_LIMIT_FILTERS !== 'off' && { filters: RATE_LIMIT_FILTERS }),
    ...(RATE_LIMIT_DOWNLOADS !== 'off' && { downloads: RATE_LIMIT_DOWNLOADS }),
  }
}

const pictureLimits = ({ FILTER_MAX_BYTES, FILTER_MAX_PIXELS, FILTER_TIMEOUT_MS }: Config) => ({
  bytes: FILTER_MAX_BYTES,
  pixels: FILTER_MAX_PIXELS,
  frames: MAX_FRAMES,
  milliseconds: FILTER_TIMEOUT_MS,
})
