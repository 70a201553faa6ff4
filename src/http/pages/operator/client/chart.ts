import { element, one } from '../../shared/client/dom.ts'
import {
  createLinearScale,
  createLogarithmicScale,
  drawLines,
  drawStackedBars,
  drawTimeAxis,
  drawValueAxis,
  type Plot,
  type Series,
  svg,
} from './chart-parts.ts'
import { formatDay } from './format.ts'

const HEIGHT = 156
const MARGIN = { left: 54, right: 4, top: 8, bottom: 22 }

interface ChartOptions {
  readonly kind: 'stacked' | 'lines' | 'logarithmic'
  readonly format: (value: number) => string
  /** The axis reaches at least this value, so that noise does not look large. */
  readonly minimum?: number
}

export interface ChartData {
  readonly series: readonly Series[]
  /** Full name of each column. */
  readonly names: readonly string[]
  /** Labels on the axis. */
  readonly labels: readonly (string | undefined)[]
  /** The column that the legend shows while the pointer is elsewhere. */
  readonly latest: number
  /** The name of that column in the legend. */
  readonly latestName: string
}

/** An axis of days that ends today, with a label for each `every` days. */
export const axisOfDays = (days: readonly string[], every: number) => ({
  names: days,
  labels: days.map((day, n) => ((days.length - 1 - n) % every === 0 ? formatDay(day) : undefined)),
  latest: days.length - 1,
  latestName: 'today',
})

const findHighest = (series: readonly Series[], sum: boolean): number => {
  const columns = series[0]?.values.length ?? 0
  let highest = 0
  for (let n = 0; n < columns; n++) {
    const values = series.map(({ values }) => values[n] ?? 0)
    highest = Math.max(highest, sum ? values.reduce((total, value) => total + value, 0) : Math.max(...values))
  }
  return highest
}

/** Draws a chart into its `figure` element, with a table of the same numbers for screen readers. */
export function createChart(name: string, options: ChartOptions) {
  const root = one(`[data-chart="${name}"]`)
  const readTitle = () => `${one('h3', root).textContent} ${one('[data-about]', root).textContent}`
  const drawing = svg('svg', { class: 'plot', role: 'img', height: HEIGHT })
  const legend = createLegend(options.format)
  const table = createTable(readTitle, options.format)
  const canvas = element('div', { className: 'canvas' })
  canvas.append(drawing)
  root.append(legend.root, canvas, table.root)
  let data: ChartData | undefined
  let pointed: number | undefined

  function draw() {
    const width = canvas.clientWidth
    if (!data || width === 0) return
    const { series, names, labels, latest, latestName } = data
    const { kind, format, minimum = 1 } = options
    const plot: Plot = {
      left: MARGIN.left,
      top: MARGIN.top,
      width: width - MARGIN.left - MARGIN.right,
      height: HEIGHT - MARGIN.top - MARGIN.bottom,
    }
    const known = series.flatMap(({ values }) => values.filter((value) => value !== null))
    const scale =
      kind === 'logarithmic'
        ? createLogarithmicScale(known)
        : createLinearScale(findHighest(series, kind === 'stacked'), minimum)
    const marks = kind === 'stacked' ? drawStackedBars : drawLines
    drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
    drawing.setAttribute('width', String(width))
    drawing.replaceChildren(
      ...drawValueAxis(scale, plot, format),
      ...drawTimeAxis(labels, plot),
      ...drawCursor(plot, names.length),
      ...marks(series, names.length, scale, plot),
    )
    const column = pointed ?? latest
    legend.show(series, column, (pointed === undefined ? undefined : names[pointed]) ?? latestName)
  }

  function drawCursor({ left, top, width, height }: Plot, columns: number): SVGElement[] {
    if (pointed === undefined) return []
    const slot = width / columns
    const x = (left + pointed * slot).toFixed(1)
    return [svg('rect', { class: 'cursor', x, y: top, width: slot.toFixed(1), height })]
  }

  function summarize({ series, latest }: ChartData): string {
    const parts = series.map(({ name, values }) => {
      const known = values.filter((value) => value !== null)
      const now = values[latest]
      if (known.length === 0 || now === undefined) return `${name}: none`
      return `${name}: last ${now === null ? 'none' : options.format(now)}, maximum ${options.format(Math.max(...known))}`
    })
    return `${readTitle()}. ${parts.join('; ')}.`
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
    root,
    show(next: ChartData) {
      data = next
      drawing.setAttribute('aria-label', summarize(next))
      table.show(next)
      draw()
    },
  }
}

/** The names of the series and their values in one column. */
function createLegend(format: (value: number) => string) {
  const root = element('ul', { className: 'legend' })
  return {
    root,
    show(series: readonly Series[], column: number, when: string) {
      const items = series.map(({ name, colour, values }) => {
        const value = values[column]
        const swatch = element('span', { className: `swatch colour-${colour}` })
        const text = value === null || value === undefined ? '–' : format(value)
        return element('li', {}, swatch, element('bdi', {}, name), ' ', element('b', {}, text))
      })
      const none = element('li', { className: 'none' }, 'no data in this range')
      const time = element('li', { className: 'when' }, when)
      root.replaceChildren(...(items.length > 0 ? [...items, time] : [none]))
    },
  }
}

/** The numbers of a chart as a table, built when it is opened. */
function createTable(readTitle: () => string, format: (value: number) => string) {
  const words = element('span', { className: 'visually-hidden' })
  const box = element('div', { className: 'scroll', tabIndex: 0, role: 'region' })
  const root = element('details', { className: 'as-table' }, element('summary', {}, 'Table', words), box)
  let data: ChartData | undefined

  /** The title changes with the time range. */
  function updateTitle() {
    words.textContent = ` of ${readTitle()}`
    box.ariaLabel = readTitle()
  }
  updateTitle()

  const heading = (text: string, scope: string) => element('th', { scope }, text)
  function fill() {
    if (!root.open || !data) return
    const { series, names } = data
    const rows = names.flatMap((name, n) => {
      const values = series.map(({ values }) => values[n])
      if (values.every((value) => value === null || value === undefined)) return []
      const cells = values.map((value) => element('td', {}, typeof value === 'number' ? format(value) : '–'))
      return [element('tr', {}, heading(name, 'row'), ...cells)]
    })
    const head = element('tr', {}, heading('Time', 'col'), ...series.map(({ name }) => heading(name, 'col')))
    // Newest first.
    const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows.reverse()))
    box.replaceChildren(table)
  }
  root.addEventListener('toggle', fill)

  return {
    root,
    show(next: ChartData) {
      data = next
      updateTitle()
      fill()
    },
  }
}
