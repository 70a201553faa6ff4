import type { Live } from './types.ts'

/** The number of columns of a chart. */
const COLUMNS = 60

type Part = readonly (number | null)[]
type Parts = Readonly<Record<string, Part>>

/** The slots that the charts show. Replies contain only new slots and are merged into the known ones. */
export function createLiveSlots() {
  let known: Live | undefined

  function merge(old: Live, next: Live): Live {
    const first = next.at[0]
    if (first === undefined) return old
    const kept = old.at.filter((at) => at < first).length
    const join = (before: Part = Array(kept).fill(0), after: Part = next.at.map(() => 0)) =>
      [...before.slice(0, kept), ...after].slice(-COLUMNS)
    const joinAll = <Named extends Parts>(before: Named, after: Named) =>
      Object.fromEntries(
        Object.keys({ ...before, ...after }).map((name) => [name, join(before[name], after[name])]),
      ) as Parts as Named
    return {
      ...next,
      at: join(old.at, next.at) as number[],
      seconds: join(old.seconds, next.seconds) as number[],
      outcomes: joinAll(old.outcomes, next.outcomes),
      filters: joinAll(old.filters, next.filters),
      cache: joinAll(old.cache, next.cache),
      measures: joinAll(old.measures, next.measures),
      latency: joinAll(old.latency, next.latency),
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
