// Straight lines through all levels of a channel.

@inline
function mapFour(samples: v128, lines: usize, nth: usize): v128 {
  const factors = v128.load(lines + nth * 16)
  const offsets = v128.load(lines + nth * 16, 48)
  return i32x4.add(i32x4.mul(samples, factors), offsets)
}

/** `nth` is the line of the first four samples; there are three, which repeat. */
@inline
function mapSixteen(samples: usize, lines: usize, nth: usize): void {
  const sixteen = v128.load(samples)
  const low = i16x8.extend_low_i8x16_u(sixteen)
  const high = i16x8.extend_high_i8x16_u(sixteen)
  const first = mapFour(i32x4.extend_low_i16x8_u(low), lines, nth)
  const second = mapFour(i32x4.extend_high_i16x8_u(low), lines, (nth + 1) % 3)
  const third = mapFour(i32x4.extend_low_i16x8_u(high), lines, (nth + 2) % 3)
  const fourth = mapFour(i32x4.extend_high_i16x8_u(high), lines, nth)
  // The upper half of each is the level.
  v128.store(
    samples,
    i8x16.narrow_i16x8_u(
      v128.shuffle<u16>(first, second, 1, 3, 5, 7, 9, 11, 13, 15),
      v128.shuffle<u16>(third, fourth, 1, 3, 5, 7, 9, 11, 13, 15),
    ),
  )
}

/**
 * Each sample becomes (sample * factor + offset) / 65,536, limited to 0 to 255. `lines` has the factors of twelve samples,
 * after which they repeat, then their offsets. Works on 48 samples at a time: samples are padded to that.
 */
export function mapLines(samples: usize, length: usize, lines: usize): void {
  const end = samples + length
  for (; samples < end; samples += 48) {
    mapSixteen(samples, lines, 0)
    mapSixteen(samples + 16, lines, 1)
    mapSixteen(samples + 32, lines, 2)
  }
}
