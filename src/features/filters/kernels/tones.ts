
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

// Minimum and maximum of each channel.

/** 16 samples times 3 channels: after this many bytes, samples and lanes are aligned again. */
const PERIOD: usize = 48

/** `ranges` contains the minima of up to four channels, then their maxima. Existing values are widened. */
export function widenRanges(pixels: usize, length: usize, channels: u32, ranges: usize): void {
  let low0 = i8x16.splat(-1)
  let low1 = low0
  let low2 = low0
  let high0 = i8x16.splat(0)
  let high1 = high0
  let high2 = high0
  const end = pixels + length
  const lanes: usize = ranges + 16
  for (; pixels + PERIOD <= end; pixels += PERIOD) {
    const a = v128.load(pixels)
    const b = v128.load(pixels, 16)
    const c = v128.load(pixels, 32)
    low0 = i8x16.min_u(low0, a)
    low1 = i8x16.min_u(low1, b)
    low2 = i8x16.min_u(low2, c)
    high0 = i8x16.max_u(high0, a)
    high1 = i8x16.max_u(high1, b)
    high2 = i8x16.max_u(high2, c)
  }
  v128.store(lanes, low0)
  v128.store(lanes, low1, 16)
  v128.store(lanes, low2, 32)
  v128.store(lanes, high0, 48)
  v128.store(lanes, high1, 64)
  v128.store(lanes, high2, 80)
  for (let lane: u32 = 0; lane < <u32>PERIOD; lane++) {
    widen(ranges + (lane % channels), load<u8>(lanes + lane), load<u8>(lanes + lane, 48))
  }
  for (let nth: u32 = 0; pixels < end; pixels++, nth++) {
    widen(ranges + (nth % channels), load<u8>(pixels), load<u8>(pixels))
  }
}

function widen(range: usize, low: u8, high: u8): void {
  if (low < load<u8>(range)) store<u8>(range, low)
  if (high > load<u8>(range, 4)) store<u8>(range, high, 4)
}
