import { element } from '../../shared/client/dom.ts'
import { counted, inBytes, inDuration, inPercent, inWhole, onDate } from './format.ts'
import { type Cell, createPart } from './rows.ts'
import type { Live, Overview } from './types.ts'

type Row = readonly [string, Cell, ('good' | 'wrong')?]

const last = (column: readonly number[] | undefined) => column?.at(-1) ?? 0

function buildRows(
  { version, full, store, counter, pipeline, blocklists, access }: Overview,
  live: Live | undefined,
): Row[] {
  const cached = Object.entries(pipeline.caches).map(
    ([name, { entries, bytes }]) => `${inWhole(entries)} ${name} (${inBytes(bytes)})`,
  )
  const measures = live?.measures ?? {}
  return [
    store
      ? ['Store', `${store.driver}: ${store.message}, ${inDuration(store.latencyMs)}`, store.ok ? 'good' : 'wrong']
      : ['Store', 'not checked yet'],
    ['Counts', describeCounts(counter), counter.lost > 0 ? 'wrong' : 'good'],
    [
      'Filter queue',
      `${pipeline.running} running, ${pipeline.waiting} waiting, ${pipeline.overdue} overdue`,
      pipeline.overdue > 0 ? 'wrong' : 'good',
    ],
    ['Caches', cached.join(', ')],
    [
      'Blocklists',
      blocklists
        .map((list) => `${counted(list.entries, 'domain', 'domains')} from ${list.source}, ${onDate(list.modifiedAt)}`)
        .join('; ') || 'none: no image host is blocked',
    ],
    ['v5', access === 'open' ? 'open to all' : 'registered clients only'],
    ['Node', `${live?.node ?? ''}, version ${version.version}, Node ${version.node}`],
    ['Uptime', full],
    [
      'Process',
      `${inBytes(last(measures.memory))}, ${inPercent(last(measures.cpu))} of a core, event loop delay ${inDuration(last(measures.lag))}`,
    ],
  ]
}

function describeCounts({ waiting, lost }: Overview['counter']): string {
  const late = waiting > 0 ? `${inWhole(waiting)} waiting for the store` : 'all stored'
  return lost > 0 ? `${late}, ${inWhole(lost)} lost` : late
}

export function createHealth() {
  const part = createPart('health')
  return (overview: Overview, live: Live | undefined) =>
    part.show(buildRows(overview, live), (rows) => [
      element(
        'dl',
        { className: 'conditions' },
        ...rows.map(([name, value, mood]) => {
          const row = element('div', {}, element('dt', {}, name), element('dd', {}, value))
          if (mood) row.dataset.mood = mood
          return row
        }),
      ),
    ])
}
