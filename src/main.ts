// Composes settings -> rooms -> HTTP, and takes it all down again; nothing else.
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { describeUptime } from './developer/index.ts'
import { filters } from './filters/index.ts'
import { publishGenerated } from './generated.ts'
import { describeSelf } from './http/about.ts'
import { createAccessLog } from './http/access-log.ts'
import { createApp } from './http/app.ts'
import { createGate } from './http/gate.ts'
import { createHistory } from './http/history/history.ts'
import { type Budgets, createLimits } from './http/limits.ts'
import { drain, ListenError, listen } from './http/listen.ts'
import { gatherFor } from './http/observed.ts'
import { createRequestMetrics } from './http/request-metrics.ts'
import { layTables } from './http/tables.ts'
import { createTraffic } from './http/traffic.ts'
import { openLogging } from './logging/index.ts'
import { createMeasures } from './measured.ts'
import { watchEventLoop } from './metrics/index.ts'
import { watchProblems } from './problems.ts'
import { logDirOf, MOST_FRAMES, openRooms } from './rooms.ts'
import { ROOT } from './root.ts'
import { openTracing } from './tracing.ts'

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** Takes no new connections, lets every request finish, saves what is unsaved. */
  stop(): Promise<void>
  /** For a crash: saves what can be saved at once. */
  crash(error: unknown): void
}

/** Something outside is not as the service needs it; the message is for the operator. */
export class StartError extends Error {}

export async function startService(config: Config, tellOperator?: (text: string) => void): Promise<Service> {
  await ensureWritable(config.DATA_DIR)
  const logging = openLogging({
    dir: logDirOf(config),
    level: config.LOG_LEVEL,
    fileBytes: config.LOG_FILE_BYTES,
    files: config.LOG_FILES,
    hiddenFolders: [config.DATA_DIR, config.CONTENT_DIR, ROOT, process.cwd(), homedir()],
    ...(tellOperator && { console: tellOperator }),
  })
  const { log } = logging
  const eventLoop = watchEventLoop()
  const measures = createMeasures(eventLoop)
  const rooms = await openRooms(config, log, {
    ...measures,
    onProgress: (done, total) => tellOperator?.(`Reading pictures: ${done} of ${total}`),
  })
  const budgets = budgetsOf(config)
  const limits = createLimits(budgets, { leases: rooms.store.leases, onRefused: measures.onLimited })
  const problems = watchProblems(rooms, logging, { eventLoop, limits })
  const traffic = createTraffic()
  const history = createHistory({ filters: filters.map(({ name }) => name), pipeline: rooms.images.status })

  const begun = performance.now()
  const uptime = () => (performance.now() - begun) / 1000
  const overview = async () => ({
    version: rooms.version,
    ...describeUptime(uptime(), rooms.startedAt),
    traffic: traffic.counts(),
    downloads: await rooms.statistics.downloads().catch(() => null),
    counter: rooms.counter.status(),
    pipeline: rooms.images.status(),
    sharedPictures: rooms.sharedPictures?.status() ?? null,
    limits: limits.status(),
    store: problems.store() ?? null,
    blocklist: rooms.blocklist.facts() ?? null,
    access: config.V5_ACCESS,
    content: rooms.content.catalogue(),
    problems: problems.list(),
  })
  const reload = async () => {
    await Promise.all([rooms.releases.reload(), rooms.blocklist.reload()])
  }

  const lay = () =>
    layTables(
      { ...rooms, overview, reload, problems: problems.list, history },
      {
        appName: config.APP_NAME,
        access: config.V5_ACCESS,
        siteDir: join(ROOT, 'build', 'site'),
        described: self,
        metrics: { read: () => snapshot(), allow: config.METRICS_ALLOW },
        limits: { budgets, picture: pictureLimits(config) },
      },
    )
  const self = describeSelf(() => lay(), rooms.version.version)
  const generated = await publishGenerated(rooms, self, log)

  const routes = lay()
  const requests = createRequestMetrics(routes)
  const tracing = await openTracing(config, routes, rooms.version.version, log)
  const observing = gatherFor([
    traffic.observe,
    history.observe,
    requests.observe,
    ...(tracing ? [tracing.observe] : []),
    ...(logging.writeAccess ? [createAccessLog(logging.writeAccess)] : []),
  ])
  const snapshot = () => {
    observing.flush()
    return { ...measures.snapshot({ rooms, problems, uptime }), ...requests.snapshot() }
  }
  const server = createApp({
    routes,
    log,
    observe: observing.observe,
    publicUrl: config.PUBLIC_URL,
    trustProxy: config.TRUST_PROXY,
    limits,
    gate: createGate({
      ...rooms,
      operatorPath: `/api/v5/${config.APP_NAME}/operator`,
      onRefused: measures.onBanned,
    }),
    beginTrace: tracing?.begin,
    onEarlyError: measures.onEarlyError,
  })
  const closeAll = async () => {
    problems.close()
    history.close()
    limits.close()
    measures.close()
    eventLoop.close()
    await generated.close()
    await tracing?.close()
    await rooms.close()
    await logging.close()
  }
  const url = await listen(server, config.HOST, config.PORT).catch(async (error) => {
    await closeAll()
    throw error instanceof ListenError ? new StartError(error.message) : error
  })
  log.info({ version: rooms.version.version, node: rooms.version.node }, 'listening')

  let stopped: Promise<void> | undefined
  const stop = async () => {
    problems.stopping()
    await drain(server)
    observing.flush()
    log.info('stopped')
    await closeAll()
  }
  return {
    url,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
    crash: (error) => {
      observing.flush()
      log.error({ err: error }, 'the service crashed')
      logging.flush()
    },
  }
}

/** None where the limits are off. */
function budgetsOf({ RATE_LIMIT, RATE_LIMIT_FILTERS, RATE_LIMIT_DOWNLOADS }: Config): Partial<Budgets> {
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
  frames: MOST_FRAMES,
  milliseconds: FILTER_TIMEOUT_MS,
})

async function ensureWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR (${dir}) must be a folder that can be written to: ${(error as Error).message}`)
  }
}
