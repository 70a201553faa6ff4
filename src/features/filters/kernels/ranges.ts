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
