// Counts the requests of clients for the usage history. The operator's own requests and health checks are left out: an
// open dashboard alone sends about one per second.
import type { Category } from '../features/content/index.ts'
import * as usage from '../features/usage/index.ts'
import { CHAIN, filterNames } from '../http/api/filters/endpoint.ts'
import { isFilterGroup } from '../http/api/operator/recent-activity.ts'
import type { UsageQuery } from '../http/api/operator/usage.ts'
import { recentMinutes } from '../http/api/operator/usage.ts'
import { categoryOfRoute } from '../http/api/random/routes.ts'
import type { RequestObserver } from '../http/kernel/observers.ts'
import type { Route } from '../http/kernel/route.ts'
import type { Log } from '../platform/logging/index.ts'
import { type Distribution, definitions, type Snapshot } from '../platform/metrics/index.ts'
import { type UsageRow, usageOutcomes } from '../platform/store/index.ts'
import type { WorkerContext } from '../platform/workers/index.ts'
import type { Services } from './open-services.ts'

interface UsageOptions {
  readonly services: Services
  readonly routes: readonly Route[]
  /** Counts of this process. */
  readonly readCounters: () => Snapshot
  readonly worker: WorkerContext
  readonly publicUrl: string
  readonly log: Log
}

const UNKNOWN_PATH = 'unknown path'

export function createUsage({ services, routes, readCounters, worker, publicUrl, log }: UsageOptions) {
  const { content, store } = services
  const isCounted = routes.map(isUsedByClients)
  const categories = routes.map(({ path }) => categoryOfRoute(path))
  const isFilter = routes.map(({ tag }) => isFilterGroup(tag))
  const readTotals = () => sumUpCounters(readCounters(), routes)
  const recorder = usage.createUsageRecorder(store.usage, { readTotals, log })
  const kinds = recorder.tallyOf('kind')
  const filters = recorder.tallyOf('filter')
  const referrers = recorder.tallyOf('referrer')
  const agents = recorder.tallyOf('agent')
  const readReferrer = usage.createReferrerReader([URL.parse(publicUrl)?.hostname ?? ''])
  const limitReferrers = usage.createReferrerLimiter()
  const readAgent = usage.createAgentReader()
  const findKind = createKindFinder(content)
  const knownFilters = new Set([...filterNames, CHAIN])

  const observe: RequestObserver = ({ routeIndex, url, status, client, host, referrer, agent }) => {
    if (routeIndex !== -1 && !isCounted[routeIndex]) return
    recorder.updateDay()
    const outcome = usage.outcomeOf(status)
    usage.addCount(agents, readAgent(agent), outcome)
    // Otherwise clients without access could fill the list.
    if (referrer !== undefined && status < 400)
      usage.addCount(referrers, limitReferrers(readReferrer(referrer, host), client), outcome)
    const category = categories[routeIndex]
    if (category !== undefined) {
      const kind = findKind(category, readLastSegment(url))
      if (kind !== undefined) usage.addCount(kinds, kind, outcome)
    } else if (isFilter[routeIndex]) {
      const filter = readLastSegment(url)
      if (knownFilters.has(filter)) usage.addCount(filters, filter, outcome)
    }
  }

  const topicOf = (minutes: number) => `usage of ${minutes} minutes`
  for (const minutes of recentMinutes) worker.provide(topicOf(minutes), () => recorder.readRecent(minutes))
  const readRecent = async (minutes: number) => {
    const rows = (await worker.collect(topicOf(minutes))).flat() as UsageRow[]
    return [{ day: new Date().toISOString().slice(0, 10), rows }]
  }

  const byPath = new Map(routes.map((route) => [route.path, route]))
  return {
    observe,
    nameOutcome: ([path = '', , status = '']: readonly string[]) => {
      const route = byPath.get(path)
      return !route || isUsedByClients(route) ? usageOutcomes[usage.outcomeOf(Number(status))] : undefined
    },
    /** The last days of all nodes, or the last minutes of all workers of this node. */
    read: async ({ days, minutes }: UsageQuery) => {
      if (minutes !== undefined) return readRecent(minutes)
      await recorder.flush()
      return usage.readUsageDays(store.usage, days)
    },
    close: recorder.close,
  }
}

const isUsedByClients = ({ operatorScope, bucket }: Route) => operatorScope === undefined && bucket !== 'none'

export function readLastSegment(url: string): string {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns a function that names a kind with its category. Undefined for unknown kinds, which clients make up. */
function createKindFinder(content: Services['content']) {
  let revision = Number.NaN
  const names = new Map<Category, Map<string, string>>()
  return (category: Category, kind: string): string | undefined => {
    if (content.revision !== revision) {
      revision = content.revision
      names.clear()
    }
    let known = names.get(category)
    if (!known) {
      known = new Map([...content.kinds(category), 'any'].map((name) => [name, `${category}/${name}`]))
      names.set(category, known)
    }
    return known.get(kind)
  }
}

/** Sums up what the metrics count anyway: requests by route, method and status, durations, and cache reads. */
function sumUpCounters({ requests = [], requestSeconds = [], cacheReads = [] }: Snapshot, routes: readonly Route[]) {
  const byPath = new Map(routes.map((route) => [route.path, route]))
  const table: usage.UsageTable = new Map(
    ['group', 'endpoint', 'version', 'status', 'duration', 'cache'].map((dimension) => [dimension, new Map()]),
  )
  const add = (dimension: string, name: string, outcome: number, count: number) =>
    usage.addCount(table.get(dimension)!, name, outcome, count)
  for (const [[path = '', method = '', status = ''], value] of requests) {
    const route = byPath.get(path)
    if (route && !isUsedByClients(route)) continue
    const [outcome, count] = [usage.outcomeOf(Number(status)), Number(value)]
    add('group', route?.tag ?? UNKNOWN_PATH, outcome, count)
    add('endpoint', route ? `${method === 'HEAD' ? 'GET' : method} ${path}` : UNKNOWN_PATH, outcome, count)
    add('version', /^\/api\/(v\d+)\//.exec(path)?.[1] ?? 'none', outcome, count)
    add('status', status, outcome, count)
  }
  const notCounted = new Set(routes.filter((route) => !isUsedByClients(route)).map(({ tag }) => tag))
  const { bounds } = definitions.requestSeconds
  for (const [[group = ''], value] of requestSeconds) {
    if (notCounted.has(group)) continue
    for (const [n, count] of (value as Distribution).counts.entries())
      add('duration', String(bounds[n] ?? 'more'), 0, count)
  }
  for (const [[cache, outcome = ''], value] of cacheReads)
    if (cache === 'results') add('cache', outcome, 0, Number(value))
  return table
}
