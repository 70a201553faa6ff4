import { defineFilter } from './define-filter.ts'
import { buildToneTables, mapTables, type ToneCurve } from './kernel-runtime.ts'

/** Bits of red, green and blue in a 16-bit colour. */
const BITS = [5, 6, 5]

/** The 4x4 Bayer matrix: the order in which the pixels of an area switch to the brighter level. */
const BAYER = [
  [0, 8, 2, 10],
  [12, 4, 14, 6],
  [3, 11, 1, 9],
  [15, 7, 13, 5],
]

/** Expands the nth level of a channel to 8 bits by repeating its highest bits. */
const expandLevel = (n: number, bits: number) => (n << (8 - bits)) | (n >> (2 * bits - 8))

/** Picks the level below or above, so that the mean over 16 pixels is the original value. */
function ditherValue(value: number, bits: number, order: number): number {
  const truncated = value >> (8 - bits)
  const n = expandLevel(truncated, bits) > value ? truncated - 1 : truncated
  const lower = expandLevel(n, bits)
  if (lower === value) return value
  const upper = expandLevel(n + 1, bits)
  return (value - lower) * 16 > (upper - lower) * (order + 0.5) ? upper : lower
}

const curve: ToneCurve = (value, channel, x, y) => ditherValue(value, BITS[channel]!, BAYER[y]![x]!)
const tables = { 3: buildToneTables(curve, 3, 4), 4: buildToneTables(curve, 4, 4) }

export const dither565 = defineFilter({
  name: 'dither565',
  summary: 'Reduces to 16-bit colours (5-6-5) with an ordered 4x4 dither that preserves brightness.',
  apply: (frame, kernels) => mapTables(frame, kernels, tables[frame.channels], 4),
})
