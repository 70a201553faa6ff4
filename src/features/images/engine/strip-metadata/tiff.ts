import { viewOf } from './view.ts'

const BIG = 43

/** Ends the file after its first page, the only one that is read: a decoder looks at all that follow to count them. */
export function defuseTiff(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  const little = bytes[0] === 0x49
  const isBig = bytes.length >= 16 && view.getUint16(2, little) === BIG
  const [offsetBytes, countBytes, entryBytes] = isBig ? [8, 8, 20] : [4, 2, 12]
  if (bytes.length < 2 * offsetBytes) return
  const directory = isBig ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little)
  if (directory + countBytes > bytes.length) return
  const entries = isBig ? Number(view.getBigUint64(directory, little)) : view.getUint16(directory, little)
  const next = directory + countBytes + entries * entryBytes
  bytes.fill(0, next, next + offsetBytes)
}
