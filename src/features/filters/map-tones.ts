import { computeWindowBytes, copyWindows, type Frame, type Kernels } from './define-filter.ts'

export interface ToneCurve {
  /** The new value of a sample. It is rounded down and limited to 0 to 255. */
  readonly compute: (value: number) => number
  /** Only if the curve is a straight line, which takes a sixth of the time of other curves. */
  readonly slope?: number
}

/** The kernel calculates with this many steps per level. */
const STEPS = 65_536

/** A line as the kernel needs it: (value * factor + offset) / STEPS, rounded down and limited, is the new value. */
type Line = { readonly factor: number; readonly offset: number }

const unchanged: Line = { factor: STEPS, offset: 0 }

const buildTable = ({ compute }: ToneCurve) =>
  Uint8ClampedArray.from({ length: 256 }, (_, value) => Math.floor(compute(value)))

/** Finds integers that give exactly the values of the table. There are none for very few curves. */
function findLine(table: Uint8ClampedArray, slope = Number.NaN): Line | undefined {
  for (const factor of [Math.floor(slope * STEPS), Math.ceil(slope * STEPS)]) {
    let [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    table.forEach((level, value) => {
      if (level > 0) min = Math.max(min, level * STEPS - value * factor)
      if (level < 255) max = Math.min(max, (level + 1) * STEPS - 1 - value * factor)
    })
    const offset = Number.isFinite(min) ? min : max
    const fits = [offset, offset + 255 * factor].every((end) => Math.abs(end) < 2 ** 31)
    if (min <= max && fits) return { factor, offset }
  }
  return undefined
}

function lookUp({ data, channels }: Frame, channel: number, table: Uint8ClampedArray): void {
  for (let at = channel; at < data.length; at += channels) data[at] = table[data[at]!]!
}

/** Three vectors of factors for four samples each, which then repeat, and three of offsets. */
const LANES = 12

/** Applies one curve to each colour channel. Alpha stays as it is. */
export function mapTones(frame: Frame, kernels: Kernels, curves: readonly ToneCurve[]): void {
  const tables = curves.map(buildTable)
  const lines = curves.map(({ slope }, channel) => findLine(tables[channel]!, slope))
  if (lines.includes(undefined)) {
    for (const [channel, table] of tables.entries()) lookUp(frame, channel, table)
    return
  }
  const lanes = Array.from({ length: LANES }, (_, lane) => lines[lane % frame.channels] ?? unchanged)
  const coefficients = Int32Array.from([...lanes.map(({ factor }) => factor), ...lanes.map(({ offset }) => offset)])
  const [window, linesAt] = kernels.allocate(computeWindowBytes(frame), coefficients.byteLength)
  kernels.bytes().set(new Uint8Array(coefficients.buffer), linesAt)
  for (const { length } of copyWindows(frame, kernels, window)) kernels.run.mapLines(window, length, linesAt)
}
