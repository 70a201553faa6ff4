import { computeWindowBytes, copyWindows, defineFilter } from './define-filter.ts'

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
function chooseLevel(value: number, bits: number, order: number): number {
  const truncated = value >> (8 - bits)
  const n = expandLevel(truncated, bits) > value ? truncated - 1 : truncated
  const [lower, upper] = [expandLevel(n, bits), expandLevel(n + 1, bits)]
  return (value - lower) * 16 > (upper - lower) * (order + 0.5) ? n + 1 : n
}

/** The kernel computes the level as (value * factor + offset) / STEPS, and the new value as level * expansion / 16. */
const STEPS = 1024
const factors: Record<number, number> = { 5: 124, 6: 252 }
const expansions: Record<number, number> = { 5: 132, 6: 65 }

/** The least offset that reaches the level of every value. */
const findOffset = (bits: number, order: number) =>
  Math.max(
    ...Array.from({ length: 256 }, (_, value) => chooseLevel(value, bits, order) * STEPS - value * factors[bits]!),
  )

/** The pattern repeats after four pixels, and the kernel handles 48 samples at once. */
const SAMPLES = 48
const LANES = 8

/** For each row of the pattern: factors, offsets and expansions of eight samples, then those of the next eight. */
function buildCoefficients(channels: 3 | 4): Uint8Array {
  const coefficients = new Uint16Array(4 * SAMPLES * 3)
  for (let y = 0; y < 4; y++) {
    for (let sample = 0; sample < SAMPLES; sample++) {
      const bits = BITS[sample % channels]
      // Alpha has no bits. The kernel leaves it as it is.
      if (bits === undefined) continue
      const order = BAYER[y]![Math.floor(sample / channels) % 4]!
      const at = (y * SAMPLES + sample - (sample % LANES)) * 3 + (sample % LANES)
      coefficients[at] = factors[bits]!
      coefficients[at + LANES] = findOffset(bits, order)
      coefficients[at + 2 * LANES] = expansions[bits]!
    }
  }
  return new Uint8Array(coefficients.buffer)
}

/** Built at the first use: only the processes that filter images need them. */
const coefficients: { 3?: Uint8Array; 4?: Uint8Array } = {}

export const dither565 = defineFilter({
  name: 'dither565',
  summary: 'Reduces to 16-bit colours (5-6-5) with an ordered 4x4 dither that preserves brightness.',
  apply: (frame, kernels) => {
    coefficients[frame.channels] ??= buildCoefficients(frame.channels)
    const used = coefficients[frame.channels]!
    const [window, usedAt] = kernels.allocate(computeWindowBytes(frame), used.length)
    kernels.bytes().set(used, usedAt)
    for (const { rows } of copyWindows(frame, kernels, window)) {
      kernels.run.dither(window, frame.width * frame.channels, rows, frame.channels, usedAt)
    }
  },
})
