import { element } from '../../shared/client/dom.ts'
import { formatBytes, formatCount, formatDateTime, formatDuration, formatInteger, formatPercent } from './format.ts'
import { type Cell, createPart } from './rows.ts'
import type { Live, Overview } from './types.ts'

type Row = readonly [string, Cell, ('ok' | 'error')?]

const CACHES: Readonly<Record<string, string>> = { sources: 'source images', records: 'caching headers of sources' }

const last = (column: readonly number[] | undefined) => column?.at(-1) ?? 0

function buildRows(
  { version, full, store, counter, pipeline, blocklists, access }: Overview,
  live: Live | undefined,
): Row[] {
  const cached = Object.entries(pipeline.caches).map(
    ([name, { entries, bytes }]) => `${formatInteger(entries)} ${CACHES[name] ?? name} (${formatBytes(bytes)})`,
  )
  const { measures } = live ?? {}
  return [
    store
      ? ['Store', `${store.driver}: ${store.message}, ${formatDuration(store.latencyMs)}`, store.ok ? 'ok' : 'error']
      : ['Store', 'not checked yet'],
    ['Download counts', describeCounts(counter), counter.lost > 0 ? 'error' : 'ok'],
    [
      'Filter queue',
      `${pipeline.running} running, ${pipeline.waiting} waiting, ${pipeline.overdue} overdue`,
      pipeline.overdue > 0 ? 'error' : 'ok',
    ],
    ['Caches', cached.join(', ')],
    [
      'Blocklists',
      blocklists
        .map(
          (list) =>
            `${formatCount(list.entries, 'domain', 'domains')} from ${list.source}, ${formatDateTime(list.modifiedAt)}`,
        )
        .join('; ') || 'none: no image host is blocked',
    ],
    ['v5', access === 'open' ? 'open to all' : 'registered clients only'],
    ['Node', `${live?.node ?? ''}, version ${version.version}, Node.js ${version.node}`],
    ['Uptime', full],
    [
      'All workers',
      `${formatBytes(last(measures?.memory))}, ${formatPercent(last(measures?.cpu))} of a core, event loop delay ${formatDuration(last(measures?.lag))}`,
    ],
  ]
}

function describeCounts({ waiting, lost }: Overview['counter']): string {
  const late = waiting > 0 ? `${formatInteger(waiting)} waiting for the store` : 'all stored'
  return lost > 0 ? `${late}, ${formatInteger(lost)} lost` : late
}

export function createHealth() {
  const part = createPart('health')
  return (overview: Overview, live: Live | undefined) =>
    part.show(buildRows(overview, live), (rows) => [
      element(
        'dl',
        { className: 'conditions' },
        ...rows.map(([name, value, severity]) => {
          const row = element('div', {}, element('dt', {}, name), element('dd', {}, value))
          if (severity) row.dataset.severity = severity
          return row
        }),
      ),
    ])
}
