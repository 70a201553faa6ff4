// Box blur in steps: sums of columns that slide down row by row, and a running sum along each row. The work per pixel is
// the same for every radius.

@inline
function addFour(sums: usize, four: v128): void {
  v128.store(sums, i32x4.add(v128.load(sums), four))
}

/** `sums` += enters - leaves. Works on 16 samples at a time: rows and sums are padded to that. */
export function slideRow(sums: usize, enters: usize, leaves: usize, count: usize): void {
  const end = enters + count
  for (; enters < end; enters += 16, leaves += 16, sums += 64) {
    const added = v128.load(enters)
    const taken = v128.load(leaves)
    const low = i16x8.sub(i16x8.extend_low_i8x16_u(added), i16x8.extend_low_i8x16_u(taken))
    const high = i16x8.sub(i16x8.extend_high_i8x16_u(added), i16x8.extend_high_i8x16_u(taken))
    addFour(sums, i32x4.extend_low_i16x8_s(low))
    addFour(sums + 16, i32x4.extend_high_i16x8_s(low))
    addFour(sums + 32, i32x4.extend_low_i16x8_s(high))
    addFour(sums + 48, i32x4.extend_high_i16x8_s(high))
  }
}

/**
 * The upper halves of sum * reciprocal. Where `reciprocal` is 2^(32 + 8 * pick) / n rounded up, byte `pick` of each is
 * floor(sum / n): taking a byte is cheaper than shifting by a number that the compiler does not know.
 */
@inline
function divide(sum: v128, reciprocal: v128): v128 {
  const low = i64x2.extmul_low_i32x4_u(sum, reciprocal)
  const high = i64x2.extmul_high_i32x4_u(sum, reciprocal)
  return v128.shuffle<i32>(low, high, 1, 3, 5, 7)
}

/** Bytes of one pixel's sums; the fourth lane belongs to the next pixel and is never used. */
const PIXEL: usize = 12

/**
 * Writes the means of one row from the sums of its columns, with repeated edges. `half` is added to every sum: half of
 * what it is divided by, so that means are rounded to the nearest.
 */
export function meanRow(
  sums: usize, out: usize, width: i32, radius: i32, reciprocal: u32, pick: u8, half: u32,
): void {
  const by = i32x4.splat(reciprocal)
  const picked = i8x16.splat(pick)
  // Where the bytes of each of four pixels go; -128 and up to 3 more picks nothing.
  const at0 = i8x16.add(picked, i8x16(0, 4, 8, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128))
  const at1 = i8x16.add(picked, i8x16(-128, -128, -128, 0, 4, 8, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128))
  const at2 = i8x16.add(picked, i8x16(-128, -128, -128, -128, -128, -128, 0, 4, 8, -128, -128, -128, -128, -128, -128, -128))
  const at3 = i8x16.add(picked, i8x16(-128, -128, -128, -128, -128, -128, -128, -128, -128, 0, 4, 8, -128, -128, -128, -128))
  const last = sums + <usize>(width - 1) * PIXEL
  let sum = i32x4.add(i32x4.splat(half), i32x4.mul(v128.load(sums), i32x4.splat(radius + 1)))
  for (let i = 1; i <= radius; i++) {
    sum = i32x4.add(sum, v128.load(i < width ? sums + <usize>i * PIXEL : last))
  }
  // Three parts: in the first and the last a side of the square stays at its edge.
  const leavesFrom = min(radius, width)
  const entersTo = max(width - 1 - radius, 0)
  let x = 0
  for (let part = 0; part < 3; part++) {
    const end = part == 0 ? min(leavesFrom, entersTo) : part == 1 ? max(leavesFrom, entersTo) : width
    let enters = sums + <usize>min(x + radius + 1, width - 1) * PIXEL
    let leaves = sums + <usize>max(x - radius, 0) * PIXEL
    const enterStep: usize = x < entersTo ? PIXEL : 0
    const leaveStep: usize = x >= leavesFrom ? PIXEL : 0
    for (; x + 4 <= end; x += 4, out += 12) {
      let means = i8x16.swizzle(divide(sum, by), at0)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      means = v128.or(means, i8x16.swizzle(divide(sum, by), at1))
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      means = v128.or(means, i8x16.swizzle(divide(sum, by), at2))
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      means = v128.or(means, i8x16.swizzle(divide(sum, by), at3))
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      v128.store(out, means)
    }
    for (; x < end; x++, out += 3) {
      v128.store32_lane(out, i8x16.swizzle(divide(sum, by), at0), 0)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
    }
  }
}

// The same for a small radius, with sums of 16 bits: two pixels fit into a vector. Sums are multiplied by `scale`, so that
// the quotient is always at the same bits of a product; see `computeScaledReciprocal` in blur.ts.

/** Bytes of one pixel's sums. */
const NARROW_PIXEL: usize = 6
/** Bytes before the first pair, for pairs beyond the edge. */
const MARGIN: usize = 64

/** The sums of eight samples, and of those one pixel after them. `next` has the samples that follow. */
@inline
function addNeighbours(sums: v128, next: v128): v128 {
  return i16x8.add(sums, v128.shuffle<u16>(sums, next, 3, 4, 5, 6, 7, 8, 9, 10))
}

/** Also writes `pairs`, the sums of each pixel and the next one. */
export function slideNarrowRow(
  sums: usize, enters: usize, leaves: usize, pairs: usize, count: usize, scale: u8,
): void {
  const by = i8x16.splat(scale)
  const end = enters + count
  let last = i64x2.splat(0)
  pairs += MARGIN - 16
  for (; enters < end; enters += 16, leaves += 16, sums += 32, pairs += 32) {
    const added = v128.load(enters)
    const taken = v128.load(leaves)
    const low = i16x8.sub(i16x8.extmul_low_i8x16_u(added, by), i16x8.extmul_low_i8x16_u(taken, by))
    const high = i16x8.sub(i16x8.extmul_high_i8x16_u(added, by), i16x8.extmul_high_i8x16_u(taken, by))
    const first = i16x8.add(v128.load(sums), low)
    const second = i16x8.add(v128.load(sums, 16), high)
    v128.store(sums, first)
    v128.store(sums, second, 16)
    v128.store(pairs, addNeighbours(last, first))
    v128.store(pairs, addNeighbours(first, second), 16)
    last = second
  }
  v128.store(pairs, addNeighbours(last, last))
}

/** Writes pairs of a pixel at an edge and its copy. */
@inline
function repeatEdge(pixel: usize, from: usize, to: usize): void {
  for (; from < to; from += NARROW_PIXEL) {
    store<u32>(from, load<u32>(pixel) << 1)
    store<u16>(from, load<u16>(pixel, 4) << 1, 4)
  }
}

@inline
function divideNarrow(sums: v128, reciprocal: v128): v128 {
  const low = i32x4.extmul_low_i16x8_u(sums, reciprocal)
  const high = i32x4.extmul_high_i16x8_u(sums, reciprocal)
  return i16x8.shr_u(v128.shuffle<u16>(low, high, 1, 3, 5, 7, 9, 11, 13, 15), 7)
}

/** With pairs, the sums of two pixels move on by two pixels. */
export function meanNarrowRow(
  sums: usize, pairs: usize, out: usize, width: i32, radius: i32, reciprocal: u16, half: u16,
): void {
  const reach = <usize>radius * NARROW_PIXEL
  const length = <usize>(width - 1) * NARROW_PIXEL
  const first = pairs + MARGIN
  repeatEdge(sums, first - reach - NARROW_PIXEL, first)
  repeatEdge(sums + length, first + length, first + length + reach + 2 * NARROW_PIXEL)
  let leaves = first - reach
  let enters = first + reach + NARROW_PIXEL
  // One pixel beyond the edge, which is half a pair, and the pairs after it.
  let sum = i16x8.add(i16x8.splat(half), i16x8.shr_u(v128.load(leaves - NARROW_PIXEL), 1))
  for (let at = leaves + NARROW_PIXEL; at < enters - NARROW_PIXEL; at += 2 * NARROW_PIXEL) {
    sum = i16x8.add(sum, v128.load(at))
  }
  const by = i16x8.splat(reciprocal)
  const sixOfEight = i8x16(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1)
  const end = out + <usize>width * 3
  for (; out < end; out += 12, leaves += 4 * NARROW_PIXEL, enters += 4 * NARROW_PIXEL) {
    const two = divideNarrow(sum, by)
    sum = i16x8.add(sum, i16x8.sub(v128.load(enters), v128.load(leaves)))
    const next = divideNarrow(sum, by)
    sum = i16x8.add(sum, i16x8.sub(v128.load(enters, 12), v128.load(leaves, 12)))
    const four = v128.shuffle<u8>(two, next, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
    v128.store(out, i8x16.swizzle(four, sixOfEight))
  }
}

// The same for pixels with alpha. Colours are weighted by alpha, so transparent colours do not bleed, and samples have
// 16 bits, so that colours with little alpha keep their precision.

/** Rounds positive numbers to the nearest. */
@inline
function round(values: v128): v128 {
  return i32x4.trunc_sat_f32x4_u(f32x4.add(values, f32x4.splat(0.5)))
}

/** Colour * alpha * depth / 255; alpha itself as if it were a colour under full alpha. `depth` is the steps per level. */
export function premultiplyRow(pixels: usize, out: usize, width: usize, depth: f32): void {
  const scale = f32x4.splat(depth / 255)
  const end = pixels + width * 4
  for (; pixels < end; pixels += 4, out += 8) {
    const samples = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(pixels)))
    const weights = i32x4.replace_lane(i32x4.splat(load<u8>(pixels, 3)), 3, 255)
    const deep = round(f32x4.mul(f32x4.convert_i32x4_u(i32x4.mul(samples, weights)), scale))
    v128.store64_lane(out, i16x8.narrow_i32x4_u(deep, deep), 0)
  }
}

export function slideDeepRow(sums: usize, enters: usize, leaves: usize, count: usize): void {
  const end = enters + (count << 1)
  for (; enters < end; enters += 8, leaves += 8, sums += 16) {
    const change = i32x4.sub(v128.load_ext<u16>(enters), v128.load_ext<u16>(leaves))
    v128.store(sums, i32x4.add(v128.load(sums), change))
  }
}

/** Bytes of one pixel's sums. */
const DEEP_PIXEL: usize = 16

export function meanDeepRow(
  sums: usize, out: usize, width: i32, radius: i32, reciprocal: u32, pick: u8, half: u32,
): void {
  const at = i8x16.add(i8x16.splat(pick), i8x16(0, 1, 4, 5, 8, 9, 12, 13, -128, -128, -128, -128, -128, -128, -128, -128))
  const by = i32x4.splat(reciprocal)
  const last = width - 1
  let sum = i32x4.add(i32x4.splat(half), i32x4.mul(v128.load(sums), i32x4.splat(radius + 1)))
  for (let i = 1; i <= radius; i++) sum = i32x4.add(sum, v128.load(sums + <usize>min(i, last) * DEEP_PIXEL))
  for (let x = 0; x < width; x++, out += 8) {
    v128.store64_lane(out, i8x16.swizzle(divide(sum, by), at), 0)
    const enters = v128.load(sums + <usize>min(x + radius + 1, last) * DEEP_PIXEL)
    const leaves = v128.load(sums + <usize>max(x - radius, 0) * DEEP_PIXEL)
    sum = i32x4.add(sum, i32x4.sub(enters, leaves))
  }
}

/** The inverse of `premultiplyRow`. Pixels with less than half a level of alpha become transparent black. */
export function unpremultiplyRow(row: usize, out: usize, width: usize, depth: f32): void {
  const end = out + width * 4
  for (; out < end; out += 4, row += 8) {
    const alpha = <f32>load<u16>(row, 6)
    if (alpha * 2 < depth) {
      store<u32>(out, 0)
      continue
    }
    const weights = f32x4.replace_lane(f32x4.splat(alpha), 3, 255 * depth)
    const deep = f32x4.convert_i32x4_u(v128.load_ext<u16>(row))
    const levels = round(f32x4.div(f32x4.mul(deep, f32x4.splat(255)), weights))
    const narrow = i16x8.narrow_i32x4_u(levels, levels)
    v128.store32_lane(out, i8x16.narrow_i16x8_u(narrow, narrow), 0)
  }
}
