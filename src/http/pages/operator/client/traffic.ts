import { type ChartData, createChart } from './chart.ts'
import type { Series, Tone } from './drawing.ts'
import { atClock, atSecond, inBytes, inDuration, inShort } from './format.ts'
import { type Aligned, alignSlots } from './history.ts'
import type { Live } from './types.ts'

const STATUSES: readonly (readonly [string, Tone])[] = [
  ['2xx', 'good'],
  ['3xx', 'calm'],
  ['4xx', 'warm'],
  ['5xx', 'wrong'],
]
const CACHE: readonly (readonly [string, Tone])[] = [
  ['hit', 'good'],
  ['shared', 'sky'],
  ['miss', 'warm'],
]
const FILTER_TONES: readonly Tone[] = ['good', 'calm', 'warm', 'sky', 'rose', 'plain', 'wrong']

/** Seconds of a slot -> minutes between labels. */
const LABEL_MINUTES: Readonly<Record<number, number>> = { 5: 1, 15: 3, 60: 15 }

export function createTraffic() {
  const requests = createChart('requests', { kind: 'stacked', format: inShort })
  const latency = createChart('latency', { kind: 'logarithmic', format: inDuration })
  const filters = createChart('filters', { kind: 'stacked', format: inShort })
  const queue = createChart('queue', { kind: 'stacked', format: inShort, minimum: 4 })
  const cache = createChart('cache', { kind: 'stacked', format: inShort })
  const memory = createChart('memory', { kind: 'lines', format: roughBytes, minimum: 100e6 })

  return (live: Live) => {
    const columns = alignSlots(live)
    const all = (series: readonly Series[]): ChartData => ({ series, ...axisOf(columns, live.step) })
    const { plain, perSecond, perMinute } = columns
    const { statuses, measures } = live
    requests.show(all(STATUSES.map(([name, tone]) => ({ name, tone, values: perSecond(statuses[name]) }))))
    latency.show(
      all([
        { name: 'p50', tone: 'good', values: plain(live.latency.p50) },
        { name: 'p95', tone: 'calm', values: plain(live.latency.p95) },
        { name: 'p99', tone: 'warm', values: plain(live.latency.p99) },
      ]),
    )
    const used = Object.keys(live.filters).sort()
    const toneOf = (n: number) => FILTER_TONES[n % FILTER_TONES.length]!
    filters.show(all(used.map((name, n) => ({ name, tone: toneOf(n), values: perMinute(live.filters[name]) }))))
    queue.show(
      all([
        { name: 'at work', tone: 'calm', values: plain(measures.running) },
        { name: 'waiting', tone: 'warm', values: plain(measures.waiting) },
      ]),
    )
    cache.show(all(CACHE.map(([name, tone]) => ({ name, tone, values: perMinute(live.cache[name]) }))))
    memory.show(
      all([
        { name: 'process', tone: 'calm', values: plain(measures.memory) },
        { name: 'filter cache', tone: 'good', values: plain(measures.cacheBytes) },
      ]),
    )
  }
}

function axisOf({ times, latest }: Aligned, step: number): Omit<ChartData, 'series'> {
  const every = (LABEL_MINUTES[step] ?? 1) * 60_000
  return {
    latest,
    names: times.map(step < 60 ? atSecond : atClock),
    labels: times.map((time) => (time % every === 0 ? atClock(time) : undefined)),
  }
}

const roughBytes = (bytes: number) => (bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : inBytes(bytes))
