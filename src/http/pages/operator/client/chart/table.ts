import { element } from '../../../shared/client/dom.ts'
import type { ChartData } from './chart.ts'

/** The numbers of a chart, for those who do not see it; made when it is opened. */
export function createTable(title: string, shown: (value: number) => string) {
  const words = element('span', { className: 'unseen' }, ` of ${title}`)
  const box = element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: title })
  const root = element('details', { className: 'as-table' }, element('summary', {}, 'Table', words), box)
  let data: ChartData | undefined

  const heading = (text: string, scope: string) => element('th', { scope }, text)
  function fill() {
    if (!root.open || !data) return
    const { series, names } = data
    const rows = names.flatMap((name, n) => {
      const values = series.map(({ values }) => values[n])
      if (values.every((value) => value === null || value === undefined)) return []
      const cells = values.map((value) => element('td', {}, typeof value === 'number' ? shown(value) : '–'))
      return [element('tr', {}, heading(name, 'row'), ...cells)]
    })
    const head = element('tr', {}, heading('When', 'col'), ...series.map(({ name }) => heading(name, 'col')))
    // Newest first: what one looks for stands at the top.
    const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows.reverse()))
    box.replaceChildren(table)
  }
  root.addEventListener('toggle', fill)

  return {
    root,
    show(next: ChartData) {
      data = next
      fill()
    },
  }
}
