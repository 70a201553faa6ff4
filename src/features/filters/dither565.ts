import type { Filter } from './define.ts'
import { mapTables, type Tones, toneTables } from './tones.ts'

/** Bits of red, green and blue in a 16-bit colour. */
const BITS = [5, 6, 5]

/** The ordered 4x4 Bayer matrix: the order in which the pixels of a field turn to the brighter colour. */
const BAYER = [
  [0, 8, 2, 10],
  [12, 4, 14, 6],
  [3, 11, 1, 9],
  [15, 7, 13, 5],
]

/** The nth of the 8-bit values that so many bits can say: the bits, and again their highest ones. */
const level = (n: number, bits: number) => (n << (8 - bits)) | (n >> (2 * bits - 8))

/** Of 16 pixels, as many take the level above as the value is sixteenths of the way up to it: the mean is kept. */
function dithered(value: number, bits: number, order: number): number {
  const cut = value >> (8 - bits)
  const n = level(cut, bits) > value ? cut - 1 : cut
  const below = level(n, bits)
  if (below === value) return value
  const above = level(n + 1, bits)
  return (value - below) * 16 > (above - below) * (order + 0.5) ? above : below
}

const tones: Tones = (value, channel, x, y) => dithered(value, BITS[channel]!, BAYER[y]![x]!)
const tables = { 3: toneTables(tones, 3, 4), 4: toneTables(tones, 4, 4) }

export const dither565: Filter = {
  name: 'dither565',
  summary: 'Reduces to the 16-bit 5-6-5 colours with an ordered 4x4 dither that keeps the brightness.',
  apply: (frame, kernels) => mapTables(frame, kernels, tables[frame.channels], 4),
}
