// The least and the greatest value of each channel.

/** 16 samples times 3 channels: after so many bytes, samples and lanes meet again. */
const PERIOD: usize = 48

/** `ranges` holds the minima of up to four channels, then their maxima; what is there already is widened. */
export function widenRanges(pixels: usize, length: usize, channels: u32, ranges: usize): void {
  let least0 = i8x16.splat(-1)
  let least1 = least0
  let least2 = least0
  let most0 = i8x16.splat(0)
  let most1 = most0
  let most2 = most0
  const end = pixels + length
  const lanes: usize = ranges + 16
  for (; pixels + PERIOD <= end; pixels += PERIOD) {
    const a = v128.load(pixels)
    const b = v128.load(pixels, 16)
    const c = v128.load(pixels, 32)
    least0 = i8x16.min_u(least0, a)
    least1 = i8x16.min_u(least1, b)
    least2 = i8x16.min_u(least2, c)
    most0 = i8x16.max_u(most0, a)
    most1 = i8x16.max_u(most1, b)
    most2 = i8x16.max_u(most2, c)
  }
  v128.store(lanes, least0)
  v128.store(lanes, least1, 16)
  v128.store(lanes, least2, 32)
  v128.store(lanes, most0, 48)
  v128.store(lanes, most1, 64)
  v128.store(lanes, most2, 80)
  for (let lane: u32 = 0; lane < <u32>PERIOD; lane++) {
    widen(ranges + (lane % channels), load<u8>(lanes + lane), load<u8>(lanes + lane, 48))
  }
  for (let nth: u32 = 0; pixels < end; pixels++, nth++) {
    widen(ranges + (nth % channels), load<u8>(pixels), load<u8>(pixels))
  }
}

function widen(range: usize, least: u8, most: u8): void {
  if (least < load<u8>(range)) store<u8>(range, least)
  if (most > load<u8>(range, 4)) store<u8>(range, most, 4)
}
