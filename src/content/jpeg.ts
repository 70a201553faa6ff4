const MARK = 0xff
const STUFFED = 0x00
const RESTART = { first: 0xd0, last: 0xd7 }
const END = 0xd9
const SCAN = 0xda

/** Whether the segments and scans of a JPEG lead to its end mark. What lies behind that (a phone's extras) does not count. */
export function isWholeJpeg(bytes: Buffer): boolean {
  let scans = 0
  for (let at = 2; bytes[at] === MARK; ) {
    const mark = bytes[at + 1]
    if (mark === END) return scans > 0
    if (mark === MARK) {
      at++
      continue
    }
    if (at + 4 > bytes.length) return false
    at += 2 + bytes.readUInt16BE(at + 2)
    if (mark !== SCAN) continue
    scans++
    at = endOfScan(bytes, at)
  }
  return false
}

/** Where the next mark is after pixels, in which a mark's first byte comes stuffed or as a restart. */
function endOfScan(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(MARK, start)
  while (at >= 0) {
    const next = bytes[at + 1] ?? END
    if (next !== STUFFED && !(next >= RESTART.first && next <= RESTART.last)) return at
    at = bytes.indexOf(MARK, at + 2)
  }
  return bytes.length
}
