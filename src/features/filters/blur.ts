import { defineFilter, type Frame } from './define-filter.ts'
import type { Kernels } from './kernel-runtime.ts'

export const blur = defineFilter({
  name: 'blur',
  summary: 'Box blur, two passes; radius = strength, rounded to whole pixels.',
  strength: { min: 1, max: 256, default: 5 },
  apply: (frame, kernels, strength) => applyBoxBlur(frame, Math.round(strength), kernels),
})

/** Writes the next row, from top to bottom, to this address. */
type RowWriter = (address: number) => void

/** For `divide` in kernels/box.ts: byte `pick` of its result is the quotient, the first byte that rounding leaves exact. */
export function computeReciprocal(n: number) {
  const pick = n < 256 ? 0 : n < 65_536 ? 1 : 2
  return { reciprocal: Math.ceil(2 ** (32 + 8 * pick) / n), pick }
}

/**
 * For `divideNarrow` in kernels/box.ts: bits 23 to 30 of (sum * scale) * reciprocal are the quotient. Both factors have as
 * many of their 16 bits as fit.
 */
export function computeScaledReciprocal(n: number) {
  const bits = Math.floor(Math.log2(n))
  return { scale: 2 ** (7 - bits), reciprocal: Math.ceil(2 ** (16 + bits) / n) }
}

/** The sum of a square of pixels fits into 16 bits. */
const MAX_NARROW_RADIUS = 7

/** Sums have 32 bits and samples 16. */
const MAX_SUM = 2 ** 32
const MAX_DEPTH = 257

/** Steps per level of a sample with alpha: the most for which the sum over `n` pixels fits. 257 keeps every colour exact. */
const computeDepth = (n: number) => Math.min(MAX_DEPTH, Math.floor((MAX_SUM - n) / (255 * n)))

/** The kernels for a radius. `pairs` is memory for as many sums as a row has. */
function chooseKernels({ run }: Kernels, { width, channels }: Frame, radius: number, pairs: number) {
  const count = width * channels
  const n = (2 * radius + 1) ** 2
  const half = Math.floor(n / 2)
  if (channels === 3 && radius <= MAX_NARROW_RADIUS) {
    const { scale, reciprocal } = computeScaledReciprocal(n)
    return {
      slideRow: (sums: number, enters: number, leaves: number) =>
        run.slideNarrowRow(sums, enters, leaves, pairs, count, scale),
      meanRow: (sums: number, out: number) =>
        run.meanNarrowRow(sums, pairs, out, width, radius, reciprocal, half * scale),
    }
  }
  const { reciprocal, pick } = computeReciprocal(n)
  const [slideRow, meanRow] = channels === 3 ? [run.slideRow, run.meanRow] : [run.slideDeepRow, run.meanDeepRow]
  return {
    slideRow: (sums: number, enters: number, leaves: number) => slideRow(sums, enters, leaves, count),
    meanRow: (sums: number, out: number) => meanRow(sums, out, width, radius, reciprocal, pick, half),
  }
}

/** For the edges of a row. */
const MARGIN_BYTES = 256

/**
 * Computes the rounded mean over a square of 2 * radius + 1 pixels per side, twice, with repeated edges: an area of one
 * colour keeps it, where Jimp, which rounds down, darkens it by a level. The second pass follows
 * the first by `radius` rows. So each pass keeps only the rows of its square, and the frame is overwritten while it is
 * read.
 */
function applyBoxBlur(frame: Frame, radius: number, kernels: Kernels) {
  const { width, height, channels, data } = frame
  const count = width * channels
  const sampleBytes = channels === 3 ? 1 : 2
  const rowBytes = Math.ceil((count * sampleBytes) / 16) * 16 + 16
  const slots = Math.min(2 * radius + 2, height)
  const ringBytes = rowBytes * slots
  const sumsBytes = rowBytes * 4 + MARGIN_BYTES
  const addresses = kernels.allocate(count, rowBytes, rowBytes, sumsBytes, ringBytes, sumsBytes, ringBytes, sumsBytes)
  const [pixels, blurred, zeros, pairs, ring1, sums1, ring2, sums2] = addresses
  kernels.bytes().fill(0, zeros, zeros + rowBytes)
  const { slideRow, meanRow } = chooseKernels(kernels, frame, radius, pairs)
  const depth = computeDepth((2 * radius + 1) ** 2)
  const lastRow = height - 1

  function createPass(writeRow: RowWriter, ring: number, sums: number): RowWriter {
    const slot = (y: number) => ring + (y % slots) * rowBytes
    let y = 0
    function start() {
      kernels.bytes().fill(0, sums, sums + sumsBytes)
      for (let row = 0; row <= Math.min(radius, lastRow); row++) {
        writeRow(slot(row))
        const above = row === 0 ? radius : 0
        const below = row === lastRow ? radius - lastRow : 0
        for (let times = 0; times < 1 + above + below; times++) slideRow(sums, slot(row), zeros)
      }
    }
    function slide() {
      const entering = Math.min(y + radius, lastRow)
      if (y + radius <= lastRow) writeRow(slot(entering))
      slideRow(sums, slot(entering), slot(Math.max(y - 1 - radius, 0)))
    }
    return (address) => {
      if (y === 0) start()
      else slide()
      y++
      meanRow(sums, address)
    }
  }

  let next = 0
  const readSource: RowWriter = (address) => {
    const row = data.subarray(next, next + count)
    next += count
    if (channels === 3) return kernels.bytes().set(row, address)
    kernels.bytes().set(row, pixels)
    kernels.run.premultiplyRow(pixels, address, width, depth)
  }
  const writeBlurred = createPass(createPass(readSource, ring1, sums1), ring2, sums2)
  for (let y = 0; y < height; y++) {
    writeBlurred(blurred)
    if (channels === 4) kernels.run.unpremultiplyRow(blurred, pixels, width, depth)
    const from = channels === 4 ? pixels : blurred
    data.set(kernels.bytes().subarray(from, from + count), y * count)
  }
}
