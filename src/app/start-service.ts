// Composes settings, services and HTTP into a running service. shutdown.ts stops it again.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { formatPublicProgramCall, ROOT } from '../config/root.ts'
import { createSignInLinks } from '../features/access/index.ts'
import { createUptimeClock } from '../features/developer/index.ts'
import { createApiDescription } from '../http/api/api-description.ts'
import {
  createAttackCheck,
  createBanCheck,
  createPrefixMatcher,
  createUnknownPathCheck,
} from '../http/api/ban-checks.ts'
import { createLive } from '../http/api/operator/recent-activity.ts'
import { listen, SYSTEMD_SOCKET } from '../http/kernel/connections.ts'
import { createTick } from '../http/kernel/http-internals.ts'
import { createHttpServer } from '../http/kernel/http-server.ts'
import { createLimits, limitConnections, readBucketLimits } from '../http/kernel/limits.ts'
import { batchRequests, createAccessLog, createRequestMetrics, createTraceObserver } from '../http/kernel/observers.ts'
import { PendingReplies } from '../http/kernel/reply-budget.ts'
import { openLogging, readLogOptions } from '../platform/logging/index.ts'
import type { Snapshot } from '../platform/metrics/index.ts'
import { createHistory, mergeSnapshots, monitorEventLoop, pickCounters, pickGauges } from '../platform/metrics/index.ts'
import { classifyAddress } from '../platform/net/index.ts'
import { openTraces } from '../platform/tracing/index.ts'
import { COUNTERS, type ShutdownOptions, singleProcess, type WorkerContext } from '../platform/workers/index.ts'
import { ensureDataDir, lockDataDir } from './data-dir.ts'
import { createFilterCounter, createHistoryGauges, createServiceMetrics, readCacheReads } from './metrics.ts'
import { createOverview, watchProblems } from './node-state.ts'
import { startNotifications } from './notifications.ts'
import { MAX_FRAMES, openServices } from './open-services.ts'
import { publishGeneratedFiles } from './publish-generated-files.ts'
import { buildRoutes } from './routes.ts'
import { createCloseLater, stopService } from './shutdown.ts'
import { createUsage } from './usage.ts'

export type Service = Awaited<ReturnType<typeof startService>>

/** `print` shows warnings and progress on the terminal. */
export async function startService(
  config: Config,
  print?: (text: string) => void,
  worker: WorkerContext = singleProcess(),
) {
  await ensureDataDir(config.DATA_DIR)
  // If the start fails, everything opened so far is closed in reverse order: an open thread would keep the process alive.
  await using opened = new AsyncDisposableStack()
  const closeLater = createCloseLater(opened)
  // Held until the service stops.
  opened.adopt(createTick(), () => {})
  // The primary has locked the folder for its workers.
  const dataDir = worker.workerCount === 1 ? closeLater(await lockDataDir(config.DATA_DIR)) : undefined

  const logging = closeLater(
    openLogging({
      ...readLogOptions(config),
      ...(print && { console: print }),
      ...(worker.log && { sink: worker.log, worker: worker.number }),
    }),
  )
  const { log } = logging
  const eventLoop = closeLater(monitorEventLoop())
  const metrics = closeLater(createServiceMetrics(eventLoop))

  const onProgress = (done: number, total: number) => print?.(`Reading pictures: ${done} of ${total}`)
  const watchers = { ...metrics, ...(worker.isLeader && { onProgress }) }
  const services = closeLater(await openServices(config, log, watchers, worker))
  const { version } = services.version
  const bucketLimits = readBucketLimits(config)
  const limitOptions = { leases: services.store.leases, onRefused: metrics.onLimited }
  const maxKeys = Math.min(MAX_LIMITED_CLIENTS, Math.ceil(services.memory.limit / 32 / LIMITED_CLIENT_BYTES))
  const limits = closeLater(createLimits(bucketLimits, { ...limitOptions, maxKeys }))
  const problems = closeLater(watchProblems(services, { dataDir, logging, eventLoop, limits, worker }))

  // The metrics of all workers of this node, including the counters of workers that have exited.
  const readMetrics = async () =>
    mergeSnapshots((await Promise.all([worker.collect('metrics'), worker.collect(COUNTERS)])).flat() as Snapshot[])
  const overview = createOverview({
    services,
    problems,
    limits,
    routes: () => routes,
    worker,
    readMetrics,
    access: config.V5_ACCESS,
  })
  const reloadFiles = async () => {
    await Promise.all([services.content, services.releases, services.blocklist].map((part) => part.reload()))
  }
  worker.provide('reload', reloadFiles)
  // `collect` does not wait long. The reply lists the problems, so at least the files of this worker must have been read.
  const reload = async () => {
    await Promise.all([reloadFiles(), worker.collect('reload')])
    await problems.readOtherWorkers()
  }
  const signInLinks = createSignInLinks(services.tokens)
  const apiDescription = createApiDescription(() => routes, {
    version,
    publicUrl: config.PUBLIC_URL,
    contact: config.SECURITY_CONTACT[0],
  })
  const { routes, renderErrorPage }: ReturnType<typeof buildRoutes> = buildRoutes(
    {
      ...services,
      signInLinks,
      overview,
      reload,
      problems: problems.list,
      live: (query) => live(query),
      readUsage: (query) => usage.read(query),
    },
    {
      appName: config.APP_NAME,
      access: config.V5_ACCESS,
      programCall: formatPublicProgramCall(ROOT, process.cwd()),
      siteDir: join(ROOT, 'build', 'site'),
      apiDescription,
      hasMcp: config.MCP === 'on',
      security: {
        contacts: config.SECURITY_CONTACT,
        languages: config.SECURITY_LANGUAGES,
        publicUrl: config.PUBLIC_URL,
      },
      metrics: { read: readMetrics, allow: config.METRICS_ALLOW, publicUrl: config.PUBLIC_URL },
      limits: {
        buckets: bucketLimits,
        image: {
          bytes: config.FILTER_MAX_BYTES,
          pixels: config.FILTER_MAX_PIXELS,
          frames: MAX_FRAMES,
          milliseconds: config.FILTER_TIMEOUT_MS,
          resultBytes: services.memory.engine.maxOutputBytes,
        },
      },
    },
  )

  const requestMetrics = createRequestMetrics(routes)
  const filterCounter = createFilterCounter(routes)
  const readCounters = () => ({ ...readRequestMetrics(), cacheReads: readCacheReads(services) })
  const usage = closeLater(createUsage({ services, routes, readCounters, worker, publicUrl: config.PUBLIC_URL, log }))
  const traces = await openTraces(config, { version, log })
  if (traces) closeLater(traces)
  const observers = batchRequests([
    requestMetrics.observe,
    filterCounter.observe,
    usage.observe,
    ...(traces ? [createTraceObserver(traces, routes)] : []),
    ...(logging.writeAccess ? [createAccessLog(logging.writeAccess, routes)] : []),
  ])
  const readRequestMetrics = () => {
    observers.flush()
    return { ...requestMetrics.snapshot(), filterRequests: filterCounter.samples() }
  }
  const uptime = createUptimeClock(services.startedAt)
  const readOwnMetrics = () => ({
    ...metrics.snapshot({ services, problems, uptime: () => uptime().uptime }),
    ...readRequestMetrics(),
  })
  worker.provide('metrics', () => pickGauges(readOwnMetrics()))
  worker.provide(COUNTERS, () => pickCounters(readOwnMetrics()))
  const history = closeLater(
    createHistory({
      readCounters,
      readGauges: createHistoryGauges(services),
      eventLoop,
      nameOutcome: usage.nameOutcome,
    }),
  )
  const live = createLive(history, worker, worker.startedAt.getTime().toString(36))
  closeLater(await publishGeneratedFiles(services, apiDescription, log, { isWriter: worker.isLeader }))

  const notifications = startNotifications(config, { services, problems, readMetrics })
  if (notifications) closeLater(notifications)

  const closing = { isClosing: false }
  const pending = new PendingReplies()
  const operatorPath = `/api/v5/${config.APP_NAME}/operator`
  const matchOperatorPath = createPrefixMatcher(operatorPath)
  const banOptions = { ...services, operatorPath, onRefused: metrics.onBanned }
  const server = createHttpServer({
    routes,
    closing,
    pending,
    log,
    observe: observers.observe,
    publicUrl: config.PUBLIC_URL,
    replyBudget: {
      maxBytes: services.memory.replyBytes,
      maxFiles: Math.ceil(services.openFilesLimit * FILES_SHARE),
    },
    trustProxy: config.TRUST_PROXY,
    limits,
    onUntrustedProxy: problems.reportUntrustedProxy,
    checkBan: createBanCheck(banOptions),
    checkAttack: createAttackCheck(banOptions),
    renderErrorPage,
    admitUnknown: createUnknownPathCheck(services, operatorPath),
    isOperatorPath: (url) => matchOperatorPath(url) !== undefined,
    isTraced: traces !== undefined,
    onEarlyError: metrics.onEarlyError,
  })
  limitConnections(server, {
    perAddress: Math.ceil(config.CONNECTIONS_PER_ADDRESS / worker.workerCount),
    total: Math.floor(
      Math.min(services.memory.limit / 8 / CONNECTION_BYTES, OPEN_FILES_SHARE * services.openFilesLimit),
    ),
    exempt: config.TRUST_PROXY,
    isPending: (socket) => pending.next(socket)?.request.complete || socket.writableLength > 0,
  })
  const onError = (err: Error) => log.error({ err }, 'a connection could not be accepted')
  const socket = config.LISTEN_FDS > 0 ? SYSTEMD_SOCKET : undefined
  const url = await listen(server, config.HOST, config.PORT, onError, socket)
  log.info({ version, node: services.version.node }, 'listening')

  const running = { problems, closing, server, observers, log, opened: opened.move() }
  let stopped: Promise<void> | undefined
  return {
    url,
    /** A link that signs in to the dashboard once. Undefined if other machines can connect. */
    createSignInUrl: () => (isLoopbackUrl(url) ? `${url}/operator#sign-in=${signInLinks.create()}` : undefined),
    stop: (options: ShutdownOptions = { graceMs: 0, lingerMs: 0 }) => {
      stopped ??= stopService(running, options)
      return stopped
    },
    /** Call it before the process exits because of a crash: logs the error and flushes the log. */
    crash: (error: unknown) => {
      observers.flush()
      log.error({ err: error }, 'the service crashed')
      logging.flush()
    },
  }
}

/** In all limits together, with the networks of an IPv6 client. */
const LIMITED_CLIENT_BYTES = 1000
const MAX_LIMITED_CLIENTS = 100_000

/** An idle connection takes 21 KB, one with headers that are not complete up to 44 KB. */
const CONNECTION_BYTES = 44 * 1024
/** The rest is for the sources of images (an eighth), files that are sent, and the store. */
const OPEN_FILES_SHARE = 3 / 4
const FILES_SHARE = 1 / 16

const isLoopbackUrl = (url: string) => classifyAddress(new URL(url).hostname.replace(/^\[|\]$/g, '')) === 'loopback'
