// Looks up each sample of a pixel in its own table, so any function of one sample is exact.

const TABLE_BYTES: usize = 256

@inline
function look(pixels: usize, tables: usize, nth: usize): void {
  store<u8>(pixels + nth, load<u8>(tables + nth * TABLE_BYTES + load<u8>(pixels + nth)))
}

@inline
function lookPixel(pixels: usize, tables: usize, nth: usize): void {
  look(pixels, tables, nth)
  look(pixels, tables, nth + 1)
  look(pixels, tables, nth + 2)
}

/** `tables` has one table for each sample of a run of four pixels; the runs of row y use set y mod `sets`. */
export function mapTones(pixels: usize, rowBytes: usize, rows: u32, channels: u32, tables: usize, sets: u32): void {
  const run: usize = channels * 4
  for (let y: u32 = 0; y < rows; y++) {
    const set = tables + <usize>(y % sets) * run * TABLE_BYTES
    const end = pixels + rowBytes
    if (channels == 3) {
      for (; pixels + 12 <= end; pixels += 12) {
        lookPixel(pixels, set, 0)
        lookPixel(pixels, set, 3)
        lookPixel(pixels, set, 6)
        lookPixel(pixels, set, 9)
      }
    } else {
      // Alpha is sample 3 of each pixel and stays as it is.
      for (; pixels + 16 <= end; pixels += 16) {
        lookPixel(pixels, set, 0)
        lookPixel(pixels, set, 4)
        lookPixel(pixels, set, 8)
        lookPixel(pixels, set, 12)
      }
    }
    for (let nth: usize = 0; pixels < end; pixels++, nth++) {
      if (channels == 3 || (nth & 3) != 3) store<u8>(pixels, load<u8>(set + nth * TABLE_BYTES + load<u8>(pixels)))
    }
  }
}
