import { element, one } from '../../shared/client/dom.ts'
import { axisOfDays, createChart } from './chart.ts'
import type { Colour, Series } from './chart-parts.ts'
import { offerCsv } from './csv.ts'
import { formatCompact } from './format.ts'
import type { Download } from './types.ts'

const DAYS = 30
const DAY_MS = 86_400_000
const COLOURS: readonly Colour[] = ['green', 'violet', 'amber', 'blue', 'pink']
const ALL = 'all'

/** Downloads per day, by application or by version of one application. */
export function createDownloads() {
  const root = one('[data-part="downloads"]')
  const choices = one<HTMLFieldSetElement>('[data-application]', root)
  const chart = createChart('downloads', { kind: 'stacked', format: formatCompact, minimum: 4 })
  let rows: readonly Download[] = []
  let chosen = ALL

  function draw() {
    const days = Array.from({ length: DAYS }, (_, n) =>
      new Date(Date.now() - (DAYS - 1 - n) * DAY_MS).toISOString().slice(0, 10),
    )
    const selected = rows.filter(
      ({ day, application }) => day >= (days[0] ?? '') && [ALL, application].includes(chosen),
    )
    chart.show(toChartData(selected, days, chosen === ALL ? 'application' : 'version'))
  }

  function updateChoices() {
    const names = [ALL, ...new Set(rows.map(({ application }) => application))]
    if (!names.includes(chosen)) chosen = ALL
    const shown = [...choices.querySelectorAll('input')].map(({ value }) => value)
    choices.hidden = names.length < 2
    if (shown.join() === names.join()) return
    for (const label of choices.querySelectorAll('label')) label.remove()
    choices.append(
      ...names.map((name) => {
        const input = element('input', { type: 'radio', name: 'application', value: name, checked: name === chosen })
        return element('label', {}, input, element('span', {}, name))
      }),
    )
  }

  choices.addEventListener('change', (event) => {
    chosen = (event.target as HTMLInputElement).value
    draw()
  })
  offerCsv(root, '/downloads', 'downloads.csv')

  return (next: readonly Download[]) => {
    rows = next
    updateChoices()
    draw()
  }
}

export const toChartData = (rows: readonly Download[], days: readonly string[], by: 'application' | 'version') => ({
  series: buildSeries(rows, days, by),
  ...axisOfDays(days, 7),
})

/** The largest series by name, the rest as "others". */
function buildSeries(rows: readonly Download[], days: readonly string[], by: 'application' | 'version'): Series[] {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(row[by], (sums.get(row[by]) ?? 0) + row.count)
  const names = [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name)
  const series = names
    .slice(0, COLOURS.length)
    .map((name, n) => ({ name, colour: COLOURS[n]!, is: (of: string) => of === name }))
  const rest = names.slice(COLOURS.length)
  const all = [
    ...series,
    ...(rest.length > 0 ? [{ name: 'others', colour: 'grey' as const, is: (of: string) => rest.includes(of) }] : []),
  ]
  return all.map(({ name, colour, is }) => ({
    name,
    colour,
    values: days.map((day) => rows.reduce((sum, row) => sum + (row.day === day && is(row[by]) ? row.count : 0), 0)),
  }))
}
