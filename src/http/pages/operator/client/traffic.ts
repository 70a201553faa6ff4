import { type ChartData, createChart } from './chart.ts'
import type { Colour, Series } from './drawing.ts'
import { formatBytes, formatCompact, formatDuration, formatTime, formatTimeWithSeconds } from './format.ts'
import { type Aligned, alignSlots } from './history.ts'
import type { Live } from './types.ts'

const STATUSES: readonly (readonly [string, Colour])[] = [
  ['2xx', 'green'],
  ['3xx', 'violet'],
  ['4xx', 'amber'],
  ['5xx', 'red'],
]
const CACHE: readonly (readonly [string, Colour])[] = [
  ['hit', 'green'],
  ['shared', 'blue'],
  ['miss', 'amber'],
]
const FILTER_COLOURS: readonly Colour[] = ['green', 'violet', 'amber', 'blue', 'pink', 'grey', 'red']

/** Seconds of a slot -> minutes between labels. */
const LABEL_MINUTES: Readonly<Record<number, number>> = { 5: 1, 15: 3, 60: 15 }

export function createTraffic() {
  const requests = createChart('requests', { kind: 'stacked', format: formatCompact })
  const latency = createChart('latency', { kind: 'logarithmic', format: formatDuration })
  const filters = createChart('filters', { kind: 'stacked', format: formatCompact })
  const queue = createChart('queue', { kind: 'stacked', format: formatCompact, minimum: 4 })
  const cache = createChart('cache', { kind: 'stacked', format: formatCompact })
  const memory = createChart('memory', { kind: 'lines', format: roughBytes, minimum: 100e6 })

  return (live: Live) => {
    const columns = alignSlots(live)
    const all = (series: readonly Series[]): ChartData => ({ series, ...axisOf(columns, live.step) })
    const { plain, perSecond, perMinute } = columns
    const { statuses, measures } = live
    requests.show(all(STATUSES.map(([name, colour]) => ({ name, colour, values: perSecond(statuses[name]) }))))
    latency.show(
      all([
        { name: 'p50', colour: 'green', values: plain(live.latency.p50) },
        { name: 'p95', colour: 'violet', values: plain(live.latency.p95) },
        { name: 'p99', colour: 'amber', values: plain(live.latency.p99) },
      ]),
    )
    const used = Object.keys(live.filters).sort()
    const colourOf = (n: number) => FILTER_COLOURS[n % FILTER_COLOURS.length]!
    filters.show(all(used.map((name, n) => ({ name, colour: colourOf(n), values: perMinute(live.filters[name]) }))))
    queue.show(
      all([
        { name: 'running', colour: 'violet', values: plain(measures.running) },
        { name: 'waiting', colour: 'amber', values: plain(measures.waiting) },
      ]),
    )
    cache.show(all(CACHE.map(([name, colour]) => ({ name, colour, values: perMinute(live.cache[name]) }))))
    memory.show(
      all([
        { name: 'workers', colour: 'violet', values: plain(measures.memory) },
        { name: 'filter cache', colour: 'green', values: plain(measures.cacheBytes) },
      ]),
    )
  }
}

function axisOf({ times, latest }: Aligned, step: number): Omit<ChartData, 'series'> {
  const every = (LABEL_MINUTES[step] ?? 1) * 60_000
  return {
    latest,
    names: times.map(step < 60 ? formatTimeWithSeconds : formatTime),
    labels: times.map((time) => (time % every === 0 ? formatTime(time) : undefined)),
  }
}

const roughBytes = (bytes: number) => (bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : formatBytes(bytes))
