import type { Plot } from './marks.ts'
import type { Scale } from './scale.ts'
import { svg } from './svg.ts'

/** Lines with their values at the left. */
export const valueAxis = (scale: Scale, plot: Plot, shown: (value: number) => string): SVGElement[] =>
  scale.ticks.flatMap((tick) => {
    const y = (plot.top + plot.height * (1 - scale.place(tick))).toFixed(1)
    return [
      svg('line', { class: 'grid', x1: plot.left, x2: plot.left + plot.width, y1: y, y2: y }),
      svg('text', { class: 'tick', x: plot.left - 6, y, dy: '.32em', 'text-anchor': 'end' }, shown(tick)),
    ]
  })

/** The columns that have a label, told at the bottom. */
export function timeAxis(labels: readonly (string | undefined)[], plot: Plot): SVGElement[] {
  const slot = plot.width / labels.length
  return labels.flatMap((label, n) => {
    if (label === undefined) return []
    const x = plot.left + n * slot
    // Near the end a label would be cut off.
    const anchor = plot.left + plot.width - x < 18 ? 'end' : 'middle'
    const y = plot.top + plot.height + 15
    return [svg('text', { class: 'tick', x: x.toFixed(1), y, 'text-anchor': anchor }, label)]
  })
}
