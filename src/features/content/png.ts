import { crc32 } from 'node:zlib'

const SIGNATURE_BYTES = 8
const CHUNK_OVERHEAD = 12

/** Width and height of a PNG whose every chunk is whole by its own checksum; undefined where one is not. */
export function wholePng(bytes: Buffer): { width: number; height: number } | undefined {
  let hasPixels = false
  for (let at = SIGNATURE_BYTES; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const end = at + CHUNK_OVERHEAD + length
    if (end > bytes.length) return undefined
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
    if ((at === SIGNATURE_BYTES) !== (name === 'IHDR')) return undefined
    if (name === 'IDAT') hasPixels = true
    if (name === 'IEND') {
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      return hasPixels && width > 0 && height > 0 ? { width, height } : undefined
    }
    at = end
  }
  return undefined
}
