import { type ImageFormat, viewOf } from './format.ts'

const BIG_TIFF = 43

/** Ends the file after its first page, the only one that is read: a decoder visits all others to count them. */
function stripMetadata(bytes: Buffer): Buffer {
  const view = viewOf(bytes)
  const isLittleEndian = bytes[0] === 0x49
  const isBig = bytes.length >= 16 && view.getUint16(2, isLittleEndian) === BIG_TIFF
  const [offsetBytes, countBytes, entryBytes] = isBig ? [8, 8, 20] : [4, 2, 12]
  if (bytes.length < 2 * offsetBytes) return bytes
  const directory = isBig ? Number(view.getBigUint64(8, isLittleEndian)) : view.getUint32(4, isLittleEndian)
  if (directory + countBytes > bytes.length) return bytes
  const entries = isBig
    ? Number(view.getBigUint64(directory, isLittleEndian))
    : view.getUint16(directory, isLittleEndian)
  const next = directory + countBytes + entries * entryBytes
  bytes.subarray(next, next + offsetBytes).fill(0)
  return bytes
}

export const tiff = {
  hasSignature: (head) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.slice(0, 4)),
  stripMetadata,
} satisfies ImageFormat
