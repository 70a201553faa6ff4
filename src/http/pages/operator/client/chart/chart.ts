import { element, one } from '../../../shared/client/dom.ts'
import { timeAxis, valueAxis } from './axes.ts'
import { createLegend } from './legend.ts'
import { lines, type Plot, type Series, stacked } from './marks.ts'
import { linear, logarithmic } from './scale.ts'
import { svg } from './svg.ts'
import { createTable } from './table.ts'

const HEIGHT = 156
const MARGIN = { left: 54, right: 4, top: 8, bottom: 22 }

export interface ChartOptions {
  readonly kind: 'stacked' | 'lines' | 'logarithmic'
  readonly shown: (value: number) => string
  /** The top of the chart is at least this: noise must not look like a mountain. */
  readonly least?: number
}

export interface ChartData {
  readonly series: readonly Series[]
  /** What each column is called; exact. */
  readonly names: readonly string[]
  /** What stands below the columns that are labelled. */
  readonly labels: readonly (string | undefined)[]
  /** The column that is told where none is pointed at. */
  readonly latest: number
}

const highestOf = (series: readonly Series[], sum: boolean): number => {
  const columns = series[0]?.values.length ?? 0
  let highest = 0
  for (let n = 0; n < columns; n++) {
    const values = series.map(({ values }) => values[n] ?? 0)
    highest = Math.max(highest, sum ? values.reduce((total, value) => total + value, 0) : Math.max(...values))
  }
  return highest
}

/** A chart in a figure that the page has: drawn for the eye, in a table for all others. */
export function createChart(name: string, options: ChartOptions) {
  const root = one(`[data-chart="${name}"]`)
  const title = `${one('h3', root).textContent} ${one('[data-about]', root).textContent}`
  const drawing = svg('svg', { class: 'drawing', role: 'img', height: HEIGHT })
  const legend = createLegend(options.shown)
  const table = createTable(title, options.shown)
  const canvas = element('div', { className: 'canvas' })
  canvas.append(drawing)
  root.append(legend.root, canvas, table.root)
  let data: ChartData | undefined
  let pointed: number | undefined

  function draw() {
    const width = canvas.clientWidth
    if (!data || width === 0) return
    const { series, names, labels, latest } = data
    const { kind, shown, least = 1 } = options
    const plot: Plot = {
      left: MARGIN.left,
      top: MARGIN.top,
      width: width - MARGIN.left - MARGIN.right,
      height: HEIGHT - MARGIN.top - MARGIN.bottom,
    }
    const known = series.flatMap(({ values }) => values.filter((value) => value !== null))
    const scale = kind === 'logarithmic' ? logarithmic(known) : linear(highestOf(series, kind === 'stacked'), least)
    const marks = kind === 'stacked' ? stacked : lines
    drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
    drawing.setAttribute('width', String(width))
    drawing.replaceChildren(
      ...valueAxis(scale, plot, shown),
      ...timeAxis(labels, plot),
      ...cursor(plot, names.length),
      ...marks(series, names.length, scale, plot),
    )
    const told = pointed ?? latest
    legend.show(series, told, pointed === undefined ? undefined : names[told])
  }

  function cursor({ left, top, width, height }: Plot, columns: number): SVGElement[] {
    if (pointed === undefined) return []
    const slot = width / columns
    const x = (left + pointed * slot).toFixed(1)
    return [svg('rect', { class: 'cursor', x, y: top, width: slot.toFixed(1), height })]
  }

  function summary({ series, latest }: ChartData): string {
    const parts = series.map(({ name, values }) => {
      const known = values.filter((value) => value !== null)
      const now = values[latest]
      if (known.length === 0 || now === undefined) return `${name}: none`
      return `${name}: last ${now === null ? 'none' : options.shown(now)}, most ${options.shown(Math.max(...known))}`
    })
    return `${title}. ${parts.join('; ')}.`
  }

  drawing.addEventListener('pointermove', ({ clientX }) => {
    if (!data) return
    const { left, width } = drawing.getBoundingClientRect()
    const share = (clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right)
    const column = Math.floor(share * data.names.length)
    pointed = column >= 0 && column < data.names.length ? column : undefined
    draw()
  })
  drawing.addEventListener('pointerleave', () => {
    pointed = undefined
    draw()
  })
  new ResizeObserver(draw).observe(canvas)

  return {
    show(next: ChartData) {
      data = next
      drawing.setAttribute('aria-label', summary(next))
      table.show(next)
      draw()
    },
  }
}
