// Levels of an ordered dither.

/** Bytes of the coefficients of eight samples, and of a row. */
const EIGHT_BYTES: usize = 48
const ROW_BYTES: usize = 6 * EIGHT_BYTES

/** Each sample becomes ((sample * factor + offset) / 1024) * expansion / 16. */
@inline
function ditherEight(samples: v128, coefficients: usize): v128 {
  const scaled = i16x8.add(i16x8.mul(samples, v128.load(coefficients)), v128.load(coefficients, 16))
  return i16x8.shr_u(i16x8.mul(i16x8.shr_u(scaled, 10), v128.load(coefficients, 32)), 4)
}

@inline
function ditherSixteen(samples: usize, coefficients: usize, colours: v128): void {
  const sixteen = v128.load(samples)
  const low = ditherEight(i16x8.extend_low_i8x16_u(sixteen), coefficients)
  const high = ditherEight(i16x8.extend_high_i8x16_u(sixteen), coefficients + EIGHT_BYTES)
  v128.store(samples, v128.bitselect(i8x16.narrow_i16x8_u(low, high), sixteen, colours))
}

/**
 * `coefficients` repeat every four rows and every 48 samples; see dither565.ts. Works on 48 samples at a time. What it
 * changes after the end of a row is in the row below, which is finished: on a level already, it stays there.
 */
export function dither(pixels: usize, rowBytes: usize, rows: i32, channels: u32, coefficients: usize): void {
  const colours = i32x4.splat(channels == 4 ? 0x00ffffff : -1)
  for (let y = rows - 1; y >= 0; y--) {
    const set = coefficients + <usize>(y & 3) * ROW_BYTES
    const end = pixels + <usize>(y + 1) * rowBytes
    for (let at = end - rowBytes; at < end; at += 48) {
      ditherSixteen(at, set, colours)
      ditherSixteen(at + 16, set + 2 * EIGHT_BYTES, colours)
      ditherSixteen(at + 32, set + 4 * EIGHT_BYTES, colours)
    }
  }
}
