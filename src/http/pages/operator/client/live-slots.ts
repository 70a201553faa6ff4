import type { Column, Columns, Live, Percentiles } from './types.ts'

/** The number of columns of a chart. */
const COLUMNS = 60

type Part = readonly (number | null)[]

/** The slots that the charts show. Replies contain only new slots and are merged into the known ones. */
export function createLiveSlots() {
  let known: Live | undefined

  const joined = <T extends number | null>(kept: number, old: readonly T[] | undefined, next: readonly T[]): T[] => [
    ...(old ?? (Array(kept).fill(0) as T[])).slice(0, kept),
    ...next,
  ]

  function merge(old: Live, next: Live): Live {
    const first = next.at[0]
    if (first === undefined) return old
    const kept = old.at.filter((at) => at < first).length
    const list = (a: Column, b: Column) => joined(kept, a, b).slice(-COLUMNS)
    const named = (a: Columns, b: Columns): Columns => {
      const names = new Set([...Object.keys(a), ...Object.keys(b)])
      const zeros = next.at.map(() => 0)
      return Object.fromEntries(
        [...names].map((name) => [name, joined(kept, a[name], b[name] ?? zeros).slice(-COLUMNS)]),
      )
    }
    const times = (a: Percentiles, b: Percentiles): Percentiles => {
      const column = (of: keyof Percentiles) => joined(kept, a[of], b[of]).slice(-COLUMNS)
      return { p50: column('p50'), p95: column('p95'), p99: column('p99') }
    }
    return {
      ...next,
      at: list(old.at, next.at),
      seconds: list(old.seconds, next.seconds),
      outcomes: named(old.outcomes, next.outcomes),
      filters: named(old.filters, next.filters),
      cache: named(old.cache, next.cache),
      measures: named(old.measures, next.measures),
      latency: times(old.latency, next.latency),
    }
  }

  return {
    /** The newest known slot, for the query. */
    since: (step: number): number | undefined => (known?.step === step ? known.at.at(-1) : undefined),
    /** Undefined if the reply comes from another node, or from one that restarted: all its slots must be loaded first. */
    take(next: Live, isComplete: boolean): Live | undefined {
      if (isComplete) known = next
      else if (known && known.node === next.node && known.step === next.step) known = merge(known, next)
      else known = undefined
      return known
    },
  }
}

export type Aligned = ReturnType<typeof alignSlots>

/** Spreads the slots over the columns of a chart. Columns without a slot are null. */
export function alignSlots({ at, seconds, step }: Live) {
  const last = at.at(-1) ?? Date.now()
  const times = Array.from({ length: COLUMNS }, (_, n) => last - (COLUMNS - 1 - n) * step * 1000)
  const places = new Map(at.map((time, n) => [time, n]))
  const spread = (values: Part | undefined, shown = (value: number, _seconds: number) => value) =>
    times.map((time) => {
      const n = places.get(time)
      const value = n === undefined ? undefined : values?.[n]
      return value === undefined || value === null ? null : shown(value, seconds[n ?? 0] ?? step)
    })
  return {
    times,
    latest: COLUMNS - 1,
    plain: (values: Part | undefined) => spread(values),
    perSecond: (values: Part | undefined) => spread(values, (value, over) => value / over),
    perMinute: (values: Part | undefined) => spread(values, (value, over) => (value * 60) / over),
  }
}
