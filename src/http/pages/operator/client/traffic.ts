import { one } from '../../shared/client/dom.ts'
import { axisOfDays, type ChartData, createChart } from './chart.ts'
import type { Colour, Series } from './chart-parts.ts'
import { formatBytes, formatCompact, formatDuration, formatTime, formatTimeWithSeconds } from './format.ts'
import { type Aligned, alignSlots } from './live-slots.ts'
import type { Live, Usage } from './types.ts'

const OUTCOMES = [
  ['served', 'served', 'green'],
  ['refused', 'refused', 'amber'],
  ['sourceFailed', 'source failed', 'violet'],
  ['failed', 'failed', 'red'],
] as const
const CACHE = [
  ['hit', 'green'],
  ['shared', 'blue'],
  ['miss', 'amber'],
] as const
const PERCENTILES = [
  ['p50', 'green'],
  ['p95', 'violet'],
  ['p99', 'amber'],
] as const
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

  /** Charts of values that a node keeps in memory for one hour: there are none for days. */
  const withoutDays = [queue, memory]
  const setRange = (isDays: boolean) => {
    for (const { root } of withoutDays) root.hidden = isDays
    for (const [chart, what] of perTime) {
      one('[data-about]', chart.root).textContent = `${isDays ? 'per day' : what.per}, ${what.by}`
    }
  }
  const perTime = [
    [requests, { per: 'per second', by: 'by outcome' }],
    [filters, { per: 'per minute', by: 'by filter' }],
    [cache, { per: 'per minute', by: 'filter replies' }],
  ] as const
  const drawFilters = (names: readonly string[], valuesOf: (name: string) => Series['values'], axis: Axis) =>
    filters.show({
      series: names.toSorted().map((name, n) => ({ name, colour: colourOf(n), values: valuesOf(name) })),
      ...axis,
    })

  return {
    /** The last minutes. */
    showLive(live: Live) {
      setRange(false)
      const columns = alignSlots(live)
      const axis = axisOf(columns, live.step)
      const { plain, perSecond, perMinute } = columns
      const { outcomes, measures, latency: times } = live
      const show = (chart: Chart, series: readonly Series[]) => chart.show({ series, ...axis })
      show(
        requests,
        OUTCOMES.map(([key, name, colour]) => ({ name, colour, values: perSecond(outcomes[key]) })),
      )
      show(
        latency,
        PERCENTILES.map(([name, colour]) => ({ name, colour, values: plain(times[name]) })),
      )
      drawFilters(Object.keys(live.filters), (name) => perMinute(live.filters[name]), axis)
      show(queue, [
        { name: 'running', colour: 'violet', values: plain(measures.running) },
        { name: 'waiting', colour: 'amber', values: plain(measures.waiting) },
      ])
      show(
        cache,
        CACHE.map(([name, colour]) => ({ name, colour, values: perMinute(live.cache[name]) })),
      )
      show(memory, [
        { name: 'workers', colour: 'violet', values: plain(measures.memory) },
        { name: 'filter cache', colour: 'green', values: plain(measures.cacheBytes) },
      ])
    },
    /** The last days. */
    showDays({ daily, filters: used }: Usage) {
      setRange(true)
      // Three labels have space in the smallest chart.
      const days = daily.map(({ date }) => date)
      const axis = axisOfDays(days, Math.ceil(days.length / 3))
      requests.show({
        series: OUTCOMES.map(([key, name, colour]) => ({ name, colour, values: daily.map((day) => day[key]) })),
        ...axis,
      })
      latency.show({
        series: PERCENTILES.map(([name, colour]) => ({ name, colour, values: daily.map((day) => day.latency[name]) })),
        ...axis,
      })
      const names = used.map(({ name }) => name)
      drawFilters(names, (name) => daily.map((day) => day.filters[name] ?? 0), axis)
      cache.show({
        series: CACHE.map(([name, colour]) => ({ name, colour, values: daily.map((day) => day.cache[name]) })),
        ...axis,
      })
    },
  }
}

type Chart = ReturnType<typeof createChart>
type Axis = Omit<ChartData, 'series'>

const colourOf = (n: number) => FILTER_COLOURS[n % FILTER_COLOURS.length]!

function axisOf({ times, latest }: Aligned, step: number): Axis {
  const every = (LABEL_MINUTES[step] ?? 1) * 60_000
  return {
    latest,
    latestName: 'now',
    names: times.map(step < 60 ? formatTimeWithSeconds : formatTime),
    labels: times.map((time) => (time % every === 0 ? formatTime(time) : undefined)),
  }
}

const roughBytes = (bytes: number) => (bytes >= 1e6 ? `${Math.round(bytes / 1e6)} MB` : formatBytes(bytes))
