const MARK = 0xff
const STUFFED = 0x00
const RESTART = { first: 0xd0, last: 0xd7 }
const END = 0xd9
const SCAN = 0xda
const APP1 = 0xe1
/** Baseline, extended and progressive; of the others (lossless, arithmetic) no browser makes a picture. */
const FRAMES = [0xc0, 0xc1, 0xc2]
const ORIENTATION_TAG = 0x0112

interface Size {
  width: number
  height: number
}

/**
 * Width and height, as people see it, of a JPEG whose segments and scans lead to its end mark; undefined where they do
 * not. What lies behind the end (a phone's extras) does not count.
 */
export function wholeJpeg(bytes: Buffer): Size | undefined {
  let size: Size | undefined
  let isTurned = false
  let scans = 0
  for (let at = 2; bytes[at] === MARK; ) {
    const mark = bytes[at + 1]!
    if (mark === END) return scans > 0 && size ? upright(size, isTurned) : undefined
    if (mark === MARK) {
      at++
      continue
    }
    if (at + 4 > bytes.length) return undefined
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at + 4, end)
    if (FRAMES.includes(mark) && segment.length >= 6) {
      size = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3) }
    }
    if (mark === APP1) isTurned ||= orientation(segment) >= 5
    if (mark === SCAN) scans++
    at = mark === SCAN ? endOfScan(bytes, end) : end
  }
  return undefined
}

function upright({ width, height }: Size, isTurned: boolean): Size | undefined {
  if (width === 0 || height === 0) return undefined
  return isTurned ? { width: height, height: width } : { width, height }
}

/** Where the next mark is after pixels, in which a mark's first byte comes stuffed or as a restart. */
export function endOfScan(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(MARK, start)
  while (at >= 0) {
    const next = bytes[at + 1] ?? END
    if (next !== STUFFED && !(next >= RESTART.first && next <= RESTART.last)) return at
    at = bytes.indexOf(MARK, at + 2)
  }
  return bytes.length
}

/** 1 to 8, of which 5 and more lie on their side; 1 where the EXIF data says nothing that can be read. */
function orientation(segment: Buffer): number {
  const header = segment.toString('latin1', 0, 8)
  const isLittle = header === 'Exif\0\0II'
  if (!isLittle && header !== 'Exif\0\0MM') return 1
  const tiff = segment.subarray(6)
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  try {
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
    for (let entry = 0; entry < read16(directory); entry++) {
      const at = directory + 2 + 12 * entry
      if (read16(at) === ORIENTATION_TAG) return read16(at + 8)
    }
  } catch {}
  return 1
}
