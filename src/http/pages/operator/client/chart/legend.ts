import { element } from '../../../shared/client/dom.ts'
import type { Series } from './marks.ts'

/** The names of the series with their value in one column, which is the last where none is pointed at. */
export function createLegend(shown: (value: number) => string) {
  const root = element('ul', { className: 'legend' })
  return {
    root,
    show(series: readonly Series[], column: number, when: string | undefined) {
      const items = series.map(({ name, tone, values }) => {
        const value = values[column]
        const swatch = element('span', { className: `swatch tone-${tone}` })
        const told = value === null || value === undefined ? '–' : shown(value)
        return element('li', {}, swatch, element('bdi', {}, name), ' ', element('b', {}, told))
      })
      const none = element('li', { className: 'none' }, 'nothing in this time')
      root.replaceChildren(
        ...(items.length > 0 ? items : [none]),
        ...(when ? [element('li', { className: 'when' }, when)] : []),
      )
    },
  }
}
