import type { Sample } from '../../../platform/metrics/index.ts'
import type { Route } from '../../kernel/route.ts'

export interface TrafficCounts {
  readonly requests: number
  /** By class of status: "2xx", "3xx", "4xx", "5xx". */
  readonly statuses: Readonly<Record<string, number>>
  /** By group of endpoints, as the reference names them. */
  readonly groups: Readonly<Record<string, number>>
}

/** What was answered since the start, from the counts of the metrics by route, method and status. */
export function trafficOf(counts: readonly Sample[], routes: readonly Pick<Route, 'path' | 'tag'>[]): TrafficCounts {
  const groupOf = new Map(routes.map(({ path, tag }) => [path, tag]))
  let requests = 0
  const statuses: Record<string, number> = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  const groups: Record<string, number> = {}
  for (const [[path = '', , status = ''], value] of counts) {
    const count = Number(value)
    const kind = `${status[0]}xx`
    const group = groupOf.get(path) ?? 'none'
    requests += count
    if (kind in statuses) statuses[kind] = (statuses[kind] ?? 0) + count
    groups[group] = (groups[group] ?? 0) + count
  }
  return { requests, statuses, groups }
}
