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

/** Kernels for pixels without alpha (8-bit samples) or with alpha (16-bit samples); see kernels/box.ts. */
function chooseKernels({ run }: Kernels, channels: 3 | 4) {
  return channels === 3
    ? { sampleBytes: 1, addRow: run.addRow, slideRow: run.slideRow, meanRow: run.meanRow }
    : { sampleBytes: 2, addRow: run.addDeepRow, slideRow: run.slideDeepRow, meanRow: run.meanDeepRow }
}

/** For `divide` in kernels/box.ts: byte `pick` of its result is the quotient, the first byte that rounding leaves exact. */
export function computeReciprocal(n: number) {
  const pick = n < 256 ? 0 : n < 65_536 ? 1 : 2
  return { reciprocal: Math.ceil(2 ** (32 + 8 * pick) / n), pick }
}

/** Sums have 32 bits and samples 16. */
const MAX_SUM = 2 ** 32
const MAX_DEPTH = 257

/** Steps per level of a sample with alpha: the most for which the sum over `n` pixels fits. 257 keeps every colour exact. */
const computeDepth = (n: number) => Math.min(MAX_DEPTH, Math.floor((MAX_SUM - n) / (255 * n)))

/**
 * Computes the rounded mean over a square of 2 * radius + 1 pixels per side, twice, with repeated edges: an area of one
 * colour keeps it, where Jimp, which rounds down, darkens it by a level. The second pass follows
 * the first by `radius` rows. So each pass keeps only the rows of its square, and the frame is overwritten while it is
 * read.
 */
function applyBoxBlur(frame: Frame, radius: number, kernels: Kernels) {
  const { width, height, channels, data } = frame
  const count = width * channels
  const { sampleBytes, addRow, slideRow, meanRow } = chooseKernels(kernels, channels)
  const rowBytes = Math.ceil((count * sampleBytes) / 16) * 16 + 16
  const slots = Math.min(2 * radius + 2, height)
  const ringBytes = rowBytes * slots
  const sumsBytes = rowBytes * 4
  const addresses = kernels.allocate(count, rowBytes, ringBytes, sumsBytes, ringBytes, sumsBytes)
  const [pixels, blurred, ring1, sums1, ring2, sums2] = addresses
  const n = (2 * radius + 1) ** 2
  const { reciprocal, pick } = computeReciprocal(n)
  const half = Math.floor(n / 2)
  const depth = computeDepth(n)
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
        addRow(sums, slot(row), count, 1 + above + below)
      }
    }
    function slide() {
      const entering = Math.min(y + radius, lastRow)
      if (y + radius <= lastRow) writeRow(slot(entering))
      slideRow(sums, slot(entering), slot(Math.max(y - 1 - radius, 0)), count)
    }
    return (address) => {
      if (y === 0) start()
      else slide()
      y++
      meanRow(sums, address, width, radius, reciprocal, pick, half)
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
