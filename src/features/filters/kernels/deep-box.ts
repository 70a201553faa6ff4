// The same mean over a square as box.ts for pixels with alpha: colours are weighted by their alpha, so what is
// transparent does not bleed, and samples are 16 bits deep, so that little alpha keeps its colour.
import { divide, lowered } from './box'

/** 64 steps a level: the most for which the sum over 513 x 513 pixels (radius 256) still fits 32 bits. */
const DEPTH: i32 = 64
const WHOLE: i32 = 255 * DEPTH

/** Colour * alpha * 64 / 255 to the nearest; alpha itself as if it were a colour under full alpha. */
export function premultiplyRow(pixels: usize, out: usize, width: usize): void {
  const scale = i32x4.splat((DEPTH << 16) / 255)
  const half = i32x4.splat(1 << 15)
  const end = pixels + width * 4
  for (; pixels < end; pixels += 4, out += 8) {
    const samples = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(pixels)))
    const weights = i32x4.replace_lane(i32x4.splat(load<u8>(pixels, 3)), 3, 255)
    const scaled = i32x4.add(i32x4.mul(i32x4.mul(samples, weights), scale), half)
    const deep = i32x4.shr_u(scaled, 16)
    v128.store64_lane(out, i16x8.narrow_i32x4_u(deep, deep), 0)
  }
}

export function addDeepRow(sums: usize, row: usize, count: usize, weight: u32): void {
  for (let i: usize = 0; i < count; i++) {
    const sum = sums + (i << 2)
    store<u32>(sum, load<u32>(sum) + weight * load<u16>(row + (i << 1)))
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
const PIXEL: usize = 16

export function meanDeepRow(sums: usize, out: usize, width: i32, radius: i32, reciprocal: u32, pick: u8): void {
  const at = i8x16.add(i8x16.splat(pick), i8x16(0, 1, 4, 5, 8, 9, 12, 13, -128, -128, -128, -128, -128, -128, -128, -128))
  const by = i32x4.splat(reciprocal)
  const last = width - 1
  let sum = i32x4.mul(v128.load(sums), i32x4.splat(radius + 1))
  for (let i = 1; i <= radius; i++) sum = i32x4.add(sum, v128.load(sums + <usize>min(i, last) * PIXEL))
  for (let x = 0; x < width; x++, out += 8) {
    v128.store64_lane(out, i8x16.swizzle(divide(sum, by), at), 0)
    const enters = v128.load(sums + <usize>min(x + radius + 1, last) * PIXEL)
    const leaves = v128.load(sums + <usize>max(x - radius, 0) * PIXEL)
    sum = i32x4.add(sum, i32x4.sub(enters, leaves))
  }
}

/** Rounds down, as the blur of opaque pixels does; a float's 24 bits are enough for that to be exact. */
export function unpremultiplyRow(row: usize, out: usize, width: usize, floor: u8): void {
  // Alpha, every fourth sample, is not lowered.
  const under = v128.and(i8x16.splat(floor), i32x4.splat(0xffffff))
  const end = out + width * 4
  for (; out < end; out += 4, row += 8) {
    const alpha = load<u16>(row, 6)
    if (alpha < <u16>DEPTH) {
      store<u32>(out, 0)
      continue
    }
    const weights = f32x4.replace_lane(f32x4.splat(<f32>alpha), 3, <f32>WHOLE)
    const deep = f32x4.convert_i32x4_u(v128.load_ext<u16>(row))
    const levels = i32x4.trunc_sat_f32x4_u(f32x4.div(f32x4.mul(deep, f32x4.splat(255)), weights))
    const narrow = i16x8.narrow_i32x4_u(levels, levels)
    v128.store32_lane(out, lowered(i8x16.narrow_i16x8_u(narrow, narrow), under), 0)
  }
}
