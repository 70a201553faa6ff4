import type { FileHandle } from 'node:fs/promises'

const PIECE = 64 * 1024
// However long the lines are, a reply stays small and quick.
const MAX_BYTES = 1024 * 1024
const NEWLINE = 10

/** The last whole lines of a file, read from its end. */
export async function readTail(handle: FileHandle, size: number, most: number): Promise<string[]> {
  let start = size
  let tail: Buffer = Buffer.alloc(0)
  let newlines = 0
  // One newline more than lines: the one before the first of them.
  while (start > 0 && newlines <= most && tail.length < MAX_BYTES) {
    const length = Math.min(PIECE, start)
    start -= length
    const piece = Buffer.alloc(length)
    const { bytesRead } = await handle.read(piece, 0, length, start)
    if (bytesRead < length) return [] // It was cut short meanwhile.
    newlines += countNewlines(piece)
    tail = Buffer.concat([piece, tail])
  }
  const lines = tail.toString('utf8').split('\n')
  const cutInside = start > 0
  if (cutInside) lines.shift()
  // What follows the last newline is a line that is still being written.
  lines.pop()
  return lines.slice(-most)
}

export function countNewlines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}
