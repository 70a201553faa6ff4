import type { Scale } from './scale.ts'
import { svg } from './svg.ts'

export type Tone = 'good' | 'calm' | 'warm' | 'wrong' | 'sky' | 'rose' | 'plain'

export interface Series {
  readonly name: string
  readonly tone: Tone
  /** One a column; null where there is nothing to tell. */
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

/** Bars on top of each other: what is added up. */
export function stacked(series: readonly Series[], columns: number, scale: Scale, plot: Plot): SVGElement[] {
  const slot = plot.width / columns
  const gap = slot > 4 ? 1 : 0
  const below: number[] = Array(columns).fill(0)
  return series.map(({ tone, values }) => {
    let d = ''
    for (const [n, value] of values.entries()) {
      if (!value) continue
      const from = below[n] ?? 0
      below[n] = from + value
      const bottom = yOf(plot, scale.place(from))
      const top = Math.min(yOf(plot, scale.place(from + value)), bottom - 0.5)
      d += `M${at(plot.left + n * slot)} ${at(bottom)}V${at(top)}h${at(slot - gap)}V${at(bottom)}z`
    }
    return svg('path', { class: `mark tone-${tone}`, d })
  })
}

export function lines(series: readonly Series[], columns: number, scale: Scale, plot: Plot): SVGElement[] {
  const slot = plot.width / columns
  return series.map(({ tone, values }) => {
    let d = ''
    let drawing = false
    for (const [n, value] of values.entries()) {
      if (value !== null) {
        const place = `${at(plot.left + (n + 0.5) * slot)} ${at(yOf(plot, scale.place(value)))}`
        // A value by itself is a dot.
        d += drawing ? `L${place}` : `M${place}h.1`
      }
      drawing = value !== null
    }
    return svg('path', { class: `line tone-${tone}`, d })
  })
}
