import { createHistograms, definitions, type Sample, type Snapshot, single } from '../../platform/metrics/index.ts'
import type { RequestObserver } from './batch-requests.ts'
import type { Route } from './route.ts'

/** Any other that a caller may invent is counted as the last. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other']
/** More than the service answers with; each gets its place when it is first seen, and the first place is for the rest. */
const MAX_STATUSES = 64
const HIGHEST_STATUS = 599

export interface RequestMetrics {
  readonly observe: RequestObserver
  snapshot(): Pick<Snapshot, 'requests' | 'requestSeconds' | 'responseBytes'>
}

/**
 * Counts requests into a table that is there already, by the places of route, method and status: nothing is put together
 * or looked up by name at a request.
 */
export function createRequestMetrics(routes: readonly Pick<Route, 'path' | 'tag'>[]): RequestMetrics {
  const paths = [...routes.map(({ path }) => path), 'unknown']
  const durations = createHistograms(definitions.requestSeconds)
  const durationOf = [...routes.map(({ tag }) => tag), 'none'].map(durations.of)
  const counts = new Float64Array(paths.length * METHODS.length * MAX_STATUSES)
  const statuses = ['other']
  let responseBytes = 0
  const statusPlaces = new Uint8Array(HIGHEST_STATUS + 1)

  const newPlace = (status: number): number => {
    if (statuses.length >= MAX_STATUSES || !(status <= HIGHEST_STATUS)) return 0
    statusPlaces[status] = statuses.push(String(status)) - 1
    return statuses.length - 1
  }

  return {
    observe: ({ route, method, status, bytes, ms }) => {
      responseBytes += bytes
      const place = route === -1 ? routes.length : route
      const methodPlace = METHODS.indexOf(method)
      const row = place * METHODS.length + (methodPlace === -1 ? METHODS.length - 1 : methodPlace)
      counts[row * MAX_STATUSES + (statusPlaces[status] || newPlace(status))]!++
      durationOf[place]!.observe(ms / 1000)
    },
    snapshot: () => {
      const requests: Sample[] = []
      for (const [i, count] of counts.entries()) {
        if (count === 0) continue
        const row = Math.floor(i / MAX_STATUSES)
        const path = paths[Math.floor(row / METHODS.length)]!
        requests.push([[path, METHODS[row % METHODS.length]!, statuses[i % MAX_STATUSES]!], count])
      }
      return { requests, requestSeconds: durations.samples(), responseBytes: single(responseBytes) }
    },
  }
}
