// The sums over a square of pixels around each sample of a row, which slide down row by row, and their means.
import type { Frame } from './define-filter.ts'
import type { Kernels } from './kernel-runtime.ts'

export interface SquareSums {
  reset(): void
  add(row: number, times: number): void
  slide(enters: number, leaves: number): void
  writeMeans(out: number): void
}

/** Addresses. `changes` has a margin on both sides, and the 16 bytes before a row of means are overwritten. */
export interface SumsMemory {
  readonly sums: number
  readonly changes: number
  /** A row that is not in use. */
  readonly spare: number
}

/** Kernels handle 16 samples at a time, and 16 more. */
export const countPadded = (count: number) => 16 * Math.ceil(count / 16) + 16

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
export function createSums(kernels: Kernels, { width }: Frame, radius: number, memory: SumsMemory): SquareSums {
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
export function createDeepSums(kernels: Kernels, { width }: Frame, radius: number, memory: SumsMemory): SquareSums {
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
