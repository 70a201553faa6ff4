import { element, one } from '../../shared/client/dom.ts'
import { formatCompact, formatDay, formatDuration, formatInteger, formatMoment, formatPercent } from './format.ts'
import { type Range, secondsOf, stepOf } from './range.ts'
import type { Client, Download, Live, Overview, Usage } from './types.ts'

export interface DashboardState {
  live?: Live
  /** The requests in `range`. */
  usage?: Usage
  range?: Range
  overview?: Overview
  downloads?: readonly Download[]
  clients?: readonly Client[]
  /** The time of the shown figures, while the service does not reply. */
  lostSince?: string | undefined
}

interface Tile {
  readonly name: string
  readonly value: string
  readonly more: string
  readonly severity?: 'error' | 'warning'
  /** Link to the part of the page where the operator can act. */
  readonly href?: string
}

const share = (part: number, whole: number) => (whole === 0 ? '–' : formatPercent(part / whole))
const count = (requests: number) => `${formatInteger(requests)} ${requests === 1 ? 'request' : 'requests'}`
// A no-break space between number and unit.
const time = (ms: number | null) => (ms === null ? '–' : formatDuration(ms).replace(' ', '\u00a0'))

function trafficTiles(usage: Usage, range: Range, live: Live | undefined): Tile[] {
  const { requests, refused, sourceFailed, failed, latency, cache } = usage
  const seconds = measuredSeconds(range, live)
  const filtered = usage.filters.reduce((sum, filter) => sum + filter.requests, 0)
  const replies = cache.hit + cache.miss + cache.shared
  return [
    {
      name: 'Requests per second',
      value: formatCompact(requests / seconds),
      more: `${formatInteger(requests)} in this range`,
    },
    { name: 'Refused', value: share(refused, requests), more: `${count(refused)} with 4xx` },
    {
      name: 'Source failed',
      value: share(sourceFailed, filtered),
      more: `${count(sourceFailed)} with 502 or 504`,
    },
    {
      name: 'Failed',
      value: share(failed, requests),
      more: `${count(failed)} with another 5xx`,
      ...(failed > 0 && { severity: 'error' }),
    },
    { name: 'Latency, p95', value: time(latency.p95), more: `p50 ${time(latency.p50)}, p99 ${time(latency.p99)}` },
    {
      name: 'Filters per minute',
      value: formatCompact((filtered * 60) / seconds),
      more: `${formatInteger(filtered)} in this range`,
    },
    {
      name: 'Cache hits',
      value: share(cache.hit + cache.shared, replies),
      more: `of ${formatInteger(replies)} filter replies`,
    },
    'days' in range ? busiestDay(usage) : cpu(live),
  ]
}

/** Minutes are known only since the service started, which may be later than the beginning of the range. */
function measuredSeconds(range: Range, live: Live | undefined): number {
  const isOfRange = 'minutes' in range && live?.step === stepOf(range)
  const known = isOfRange ? live.seconds.reduce((sum, value) => sum + value, 0) : Infinity
  return Math.max(1, Math.min(secondsOf(range), known))
}

function busiestDay({ daily }: Usage): Tile {
  const [top] = daily.toSorted((a, b) => b.requests - a.requests)
  const isAny = top !== undefined && top.requests > 0
  return {
    name: 'Busiest day',
    value: isAny ? formatDay(top.date) : '–',
    more: isAny ? count(top.requests) : 'no requests in this range',
  }
}

function cpu(live: Live | undefined): Tile {
  const { cpu, lag } = live?.measures ?? { cpu: [], lag: [] }
  const mean = (column: readonly number[]) => column.reduce((sum, value) => sum + value, 0) / Math.max(1, column.length)
  return {
    name: 'CPU',
    value: formatPercent(mean(cpu)),
    more: `up to ${formatDuration(Math.max(0, ...lag))} event loop delay`,
  }
}

const DAY_MS = 86_400_000

function applicationTiles({ overview, clients, downloads, range }: DashboardState): Tile[] {
  const pending = clients?.filter(({ state }) => state === 'pending').length ?? 0
  const days = range && 'days' in range ? range.days : 1
  const first = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const sum = downloads?.reduce((total, row) => total + (row.day >= first ? row.count : 0), 0)
  return [
    {
      name: days === 1 ? 'Downloads today' : 'Downloads',
      value: sum === undefined ? '–' : formatInteger(sum),
      more: overview?.downloads ? `${formatInteger(overview.downloads.total)} in total` : '',
    },
    {
      name: 'Key requests',
      value: clients ? formatInteger(pending) : '–',
      more: pending === 1 ? 'waits for your decision' : pending > 1 ? 'wait for your decision' : 'none waits',
      ...(pending > 0 && { severity: 'warning', href: '#clients-title' }),
    },
  ]
}

const buildTile = ({ name, value, more, severity, href }: Tile) => {
  const tile = element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), element('span', {}, href ? element('a', { href }, more) : more)),
  )
  if (severity) tile.dataset.severity = severity
  return tile
}

/** True if the v5 API is or was in use. Otherwise the page does not mention it. */
export const usesApplication = ({ overview, clients = [], downloads = [] }: DashboardState) =>
  overview !== undefined && (overview.isApplicationConfigured || clients.length > 0 || downloads.length > 0)

export function showTiles(state: DashboardState): void {
  const { usage, range, live, lostSince } = state
  const tiles = [
    ...(usage && range ? trafficTiles(usage, range, live) : []),
    ...(usesApplication(state) ? applicationTiles(state) : []),
  ]
  const old = lostSince === undefined ? {} : { more: `not updated since ${formatMoment(lostSince)}` }
  one('[data-tiles]').replaceChildren(...tiles.map((tile) => buildTile({ ...tile, ...old })))
}
