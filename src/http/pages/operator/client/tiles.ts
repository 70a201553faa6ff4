import { element, one } from '../../shared/client/dom.ts'
import { formatBytes, formatCompact, formatDuration, formatInteger, formatMoment, formatPercent } from './format.ts'
import type { Client, Column, Live, Overview } from './types.ts'

export interface DashboardState {
  live?: Live
  overview?: Overview
  clients?: readonly Client[]
  /** The time of the figures, if there are no newer ones because the service does not reply. */
  lostSince?: string | undefined
}

interface Tile {
  readonly name: string
  readonly value: string
  readonly more: string
  readonly severity?: 'error' | 'warning'
}

const sum = (column: Column | undefined) => (column ?? []).reduce((total, value) => total + value, 0)
const lastOf = (column: readonly (number | null)[]) => column.findLast((value) => value !== null) ?? undefined
const share = (part: number, whole: number) => (whole === 0 ? '–' : formatPercent(part / whole))

function trafficTiles(live: Live): Tile[] {
  const { statuses, seconds, latency, filters, filterLatency, cache, measures } = live
  const of = (name: string) => sum(statuses[name])
  const requests = Object.keys(statuses).reduce((total, name) => total + of(name), 0)
  const filtered = Object.values(filters).reduce((total, column) => total + sum(column), 0)
  const [p50, p95, p99] = [latency.p50, latency.p95, latency.p99].map(lastOf)
  const slow = lastOf(filterLatency.p95)
  const replies = sum(cache.hit) + sum(cache.miss) + sum(cache.shared)
  // A no-break space between number and unit.
  const time = (ms: number | undefined) => (ms === undefined ? '–' : formatDuration(ms).replace(' ', '\u00a0'))
  return [
    {
      name: 'Requests per second',
      value: formatCompact(requests / Math.max(1, sum(seconds))),
      more: `${formatInteger(requests)} in this range`,
    },
    {
      name: 'Failed (5xx)',
      value: share(of('5xx'), requests),
      more: `${formatInteger(of('5xx'))} with 5xx, ${formatInteger(of('4xx'))} with 4xx`,
      ...(of('5xx') > 0 && { severity: 'error' }),
    },
    { name: 'Latency, p95', value: time(p95), more: `p50 ${time(p50)}, p99 ${time(p99)}` },
    {
      name: 'Filters per minute',
      value: formatCompact((filtered * 60) / Math.max(1, sum(seconds))),
      more: slow === undefined ? 'none in this range' : `p95 ${time(slow)}`,
    },
    {
      name: 'Cache hits',
      value: share(sum(cache.hit) + sum(cache.shared), replies),
      more: `${formatBytes(lastOf(measures.cacheBytes ?? []) ?? 0)} used`,
    },
    {
      name: 'CPU',
      value: formatPercent(lastOf(measures.cpu ?? []) ?? 0),
      more: `up to ${formatDuration(lastOf(measures.lag ?? []) ?? 0)} event loop delay`,
    },
  ]
}

function otherTiles({ overview, clients }: DashboardState): Tile[] {
  const pending = clients?.filter(({ state }) => state === 'pending').length ?? 0
  const month = (overview?.downloads?.daily ?? []).reduce((total, { count }) => total + count, 0)
  return [
    {
      name: 'Downloads today',
      value: overview?.downloads ? formatInteger(overview.downloads.daily.at(-1)?.count ?? 0) : '–',
      more: overview?.downloads ? `${formatInteger(month)} in 30 days` : overview ? 'the store is unavailable' : '',
    },
    {
      name: 'Key requests',
      value: clients ? formatInteger(pending) : '–',
      more: 'wait for your decision',
      ...(pending > 0 && { severity: 'warning' }),
    },
  ]
}

const shown = ({ name, value, more, severity }: Tile) => {
  const tile = element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), element('span', {}, more)),
  )
  if (severity) tile.dataset.severity = severity
  return tile
}

export function showTiles(state: DashboardState): void {
  const tiles = [...(state.live ? trafficTiles(state.live) : []), ...otherTiles(state)]
  const { lostSince } = state
  const old = lostSince === undefined ? {} : { more: `not updated since ${formatMoment(lostSince)}` }
  one('[data-tiles]').replaceChildren(...tiles.map((tile) => shown({ ...tile, ...old })))
}
