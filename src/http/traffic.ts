import type { Observer } from './observed.ts'

export interface TrafficCounts {
  readonly requests: number
  /** By class of status: "2xx", "3xx", "4xx", "5xx". */
  readonly statuses: Readonly<Record<string, number>>
  /** By group of endpoints, as the reference names them. */
  readonly groups: Readonly<Record<string, number>>
}

/** Counts what was answered since the start. */
export function createTraffic(): { observe: Observer; counts: () => TrafficCounts } {
  let requests = 0
  const classes = [0, 0, 0, 0, 0, 0]
  const groups = new Map<string, number>()
  return {
    observe: ({ tag, status }) => {
      requests++
      const kind = Math.floor(status / 100)
      classes[kind] = (classes[kind] ?? 0) + 1
      const group = tag ?? 'none'
      groups.set(group, (groups.get(group) ?? 0) + 1)
    },
    counts: () => ({
      requests,
      statuses: Object.fromEntries(classes.flatMap((count, kind) => (kind >= 2 ? [[`${kind}xx`, count]] : []))),
      groups: Object.fromEntries(groups),
    }),
  }
}

/** What several processes counted, as one. */
export function sumOfTraffic(all: readonly TrafficCounts[]): TrafficCounts {
  const add = (sums: Record<string, number>, counts: Readonly<Record<string, number>>) => {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
    return sums
  }
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    statuses: all.reduce((sums, { statuses }) => add(sums, statuses), {}),
    groups: all.reduce((sums, { groups }) => add(sums, groups), {}),
  }
}
