// Observers of finished requests: metrics, the access log and traces. They run in batches.
import type { IncomingMessage } from 'node:http'
import type { OnStage } from '../../features/images/index.ts'
import { cacheByText } from '../../platform/concurrency/index.ts'
import { createScrubber, shortenAddress } from '../../platform/logging/index.ts'
import { createHistograms, definitions, type Sample, single } from '../../platform/metrics/index.ts'
import type { TracedStage, Traces } from '../../platform/tracing/index.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

/** A request whose reply is sent. */
interface ObservedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  /** The full address: shorten it before storing it. */
  readonly client: string
  /** Position in the list of routes; -1 for an unknown path. */
  readonly routeIndex: number
  readonly note: string | undefined
  /** The headers Host, Referer and User-Agent: count what they name, never store them. */
  readonly host: string | undefined
  readonly referrer: string | undefined
  readonly agent: string | undefined
  readonly status: number
  readonly bytes: number
  /** A value of `performance.now`. */
  readonly startedAt: number
  readonly ms: number
  readonly trace: Trace | undefined
}

export type RequestObserver = (observed: ObservedRequest) => void

/** Call it when the head of the reply is written. `endedAt` is a value of `performance.now`. */
export type ObserveReply = (ctx: RequestContext, status: number, bytes: number, endedAt: number) => void

const MAX_BATCH = 128
const BATCH_INTERVAL_MS = 50

/**
 * Runs observers for many requests at once. Right after a reply is written, the processor's caches hold the operating
 * system's network code: counting and logging there cost 9 µs per request, in batches they cost 2 µs.
 */
export function batchRequests(observers: readonly RequestObserver[]) {
  let collected: ObservedRequest[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = collected
    collected = []
    for (const observer of observers) for (const observed of batch) observer(observed)
  }

  const observe: ObserveReply = (ctx, status, bytes, endedAt) => {
    const { request, match, id, logNote: note, startedAt, client, trace } = ctx
    const routeIndex = match?.index ?? -1
    const { method = '', url = '' } = request
    const ms = endedAt - startedAt
    const { host, referer: referrer, 'user-agent': agent } = request.headers
    collected.push({
      id,
      method,
      url,
      client,
      routeIndex,
      note,
      host,
      referrer,
      agent,
      status,
      bytes,
      startedAt,
      ms,
      trace,
    })
    if (collected.length >= MAX_BATCH) flush()
    else if (timer === undefined) timer = setTimeout(flush, BATCH_INTERVAL_MS)
  }

  return { flush, observe }
}

/** Other methods, which a client can make up, are counted as the last entry. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'other']
/** More than the service uses. A status gets a column when it is first seen; column 0 is for all others. */
const MAX_STATUSES = 64
const HIGHEST_STATUS = 599

/**
 * Counts requests in a table that is allocated in advance, by the indexes of route, method and status: a request builds
 * no key and looks up no name.
 */
export function createRequestMetrics(routes: readonly Pick<Route, 'path' | 'tag'>[]) {
  const paths = [...routes.map(({ path }) => path), 'unknown']
  const durations = createHistograms(definitions.requestSeconds)
  const histogramOfRoute = [...routes.map(({ tag }) => tag), 'none'].map(durations.of)
  const counts = new Float64Array(paths.length * METHODS.length * MAX_STATUSES)
  /** Indexes of the counts above 0: few of the table. */
  const used: number[] = []
  const statuses = ['other']
  let replyBytes = 0
  const statusColumns = new Uint8Array(HIGHEST_STATUS + 1)

  const addStatus = (status: number): number => {
    if (statuses.length >= MAX_STATUSES || !(status <= HIGHEST_STATUS)) return 0
    statusColumns[status] = statuses.push(String(status)) - 1
    return statuses.length - 1
  }

  const observe: RequestObserver = ({ routeIndex, method, status, bytes, ms }) => {
    replyBytes += bytes
    const route = routeIndex === -1 ? routes.length : routeIndex
    const methodIndex = METHODS.indexOf(method)
    const row = route * METHODS.length + (methodIndex === -1 ? METHODS.length - 1 : methodIndex)
    const index = row * MAX_STATUSES + (statusColumns[status] || addStatus(status))
    if (counts[index]!++ === 0) used.push(index)
    histogramOfRoute[route]!.observe(ms / 1000)
  }

  const snapshot = () => {
    const requests: Sample[] = []
    for (const i of used) {
      const row = Math.floor(i / MAX_STATUSES)
      const path = paths[Math.floor(row / METHODS.length)]!
      requests.push([[path, METHODS[row % METHODS.length]!, statuses[i % MAX_STATUSES]!], counts[i]!])
    }
    return { requests, requestSeconds: durations.samples(), replyBytes: single(replyBytes) }
  }

  return { observe, snapshot }
}

const MAX_PATH_LENGTH = 200
const MAX_CACHED_LENGTH = 64
/** Without `~`, after which the name of a drawing follows: it may be that of a person. */
const PLAIN_CHARACTERS = /^[\w\-./]*/
/** The name of a drawing may follow here, too, if the rest of the URL is misspelt: `/a/fox/Ada/`. */
const SHARE_PAGE = /^\/+a\/.*/i
/** May be a key, a token or an address: a client can paste one into any path. */
const SECRET_OR_ADDRESS = /mng[a-z]?_|\d\.\d{1,3}\.\d{1,3}\.\d/
const scrub = createScrubber([])

type LoggedRoute = Pick<Route, 'path' | 'operatorScope' | 'hidesPath' | 'bucket'>

/** No limit stops a client that is refused or that requests `/healthz`: its lines would displace all others in minutes. */
const MAX_UNLIMITED_LINES = 100
const MAX_UNLIMITED_LINES_PER_NETWORK = 10

/**
 * Writes one line per request, but few per second for requests without a limit; the rest is counted. A line is formatted by
 * hand. All its parts are free of private data (the network of the client, the path without its query and without what may
 * be private), so it skips the filter that other log lines pass.
 */
export function createAccessLog(write: (line: string) => void, routes: readonly LoggedRoute[]): RequestObserver {
  const findNetwork = cacheByText(shortenAddress, { maxTexts: 1000 })
  const readPath = cacheByText(findPlainPath, { maxTexts: 1000, maxLength: MAX_CACHED_LENGTH })
  let timestampedAt = 0
  let timestamp = ''
  let second = 0
  /** Requests without a limit in this second. */
  const unlimited = { lines: 0, omitted: 0, linesByNetwork: new Map<string, number>() }

  const isOmitted = (network: string) => {
    const lines = unlimited.linesByNetwork.get(network) ?? 0
    if (unlimited.lines >= MAX_UNLIMITED_LINES || lines >= MAX_UNLIMITED_LINES_PER_NETWORK) {
      unlimited.omitted++
      return true
    }
    unlimited.lines++
    unlimited.linesByNetwork.set(network, lines + 1)
    return false
  }

  const startSecond = () => {
    if (unlimited.omitted > 0)
      write(`{"level":"info","time":"${timestamp}","msg":"requests without lines","count":${unlimited.omitted}}\n`)
    Object.assign(unlimited, { lines: 0, omitted: 0 })
    unlimited.linesByNetwork.clear()
  }

  const formatPath = (url: string, route: LoggedRoute | undefined) => {
    // An operator may name what is not public yet, such as the version of a scheduled release.
    if (route?.operatorScope || route?.hidesPath) return route.path
    return route ? readPath(url) : findPlainPath(url).replace(SHARE_PAGE, '/a').split('/', 4).join('/')
  }

  return ({ id, method, url, client, routeIndex, note, status, bytes, ms }) => {
    const now = Date.now()
    if (now !== timestampedAt) {
      timestampedAt = now
      timestamp = new Date(now).toISOString()
    }
    if (Math.trunc(now / 1000) !== second) {
      second = Math.trunc(now / 1000)
      startSecond()
    }
    const route = routes[routeIndex]
    const network = findNetwork(client)
    if ((status === 429 || status === 403 || route?.bucket === 'none') && isOmitted(network)) return
    write(
      `{"level":"info","time":"${timestamp}","msg":"request","id":"${id}","client":"${network}",` +
        `"method":"${method}","path":"${formatPath(url, route)}","status":${status},` +
        `"bytes":${bytes},"ms":${Math.round(ms * 100) / 100}${note === undefined ? '' : `,"note":${JSON.stringify(note)}`}}\n`,
    )
  }
}

function findPlainPath(url: string): string {
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(0, MAX_PATH_LENGTH)
  // A client may have pasted anything, such as an image URL: keep the part before the first unusual character.
  const plainPath = PLAIN_CHARACTERS.exec(path)?.[0] ?? ''
  return SECRET_OR_ADDRESS.test(plainPath) ? scrub(plainPath) : plainPath
}

/** The part of a request that its trace needs. */
export type Trace = ReturnType<typeof beginTrace>

/** OpenTelemetry requires one common name for methods outside of this list. */
const TRACED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']
const OTHER = '_OTHER'

export function beginTrace({ headers: { traceparent } }: IncomingMessage) {
  const stages: TracedStage[] = []
  const onStage: OnStage = (name, ms, startedAt) => void stages.push({ name, startedAt, ms })
  return { traceparent: typeof traceparent === 'string' ? traceparent : undefined, stages, onStage }
}

export function createTraceObserver(
  traces: Pick<Traces, 'add'>,
  routes: readonly Pick<Route, 'path'>[],
): RequestObserver {
  return ({ trace, id, method: requestMethod, routeIndex, status, startedAt, ms }) => {
    if (!trace) return
    const method = TRACED_METHODS.includes(requestMethod) ? requestMethod : OTHER
    const route = routes[routeIndex]?.path
    const name = [method === OTHER ? 'HTTP' : method, route].filter(Boolean).join(' ')
    traces.add({ id, name, method, route, status, startedAt, ms, ...trace })
  }
}
