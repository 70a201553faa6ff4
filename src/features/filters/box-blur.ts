import type { Frame } from './define.ts'
import type { Kernels } from './wasm.ts'

/** Writes its next row, from the top down, to this address. */
type Rows = (address: number) => void

/** The kernels for pixels without alpha, or for pixels with it: see kernels/box.ts and kernels/deep-box.ts. */
function flavour({ run }: Kernels, channels: 3 | 4) {
  return channels === 3
    ? { sampleBytes: 1, addRow: run.addRow, slideRow: run.slideRow, meanRow: run.meanRow }
    : { sampleBytes: 2, addRow: run.addDeepRow, slideRow: run.slideDeepRow, meanRow: run.meanDeepRow }
}

/** For `divide` in kernels/box.ts: its result lies in byte `pick`, the first where rounding does no harm. */
export function reciprocalOf(n: number) {
  const pick = n < 256 ? 0 : n < 65_536 ? 1 : 2
  return { reciprocal: Math.ceil(2 ** (32 + 8 * pick) / n), pick }
}

/** 1 / n in 8 significant bits, rounded up. */
function coarseReciprocal(n: number) {
  const scale = 2 ** (8 + Math.floor(Math.log2(n)))
  return Math.ceil(scale / n) / scale
}

/** Up to this radius the sums of Jimp's blur fit the 32 bits that it shifts; above, it can be no reference. */
const JIMP_LIMIT = 144

/**
 * How to divide by the pixels of the square. Jimp does it with a reciprocal of 8 bits, rounded up. Where that makes
 * less than a level of 255 we do the same. Where it makes more, Jimp scales back by the alpha that came out too great,
 * and each of its two rounds so takes a level off all values but the brightest; we divide exactly and take it off once.
 * So flat fields stay within one level of Jimp's and within one level of what they were.
 */
export function division(radius: number) {
  const n = (2 * radius + 1) ** 2
  const exact = { ...reciprocalOf(n), loweredUnder: 0 }
  if (radius > JIMP_LIMIT) return exact
  const coarse = coarseReciprocal(n)
  const excess = coarse * n - 1
  if (excess < 1 / 255) return { ...exact, reciprocal: coarse * 2 ** (32 + 8 * exact.pick) }
  return { ...exact, loweredUnder: Math.ceil(1 / excess) }
}

/**
 * The mean over a square of 2 * radius + 1 pixels a side, taken twice, edges repeated. The second round follows the
 * first by `radius` rows, so that each keeps only the rows under its square and the frame is overwritten as it is read.
 */
export function boxBlur(frame: Frame, radius: number, kernels: Kernels) {
  const { width, height, channels, data } = frame
  const count = width * channels
  const { sampleBytes, addRow, slideRow, meanRow } = flavour(kernels, channels)
  const rowBytes = Math.ceil((count * sampleBytes) / 16) * 16 + 16
  const slots = Math.min(2 * radius + 2, height)
  const ringBytes = rowBytes * slots
  const sumsBytes = rowBytes * 4
  const layout = kernels.layOut(count, rowBytes, ringBytes, sumsBytes, ringBytes, sumsBytes)
  const [pixels, blurred, ring1, sums1, ring2, sums2] = layout
  const { reciprocal, pick, loweredUnder } = division(radius)
  const lastRow = height - 1

  function box(rows: Rows, ring: number, sums: number, floor: number): Rows {
    const slot = (y: number) => ring + (y % slots) * rowBytes
    let y = 0
    function start() {
      kernels.bytes().fill(0, sums, sums + sumsBytes)
      for (let near = 0; near <= Math.min(radius, lastRow); near++) {
        rows(slot(near))
        const above = near === 0 ? radius : 0
        const below = near === lastRow ? radius - lastRow : 0
        addRow(sums, slot(near), count, 1 + above + below)
      }
    }
    function slide() {
      const enters = Math.min(y + radius, lastRow)
      if (y + radius <= lastRow) rows(slot(enters))
      slideRow(sums, slot(enters), slot(Math.max(y - 1 - radius, 0)), count)
    }
    return (address) => {
      if (y === 0) start()
      else slide()
      y++
      meanRow(sums, address, width, radius, reciprocal, pick, floor)
    }
  }

  let next = 0
  const source: Rows = (address) => {
    const row = data.subarray(next, next + count)
    next += count
    if (channels === 3) return kernels.bytes().set(row, address)
    kernels.bytes().set(row, pixels)
    kernels.run.premultiplyRow(pixels, address, width)
  }
  const twice = box(box(source, ring1, sums1, 0), ring2, sums2, loweredUnder)
  for (let y = 0; y < height; y++) {
    twice(blurred)
    if (channels === 4) kernels.run.unpremultiplyRow(blurred, pixels, width, loweredUnder)
    const from = channels === 4 ? pixels : blurred
    data.set(kernels.bytes().subarray(from, from + count), y * count)
  }
}
