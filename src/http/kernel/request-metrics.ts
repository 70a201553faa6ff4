import { createHistograms, definitions, type Sample, single } from '../../platform/metrics/index.ts'
import type { RequestObserver } from './batch-requests.ts'
import type { Route } from './route.ts'

/** Other methods, which a client can make up, are counted as the last entry. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other']
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
  const statuses = ['other']
  let responseBytes = 0
  const statusColumns = new Uint8Array(HIGHEST_STATUS + 1)

  const addStatus = (status: number): number => {
    if (statuses.length >= MAX_STATUSES || !(status <= HIGHEST_STATUS)) return 0
    statusColumns[status] = statuses.push(String(status)) - 1
    return statuses.length - 1
  }

  const observe: RequestObserver = ({ routeIndex, method, status, bytes, ms }) => {
    responseBytes += bytes
    const route = routeIndex === -1 ? routes.length : routeIndex
    const methodIndex = METHODS.indexOf(method)
    const row = route * METHODS.length + (methodIndex === -1 ? METHODS.length - 1 : methodIndex)
    counts[row * MAX_STATUSES + (statusColumns[status] || addStatus(status))]!++
    histogramOfRoute[route]!.observe(ms / 1000)
  }

  const snapshot = () => {
    const requests: Sample[] = []
    for (const [i, count] of counts.entries()) {
      if (count === 0) continue
      const row = Math.floor(i / MAX_STATUSES)
      const path = paths[Math.floor(row / METHODS.length)]!
      requests.push([[path, METHODS[row % METHODS.length]!, statuses[i % MAX_STATUSES]!], count])
    }
    return { requests, requestSeconds: durations.samples(), responseBytes: single(responseBytes) }
  }

  return { observe, snapshot }
}
