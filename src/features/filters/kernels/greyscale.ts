// Rec. 709 weights in 65,536ths; they add up to 65,536, so grey pixels stay unchanged.
const RED: u16 = 13933
const GREEN: u16 = 46871
const BLUE: u16 = 4732

/**
 * The luminances of four pixels, times 65,536. `colours` selects four reds, then four greens, and `blues` four blues, as
 * 16 bits each.
 */
@inline
function luminances(pixels: v128, colours: v128, blues: v128): v128 {
  const redGreen = i8x16.swizzle(pixels, colours)
  const blue = i8x16.swizzle(pixels, blues)
  return i32x4.add(
    i32x4.add(
      i32x4.extmul_low_i16x8_u(redGreen, i16x8.splat(RED)),
      i32x4.extmul_high_i16x8_u(redGreen, i16x8.splat(GREEN)),
    ),
    i32x4.extmul_low_i16x8_u(blue, i16x8.splat(BLUE)),
  )
}

@inline
function convertPixel(pixel: usize): void {
  const grey = (<u32>RED * load<u8>(pixel) + <u32>GREEN * load<u8>(pixel, 1) + <u32>BLUE * load<u8>(pixel, 2)) >> 16
  store<u8>(pixel, grey)
  store<u8>(pixel, grey, 1)
  store<u8>(pixel, grey, 2)
}

/** Four pixels at a time. No step reads what the previous one has written, which would wait for the write. */
export function greyscale(pixels: usize, count: usize, channels: usize): void {
  const end = pixels + count * channels
  if (channels == 3) {
    for (; pixels + 16 <= end; pixels += 12) {
      const grey = luminances(
        v128.load(pixels),
        i8x16(0, -1, 3, -1, 6, -1, 9, -1, 1, -1, 4, -1, 7, -1, 10, -1),
        i8x16(2, -1, 5, -1, 8, -1, 11, -1, -1, -1, -1, -1, -1, -1, -1, -1),
      )
      const twelve = i8x16.swizzle(grey, i8x16(2, 2, 2, 6, 6, 6, 10, 10, 10, 14, 14, 14, -1, -1, -1, -1))
      v128.store64_lane(pixels, twelve, 0)
      v128.store32_lane(pixels, twelve, 2, 8)
    }
  } else {
    for (; pixels + 16 <= end; pixels += 16) {
      const four = v128.load(pixels)
      const grey = luminances(
        four,
        i8x16(0, -1, 4, -1, 8, -1, 12, -1, 1, -1, 5, -1, 9, -1, 13, -1),
        i8x16(2, -1, 6, -1, 10, -1, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1),
      )
      v128.store(pixels, v128.shuffle<u8>(grey, four, 2, 2, 2, 19, 6, 6, 6, 23, 10, 10, 10, 27, 14, 14, 14, 31))
    }
  }
  for (; pixels < end; pixels += channels) convertPixel(pixels)
}
