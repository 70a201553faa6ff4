// Rec. 709 weights in 65,536ths; they add up to 65,536, so grey pixels stay unchanged.
const RED: u32 = 13933
const GREEN: u32 = 46871
const BLUE: u32 = 4732

@inline
function luminances(red: v128, green: v128, blue: v128): v128 {
  const sum = i32x4.add(
    i32x4.add(i32x4.mul(red, i32x4.splat(RED)), i32x4.mul(green, i32x4.splat(GREEN))),
    i32x4.mul(blue, i32x4.splat(BLUE)),
  )
  return i32x4.shr_u(sum, 16)
}

@inline
function convertPixel(pixel: usize): void {
  const grey = (RED * load<u8>(pixel) + GREEN * load<u8>(pixel, 1) + BLUE * load<u8>(pixel, 2)) >> 16
  store<u8>(pixel, grey)
  store<u8>(pixel, grey, 1)
  store<u8>(pixel, grey, 2)
}

/** Four pixels at a time. No step reads what the previous one has written, which would wait for the write. */
export function greyscale(pixels: usize, count: usize, channels: usize): void {
  const end = pixels + count * channels
  if (channels == 3) {
    for (; pixels + 16 <= end; pixels += 12) {
      const four = v128.load(pixels)
      const grey = luminances(
        i8x16.swizzle(four, i8x16(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1)),
        i8x16.swizzle(four, i8x16(1, -1, -1, -1, 4, -1, -1, -1, 7, -1, -1, -1, 10, -1, -1, -1)),
        i8x16.swizzle(four, i8x16(2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1)),
      )
      const twelve = i8x16.swizzle(grey, i8x16(0, 0, 0, 4, 4, 4, 8, 8, 8, 12, 12, 12, -1, -1, -1, -1))
      v128.store64_lane(pixels, twelve, 0)
      v128.store32_lane(pixels, twelve, 2, 8)
    }
  } else {
    for (; pixels + 16 <= end; pixels += 16) {
      const four = v128.load(pixels)
      const grey = luminances(
        v128.and(four, i32x4.splat(255)),
        v128.and(i32x4.shr_u(four, 8), i32x4.splat(255)),
        v128.and(i32x4.shr_u(four, 16), i32x4.splat(255)),
      )
      v128.store(pixels, v128.shuffle<u8>(grey, four, 0, 0, 0, 19, 4, 4, 4, 23, 8, 8, 8, 27, 12, 12, 12, 31))
    }
  }
  for (; pixels < end; pixels += channels) convertPixel(pixels)
}
