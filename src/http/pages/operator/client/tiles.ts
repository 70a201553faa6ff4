import { element, one } from '../../shared/client/dom.ts'
import { counted, inBytes, inDuration, inPercent, inShort, inWhole } from './format.ts'
import type { Client, Column, Live, Overview } from './types.ts'

export interface Known {
  live?: Live
  overview?: Overview
  banned?: number
  clients?: readonly Client[]
}

interface Tile {
  readonly name: string
  readonly value: string
  readonly more: string
  readonly mood?: 'wrong' | 'warm'
}

const sum = (column: Column | undefined) => (column ?? []).reduce((total, value) => total + value, 0)
const lastOf = (column: readonly (number | null)[]) => column.findLast((value) => value !== null) ?? undefined
const share = (part: number, whole: number) => (whole === 0 ? '–' : inPercent(part / whole))

function trafficTiles(live: Live): Tile[] {
  const { statuses, seconds, latency, filters, filterLatency, cache, measures } = live
  const of = (name: string) => sum(statuses[name])
  const requests = Object.keys(statuses).reduce((total, name) => total + of(name), 0)
  const filtered = Object.values(filters).reduce((total, column) => total + sum(column), 0)
  const [p50, p95, p99] = [latency.p50, latency.p95, latency.p99].map(lastOf)
  const slow = lastOf(filterLatency.p95)
  const replies = sum(cache.hit) + sum(cache.miss) + sum(cache.shared)
  // No line ends between a number and its unit.
  const time = (ms: number | undefined) => (ms === undefined ? '–' : inDuration(ms).replace(' ', '\u00a0'))
  return [
    {
      name: 'Requests a second',
      value: inShort(requests / Math.max(1, sum(seconds))),
      more: `${inWhole(requests)} in this time`,
    },
    {
      name: 'Failed',
      value: share(of('5xx'), requests),
      more: `${inWhole(of('5xx'))} with 5xx, ${inWhole(of('4xx'))} with 4xx`,
      ...(of('5xx') > 0 && { mood: 'wrong' }),
    },
    { name: 'Latency, p95', value: time(p95), more: `p50 ${time(p50)}, p99 ${time(p99)}` },
    {
      name: 'Filters a minute',
      value: inShort((filtered * 60) / Math.max(1, sum(seconds))),
      more: slow === undefined ? 'none in this time' : `p95 ${time(slow)}`,
    },
    {
      name: 'From the cache',
      value: share(sum(cache.hit) + sum(cache.shared), replies),
      more: `${inBytes(lastOf(measures.cacheBytes ?? []) ?? 0)} kept`,
    },
    {
      name: 'Processor',
      value: inPercent(lastOf(measures.cpu ?? []) ?? 0),
      more: `up to ${inDuration(lastOf(measures.lag ?? []) ?? 0)} late`,
    },
  ]
}

function otherTiles({ overview, banned, clients }: Known): Tile[] {
  const asked = clients?.filter(({ state }) => state === 'asked').length ?? 0
  const month = (overview?.downloads?.daily ?? []).reduce((total, { count }) => total + count, 0)
  return [
    {
      name: 'Downloads today',
      value: overview?.downloads ? inWhole(overview.downloads.daily.at(-1)?.count ?? 0) : '–',
      more: overview?.downloads ? `${inWhole(month)} in 30 days` : 'the store is away',
    },
    {
      name: 'Wait for a key',
      value: clients ? inWhole(asked) : '–',
      more: banned === undefined ? '' : counted(banned, 'address banned', 'addresses banned'),
      ...(asked > 0 && { mood: 'warm' }),
    },
  ]
}

const shown = ({ name, value, more, mood }: Tile) => {
  const tile = element(
    'div',
    {},
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), element('span', {}, more)),
  )
  if (mood) tile.dataset.mood = mood
  return tile
}

/** The numbers that one looks at first. */
export function showTiles(known: Known): void {
  const tiles = [...(known.live ? trafficTiles(known.live) : []), ...otherTiles(known)]
  one('[data-tiles]').replaceChildren(...tiles.map(shown))
}
