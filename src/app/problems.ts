// Everything that is not as it should be, gathered for /readyz and the operator.
import type { Limits } from '../http/kernel/limits.ts'
import type { Logging, ServiceProblem } from '../platform/logging/index.ts'
import type { EventLoopWatch } from '../platform/metrics/index.ts'
import type { Health } from '../platform/store/index.ts'
import type { Services } from './services.ts'

const LOOK_AT_STORE_MS = 2000
/** Callers, load balancers and the store's own deadlines have given up by then. */
const STALLED_SECONDS = 3

/** The parts that a problem can be about. */
export const problemParts = [
  'service',
  'event-loop',
  'log',
  'blocklist',
  'store',
  'limits',
  'downloads',
  'filters',
  'content',
  'releases',
]

export interface Problems {
  list(): ServiceProblem[]
  store(): Health | undefined
  stopping(): void
  close(): void
}

interface Watched {
  readonly eventLoop: EventLoopWatch
  readonly limits: Pick<Limits, 'status'>
}

export function watchProblems(services: Services, logging: Logging, { eventLoop, limits }: Watched): Problems {
  let health: Health | undefined
  let isStopping = false
  const look = async () => {
    health = await services.store.health()
  }
  void look()
  const timer = setInterval(look, LOOK_AT_STORE_MS)
  timer.unref()

  return {
    store: () => health,
    stopping: () => {
      isStopping = true
    },
    close: () => clearInterval(timer),
    list: () => {
      const { blocklist, content, counter, images, releases } = services
      const { waiting, lost, diskTrouble } = counter.status()
      const stalled = eventLoop.lag().max
      return [
        ...told('service', isStopping ? 'the service is stopping' : undefined, { fatal: true }),
        ...told(
          'event-loop',
          stalled >= STALLED_SECONDS ? `nothing was answered for ${stalled.toFixed(1)} s a moment ago` : undefined,
        ),
        ...told('log', logging.problem()),
        ...told('blocklist', blocklist.problem()),
        ...told('blocklist', services.listUpdates?.problem()),
        ...told('store', health && !health.ok ? health.message : undefined),
        ...told('limits', isAway(limits) ? 'Redis does not answer in time; this node limits by itself' : undefined),
        ...told('downloads', health && !health.ok && waiting > 0 ? `${waiting} counts wait for the store` : undefined),
        ...told(
          'downloads',
          diskTrouble && `${waiting} counts wait in memory only: the disk does not take them (${diskTrouble})`,
        ),
        ...told('downloads', lost > 0 ? `${lost} counts were lost for want of room` : undefined),
        ...told('filters', images.status().stuck ? 'jobs take far longer than they may' : undefined),
        ...told(
          'filters',
          services.sharedResults?.status().isUnavailable ? 'shared results do not answer in time' : undefined,
        ),
        ...content.problems().map((problem) => ({ part: 'content', ...problem })),
        ...releases.problems().map(({ file, ...problem }) => ({ part: 'releases', file: `app/${file}`, ...problem })),
      ]
    },
  }
}

const isAway = (limits: Pick<Limits, 'status'>) =>
  Object.values(limits.status()).some((bucket) => bucket.isStoreUnavailable)

const told = (part: string, message: string | undefined, more: Partial<ServiceProblem> = {}): ServiceProblem[] =>
  message === undefined ? [] : [{ part, message, ...more }]
