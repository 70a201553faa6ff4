// The mean over a square, in steps: sums of columns that slide down row by row, and along them a running sum.
// The work on a pixel is the same for every radius.

/** `sums` += weight * row, sample by sample. */
export function addRow(sums: usize, row: usize, count: usize, weight: u32): void {
  for (let i: usize = 0; i < count; i++) {
    const sum = sums + (i << 2)
    store<u32>(sum, load<u32>(sum) + weight * load<u8>(row + i))
  }
}

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

/** Exactly floor(sum / n) for the n whose reciprocal, 2^(32+shift) / n rounded up, is `reciprocal`. */
@inline
export function divide(sum: v128, reciprocal: v128, shift: i32): v128 {
  const low = i64x2.extmul_low_i32x4_u(sum, reciprocal)
  const high = i64x2.extmul_high_i32x4_u(sum, reciprocal)
  return i32x4.shr_u(v128.shuffle<i32>(low, high, 1, 3, 5, 7), shift)
}

/** Takes one level off what lies under `floor`; never below 0. */
@inline
export function lowered(means: v128, floor: v128): v128 {
  return i8x16.sub_sat_u(means, v128.and(i8x16.lt_u(means, floor), i8x16.splat(1)))
}

/** Bytes of one pixel's sums; the fourth lane is the next pixel's first and is never kept. */
const PIXEL: usize = 12

/** Writes the means of one row from its columns' sums; edges repeated. Those under `floor` are lowered. */
export function meanRow(
  sums: usize, out: usize, width: i32, radius: i32, reciprocal: u32, shift: i32, floor: u8,
): void {
  const under = i8x16.splat(floor)
  const last = sums + <usize>(width - 1) * PIXEL
  const by = i32x4.splat(reciprocal)
  let sum = i32x4.mul(v128.load(sums), i32x4.splat(radius + 1))
  for (let i = 1; i <= radius; i++) {
    sum = i32x4.add(sum, v128.load(i < width ? sums + <usize>i * PIXEL : last))
  }
  const leavesFrom = min(radius, width)
  const entersTo = max(width - 1 - radius, 0)
  const firstEnd = min(leavesFrom, entersTo)
  const middleEnd = max(leavesFrom, entersTo)
  let x = 0
  for (let part = 0; part < 3; part++) {
    const end = part == 0 ? firstEnd : part == 1 ? middleEnd : width
    let enters = sums + <usize>min(x + radius + 1, width - 1) * PIXEL
    let leaves = sums + <usize>max(x - radius, 0) * PIXEL
    const enterStep: usize = x < entersTo ? PIXEL : 0
    const leaveStep: usize = x >= leavesFrom ? PIXEL : 0
    for (; x + 4 <= end; x += 4, out += 12) {
      const first = divide(sum, by, shift)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      const second = divide(sum, by, shift)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      const third = divide(sum, by, shift)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      const fourth = divide(sum, by, shift)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
      const means = i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_u(first, second), i16x8.narrow_i32x4_u(third, fourth))
      v128.store(out, i8x16.swizzle(lowered(means, under), i8x16(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)))
    }
    for (; x < end; x++, out += 3) {
      const mean = i16x8.narrow_i32x4_u(divide(sum, by, shift), i32x4.splat(0))
      v128.store32_lane(out, lowered(i8x16.narrow_i16x8_u(mean, mean), under), 0)
      sum = i32x4.add(sum, i32x4.sub(v128.load(enters), v128.load(leaves)))
      enters += enterStep
      leaves += leaveStep
    }
  }
}
