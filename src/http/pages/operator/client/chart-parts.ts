const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Name] {
  const node = document.createElementNS(SVG_NAMESPACE, name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value))
  node.append(...children)
  return node
}

/** Maps a value to its height between 0 (bottom) and 1 (top), and lists the values with a grid line. */
interface Scale {
  readonly place: (value: number) => number
  readonly ticks: readonly number[]
}

const GRID_LINES = 3

/** The next 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= value) ?? value
}

export function createLinearScale(highest: number, minimum: number): Scale {
  const step = roundUp(Math.max(highest, minimum) / GRID_LINES)
  const top = Math.max(1, Math.ceil(Math.max(highest, minimum) / step)) * step
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step)
  return { place: (value) => value / top, ticks }
}

/** For durations, which span powers of ten. */
export function createLogarithmicScale(values: readonly number[]): Scale {
  const low = Math.floor(Math.log10(Math.min(...values, 1)))
  const high = Math.max(low + 2, Math.ceil(Math.log10(Math.max(...values, 1))))
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  return { place: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low), ticks }
}

export type Colour = 'green' | 'violet' | 'amber' | 'red' | 'blue' | 'pink' | 'grey'

export interface Series {
  readonly name: string
  readonly colour: Colour
  /** One per column; null without data. */
  readonly values: readonly (number | null)[]
}

export interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const yOf = ({ top, height }: Plot, share: number) => top + height * (1 - share)
const at = (value: number) => value.toFixed(1)

export function drawStackedBars(series: readonly Series[], columns: number, scale: Scale, plot: Plot): SVGElement[] {
  const slot = plot.width / columns
  const gap = slot > 4 ? 1 : 0
  const heights: number[] = Array(columns).fill(0)
  return series.map(({ colour, values }) => {
    let d = ''
    for (const [n, value] of values.entries()) {
      if (!value) continue
      const from = heights[n] ?? 0
      heights[n] = from + value
      const bottom = yOf(plot, scale.place(from))
      const top = Math.min(yOf(plot, scale.place(from + value)), bottom - 0.5)
      d += `M${at(plot.left + n * slot)} ${at(bottom)}V${at(top)}h${at(slot - gap)}V${at(bottom)}z`
    }
    return svg('path', { class: `mark colour-${colour}`, d })
  })
}

export function drawLines(series: readonly Series[], columns: number, scale: Scale, plot: Plot): SVGElement[] {
  const slot = plot.width / columns
  return series.map(({ colour, values }) => {
    let d = ''
    let drawing = false
    for (const [n, value] of values.entries()) {
      if (value !== null) {
        const place = `${at(plot.left + (n + 0.5) * slot)} ${at(yOf(plot, scale.place(value)))}`
        // A single value becomes a dot.
        d += drawing ? `L${place}` : `M${place}h.1`
      }
      drawing = value !== null
    }
    return svg('path', { class: `line colour-${colour}`, d })
  })
}

/** Grid lines with their values on the left. */
export const drawValueAxis = (scale: Scale, plot: Plot, format: (value: number) => string): SVGElement[] =>
  scale.ticks.flatMap((tick) => {
    const y = at(yOf(plot, scale.place(tick)))
    return [
      svg('line', { class: 'grid', x1: plot.left, x2: plot.left + plot.width, y1: y, y2: y }),
      svg('text', { class: 'tick', x: plot.left - 6, y, dy: '.32em', 'text-anchor': 'end' }, format(tick)),
    ]
  })

/** Labels below the columns that have one. */
export function drawTimeAxis(labels: readonly (string | undefined)[], plot: Plot): SVGElement[] {
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
