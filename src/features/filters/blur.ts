import { defineFilter, type Frame, type Kernels } from './define-filter.ts'

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
 * colour keeps it, where Jimp, which rounds down, darkens it by a level. The second pass follows the first by `radius`
 * rows. So each pass keeps only the rows of its square, and the frame is overwritten while it is read.
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

// The sums over a square of pixels around each sample of a row, which slide down row by row, and their means.

interface SquareSums {
  reset(): void
  add(row: number, times: number): void
  slide(enters: number, leaves: number): void
  writeMeans(out: number): void
}

/** Addresses. `changes` has a margin on both sides, and the 16 bytes before a row of means are overwritten. */
interface SumsMemory {
  readonly sums: number
  readonly changes: number
  /** A row that is not in use. */
  readonly spare: number
}

/** Kernels handle 16 samples at a time, and 16 more. */
const countPadded = (count: number) => 16 * Math.ceil(count / 16) + 16

/** For `divide` in kernels/box.ts: byte `pick` of its result is the quotient, the first byte that rounding leaves exact. */
export function computeReciprocal(n: number) {
  const pick = n < 256 ? 0 : n < 65_536 ? 1 : 2
  return { reciprocal: Math.ceil(2 ** (32 + 8 * pick) / n), pick }
}

/** For `divideNarrow` in kernels/box.ts: 256 / n is `whole` + `fraction` / 2^15. */
export function computeNarrowReciprocal(n: number) {
  const whole = Math.floor(256 / n)
  return { whole, fraction: Math.round((256 / n - whole) * 2 ** 15) }
}

/** The sum of a square of pixels fits into 16 bits. */
const MAX_NARROW_RADIUS = 7
/** Three sums of this many samples fit into 15 bits. */
const MAX_ADDED_ROWS = 42

/** For rows without alpha. */
function createSums(kernels: Kernels, { width }: Frame, radius: number, memory: SumsMemory): SquareSums {
  const { bytes, run } = kernels
  const { sums, changes, spare } = memory
  const count = 3 * width
  const samples = countPadded(count)
  const n = (2 * radius + 1) ** 2
  const half = (n - 1) / 2
  const isNarrow = radius <= MAX_NARROW_RADIUS
  const { reciprocal, pick } = computeReciprocal(n)
  const scale = 256 ** (2 - pick)
  const { whole, fraction } = computeNarrowReciprocal(n)
  const writeMeans = isNarrow
    ? (out: number) => run.meanNarrowRow(changes, sums, out, width, radius, whole, fraction)
    : (out: number) => run.meanRow(changes, sums, out, width, radius, scale, reciprocal)
  const clearChanges = () => bytes().fill(0, changes, changes + 2 * samples)
  let added = 0
  function add(row: number, times: number): void {
    const fitting = Math.min(times, MAX_ADDED_ROWS - added)
    run.addRow(changes, row, count, fitting)
    added += fitting
    if (added < MAX_ADDED_ROWS) return
    writeMeans(spare)
    clearChanges()
    added = 0
    if (times > fitting) add(row, times - fitting)
  }
  return {
    reset() {
      clearChanges()
      const { buffer } = bytes()
      // Narrow sums are relative to the middle level.
      if (isNarrow) new Int16Array(buffer, sums, samples).fill(half - 128 * n)
      else new Uint32Array(buffer, sums, samples).fill(half * scale)
    },
    add,
    slide: (enters, leaves) => run.subtractRows(changes, enters, leaves, count),
    writeMeans,
  }
}

/** For rows with alpha, whose samples have 16 bits. */
function createDeepSums(kernels: Kernels, { width }: Frame, radius: number, memory: SumsMemory): SquareSums {
  const { bytes, run } = kernels
  const { sums, changes: zeros } = memory
  const count = 4 * width
  const samples = countPadded(count)
  const n = (2 * radius + 1) ** 2
  const { reciprocal, pick } = computeReciprocal(n)
  return {
    reset() {
      bytes()
        .fill(0, zeros, zeros + 2 * samples)
        .fill(0, sums, sums + 4 * samples)
    },
    add(row, times) {
      for (let time = 0; time < times; time++) run.slideDeepRow(sums, row, zeros, count)
    },
    slide: (enters, leaves) => run.slideDeepRow(sums, enters, leaves, count),
    writeMeans: (out) => run.meanDeepRow(sums, out, width, radius, reciprocal, pick, (n - 1) / 2),
  }
}
