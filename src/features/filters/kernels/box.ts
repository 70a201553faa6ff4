// Box blur in steps. When the square of pixels moves down by a row, `changes` is the row that enters it minus the row that
// leaves it. The sums along `changes` are added to the sums over the square. The work per pixel is the same for every
// radius. All kernels work on 16 samples at a time: rows are padded to that.

/** `changes` += row * times. */
export function addRow(changes: usize, row: usize, count: usize, times: u8): void {
  const by = i8x16.splat(times)
  const end = row + count
  for (; row < end; row += 16, changes += 32) {
    const samples = v128.load(row)
    v128.store(changes, i16x8.add(v128.load(changes), i16x8.extmul_low_i8x16_u(samples, by)))
    v128.store(changes, i16x8.add(v128.load(changes, 16), i16x8.extmul_high_i8x16_u(samples, by)), 16)
  }
}

/** `changes` = enters - leaves. */
export function subtractRows(changes: usize, enters: usize, leaves: usize, count: usize): void {
  const end = enters + count
  for (; enters < end; enters += 16, leaves += 16, changes += 32) {
    const added = v128.load(enters)
    const taken = v128.load(leaves)
    v128.store(changes, i16x8.sub(i16x8.extend_low_i8x16_u(added), i16x8.extend_low_i8x16_u(taken)))
    v128.store(changes, i16x8.sub(i16x8.extend_high_i8x16_u(added), i16x8.extend_high_i8x16_u(taken)), 16)
  }
}

/** Bytes of one pixel's changes. */
const PIXEL: usize = 6

/** Writes copies of a pixel, two at a time. */
@inline
function repeatPixel(pixel: usize, from: usize, to: usize): void {
  const samples = v128.load(pixel)
  const repeated = v128.shuffle<u16>(samples, samples, 0, 1, 2, 0, 1, 2, 0, 1)
  for (; from < to; from += 2 * PIXEL) v128.store(from, repeated)
}

/** Repeats the first and the last pixel as far as the square reaches. */
@inline
function repeatEdges(changes: usize, width: i32, radius: i32): void {
  const last = changes + <usize>(width - 1) * PIXEL
  repeatPixel(changes, changes - <usize>((radius + 2) >> 1) * 2 * PIXEL, changes)
  repeatPixel(last, last + PIXEL, last + <usize>(radius + 1) * PIXEL)
}

/** The sums along `changes` around the pixel before the first one: 32 bits for each of the three channels. */
@inline
function sumBeforeFirst(changes: usize, radius: i32): v128 {
  let sums = i32x4.mul(v128.load_ext<i16>(changes), i32x4.splat(radius + 2))
  const end = changes + <usize>radius * PIXEL
  for (let at = changes + PIXEL; at < end; at += PIXEL) sums = i32x4.add(sums, v128.load_ext<i16>(at))
  return sums
}

/** By how much each of eight sums along `changes` differs from the last sum of its channel before the eight. */
@inline
function sumSteps(enters: usize, leaves: usize): v128 {
  const none = i64x2.splat(0)
  const steps = i16x8.sub(v128.load(enters), v128.load(leaves))
  return i16x8.add(
    i16x8.add(steps, v128.shuffle<u16>(none, steps, 5, 6, 7, 8, 9, 10, 11, 12)),
    v128.shuffle<u16>(none, steps, 2, 3, 4, 5, 6, 7, 8, 9),
  )
}

// Bytes for `swizzle`, which V8 would build again for each use if they were constants: the last three of eight sums.
const lastToLow = memory.data<u8>([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7], 16)
const lastToHigh = memory.data<u8>([8, 9, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 8, 9, 10, 11], 16)
const lastToEight = memory.data<u8>([10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, 10, 11, 12, 13], 16)

/** The upper halves of products of 32 bits. */
@inline
function takeUpper(low: v128, high: v128): v128 {
  return v128.shuffle<i32>(low, high, 1, 3, 5, 7)
}

/** Byte 2 of each of eight numbers, as 16 bits. */
@inline
function takeThirdBytes(low: v128, high: v128): v128 {
  return v128.shuffle<u16>(low, high, 1, 3, 5, 7, 9, 11, 13, 15)
}

/**
 * The upper halves of sum * reciprocal. Where `reciprocal` is 2^(32 + 8 * pick) / n rounded up, byte `pick` of each is
 * floor(sum / n): taking a byte is cheaper than shifting by a number that the compiler does not know.
 */
@inline
function divide(sum: v128, reciprocal: v128): v128 {
  return takeUpper(i64x2.extmul_low_i32x4_u(sum, reciprocal), i64x2.extmul_high_i32x4_u(sum, reciprocal))
}

/**
 * Adds the sums along `changes`, times `scale`, to `sums`, and writes the means, for which `pick` is 2. Divides the sums of
 * 16 samples while it computes those of the next 16, so that the processor need not wait for either: the 16 bytes before
 * the row are overwritten. The order of the steps matters, because V8 keeps it: another one takes 20 % longer.
 */
export function meanRow(
  changes: usize, sums: usize, out: usize, width: i32, radius: i32, scale: i16, reciprocal: u32,
): void {
  repeatEdges(changes, width, radius)
  const toLow = v128.load(lastToLow)
  const toHigh = v128.load(lastToHigh)
  const before = i32x4.mul(sumBeforeFirst(changes, radius), i32x4.splat(scale))
  let last = v128.shuffle<u32>(before, before, 0, 0, 1, 2)
  let enters = changes + <usize>radius * PIXEL
  let leaves = changes - <usize>(radius + 1) * PIXEL
  const by = i16x8.splat(scale)
  const divideBy = i32x4.splat(reciprocal)
  let a = last
  let b = last
  let c = last
  let d = last
  // One step more than there are samples: it divides the last sums.
  for (const end = out + <usize>width * 3 + 16; out < end; out += 16, enters += 32, leaves += 32, sums += 64) {
    const a0 = i64x2.extmul_low_i32x4_u(a, divideBy)
    const a1 = i64x2.extmul_high_i32x4_u(a, divideBy)
    const b0 = i64x2.extmul_low_i32x4_u(b, divideBy)
    const b1 = i64x2.extmul_high_i32x4_u(b, divideBy)
    const lowSteps = sumSteps(enters, leaves)
    const c0 = i64x2.extmul_low_i32x4_u(c, divideBy)
    const c1 = i64x2.extmul_high_i32x4_u(c, divideBy)
    const d0 = i64x2.extmul_low_i32x4_u(d, divideBy)
    const d1 = i64x2.extmul_high_i32x4_u(d, divideBy)
    const highSteps = sumSteps(enters + 16, leaves + 16)
    const lowMeans = takeThirdBytes(takeUpper(a0, a1), takeUpper(b0, b1))
    const highMeans = takeThirdBytes(takeUpper(c0, c1), takeUpper(d0, d1))
    a = i32x4.add(i8x16.swizzle(last, toLow), i32x4.extmul_low_i16x8_s(lowSteps, by))
    b = i32x4.add(i8x16.swizzle(last, toHigh), i32x4.extmul_high_i16x8_s(lowSteps, by))
    c = i32x4.add(i8x16.swizzle(b, toLow), i32x4.extmul_low_i16x8_s(highSteps, by))
    last = i32x4.add(i8x16.swizzle(b, toHigh), i32x4.extmul_high_i16x8_s(highSteps, by))
    v128.store(out - 16, v128.shuffle<u8>(lowMeans, highMeans, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30))
    a = i32x4.add(v128.load(sums), a)
    b = i32x4.add(v128.load(sums, 16), b)
    c = i32x4.add(v128.load(sums, 32), c)
    d = i32x4.add(v128.load(sums, 48), last)
    v128.store(sums, a)
    v128.store(sums, b, 16)
    v128.store(sums, c, 32)
    v128.store(sums, d, 48)
  }
}

// The same for a small radius, with sums of 16 bits, which are relative to the middle level.

/** 256 times the quotients: 256 / n is `whole` + `fraction` / 2^15. */
@inline
function divideNarrow(sums: v128, whole: v128, fraction: v128): v128 {
  return i16x8.add(i16x8.q15mulr_sat_s(sums, fraction), i16x8.mul(sums, whole))
}

@inline
function packMeans(first: v128, second: v128): v128 {
  const means = v128.shuffle<u8>(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
  return v128.xor(means, i8x16.splat(-128))
}

export function meanNarrowRow(
  changes: usize, sums: usize, out: usize, width: i32, radius: i32, whole: i16, fraction: i16,
): void {
  repeatEdges(changes, width, radius)
  const toNext = v128.load(lastToEight)
  const before = sumBeforeFirst(changes, radius)
  let last = i8x16.swizzle(before, i8x16(0, 1, 4, 5, 8, 9, 0, 1, 4, 5, 8, 9, 0, 1, 4, 5))
  let enters = changes + <usize>radius * PIXEL
  let leaves = changes - <usize>(radius + 1) * PIXEL
  const wholes = i16x8.splat(whole)
  const fractions = i16x8.splat(fraction)
  let low = last
  let high = last
  for (const end = out + <usize>width * 3 + 16; out < end; out += 16, enters += 32, leaves += 32, sums += 32) {
    const lowMeans = divideNarrow(low, wholes, fractions)
    const highMeans = divideNarrow(high, wholes, fractions)
    const lowSteps = sumSteps(enters, leaves)
    const highSteps = sumSteps(enters + 16, leaves + 16)
    v128.store(out - 16, packMeans(lowMeans, highMeans))
    const first = i16x8.add(last, lowSteps)
    const second = i16x8.add(i8x16.swizzle(first, toNext), highSteps)
    last = i8x16.swizzle(second, toNext)
    low = i16x8.add(v128.load(sums), first)
    high = i16x8.add(v128.load(sums, 16), second)
    v128.store(sums, low)
    v128.store(sums, high, 16)
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
