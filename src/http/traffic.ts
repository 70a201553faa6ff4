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
