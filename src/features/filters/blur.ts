import { defineFilter, type Frame } from './define-filter.ts'
import type { Kernels } from './kernel-runtime.ts'
import { countPadded, createDeepSums, createSums } from './square-sums.ts'

export const blur = defineFilter({
  name: 'blur',
  summary: 'Box blur, two passes; radius = strength, rounded to whole pixels.',
  strength: { min: 1, max: 256, default: 5 },
  apply: (frame, kernels, strength) => applyBoxBlur(frame, Math.round(strength), kernels),
})

/** Writes the next row, from top to bottom, to this address. */
type RowWriter = (address: number) => void

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
  const samples = countPadded(count)
  const rowBytes = samples * (channels === 3 ? 1 : 2)
  const slots = Math.min(2 * radius + 2, height)
  const ringBytes = rowBytes * slots
  // A pixel has 6 bytes of changes.
  const marginBytes = 16 * Math.ceil((6 * (radius + 2)) / 16)
  const changesBytes = 2 * (samples + marginBytes)
  const sumsBytes = 4 * samples
  const addresses = kernels.allocate(changesBytes, rowBytes, count, ringBytes, sumsBytes, ringBytes, sumsBytes)
  const [margin, blurred, pixels, ring1, sums1, ring2, sums2] = addresses
  const depth = computeDepth((2 * radius + 1) ** 2)
  const lastRow = height - 1

  function createPass(writeRow: RowWriter, ring: number, sumsAt: number): RowWriter {
    const memory = { sums: sumsAt, changes: margin + marginBytes, spare: blurred }
    const sums = (channels === 3 ? createSums : createDeepSums)(kernels, frame, radius, memory)
    const slot = (y: number) => ring + (y % slots) * rowBytes
    let y = 0
    function start() {
      const rows = Math.min(radius, lastRow) + 1
      for (let row = 0; row < rows; row++) writeRow(slot(row))
      sums.reset()
      for (let row = 0; row < rows; row++) {
        const above = row === 0 ? radius : 0
        const below = row === lastRow ? radius - lastRow : 0
        sums.add(slot(row), 1 + above + below)
      }
    }
    function slide() {
      const entering = Math.min(y + radius, lastRow)
      if (y + radius <= lastRow) writeRow(slot(entering))
      sums.slide(slot(entering), slot(Math.max(y - 1 - radius, 0)))
    }
    return (address) => {
      if (y === 0) start()
      else slide()
      y++
      sums.writeMeans(address)
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
