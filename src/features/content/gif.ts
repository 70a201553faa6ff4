const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** Whether the blocks of a GIF lead to its trailer. The decoder takes an animation that was cut off between frames. */
export function isWholeGif(bytes: Buffer): boolean {
  let at = 13 + tableBytes(bytes[10] ?? 0)
  while (at < bytes.length) {
    const block = bytes[at]
    if (block === TRAILER) return true
    if (block === EXTENSION) at += 2
    else if (block === IMAGE) at += 11 + tableBytes(bytes[at + 9] ?? 0)
    else return false
    // Sub-blocks: a length, that many bytes, and so on until a length of 0.
    for (let length = bytes[at]; length !== 0; length = bytes[at]) {
      if (length === undefined) return false
      at += 1 + length
    }
    at++
  }
  return false
}
