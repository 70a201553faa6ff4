import { element } from '../../shared/client/dom.ts'
import { offerCsv } from './csv.ts'
import { formatInteger, formatPercent } from './format.ts'
import { createPart, note, table, untrusted } from './rows.ts'
import type { NamedCounts, Usage } from './types.ts'

const MAX_SHOWN = 10

interface List {
  readonly part: string
  readonly title: string
  readonly heading: string
  readonly rowsOf: (usage: Usage) => readonly NamedCounts[]
  /** Referring sites are counted for served requests only. */
  readonly hasOutcomes?: boolean
}

const LISTS: readonly List[] = [
  { part: 'endpoints', title: 'Requests by endpoint', heading: 'Endpoint', rowsOf: ({ endpoints }) => endpoints },
  { part: 'kinds', title: 'Top kinds', heading: 'Kind', rowsOf: ({ kinds }) => kinds },
  { part: 'filters', title: 'Top filters', heading: 'Filter', rowsOf: ({ filters }) => filters },
  {
    part: 'referrers',
    title: 'Referring sites',
    heading: 'Site',
    rowsOf: ({ referrers }) => referrers,
    hasOutcomes: false,
  },
  { part: 'agents', title: 'User agents', heading: 'Family', rowsOf: ({ agents }) => agents },
]

/** The tables of the usage history. `readQuery` returns the chosen range. */
export function createUsage(readQuery: () => string) {
  const shown = LISTS.map((list) => ({ list, part: createPart(list.part) }))
  const [first] = shown
  if (first) offerCsv(first.part.root, '/usage', 'usage.csv', readQuery)
  return (usage: Usage) => {
    for (const { list, part } of shown) part.show(list.rowsOf(usage), (rows) => renderList(list, rows))
  }
}

function renderList({ title, heading, hasOutcomes = true }: List, rows: readonly NamedCounts[]) {
  const [top] = rows
  if (!top) return [note('None in this range.')]
  const total = rows.reduce((sum, { requests }) => sum + requests, 0)
  const heads = [heading, 'Requests', 'Share', ...(hasOutcomes ? ['Refused', 'Source failed', 'Failed'] : [])]
  const cells = rows.map(({ name, requests, refused, sourceFailed, failed }) => [
    untrusted(name),
    formatInteger(requests),
    renderShare(requests / top.requests, requests / total),
    ...(hasOutcomes ? [refused, sourceFailed, failed].map(formatInteger) : []),
  ])
  const hidden = cells.slice(MAX_SHOWN)
  return [
    table(`${title}: most requests`, heads, cells.slice(0, MAX_SHOWN)),
    ...(hidden.length === 0
      ? []
      : [
          element(
            'details',
            { className: 'more' },
            element('summary', {}, `${formatInteger(hidden.length)} more`),
            table(`${title}: further`, heads, hidden),
          ),
        ]),
  ]
}

/** A bar whose length is relative to the longest one. */
function renderShare(length: number, share: number): HTMLElement {
  const bar = element('span', { className: 'proportion' })
  bar.style.setProperty('--length', `${length * 100}%`)
  return element('span', { className: 'shared' }, bar, formatPercent(share))
}
