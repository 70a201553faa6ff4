import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { countNewlines } from './tail.ts'

const PIECE = 1024 * 1024
const REMEMBERED_FILES = 64

interface Counted {
  readonly inode: number
  readonly size: number
  readonly lines: number
}

/** Counts the lines of files that only grow: what was counted once is not read again. */
export class LineCounter {
  readonly #known = new LRUCache<string, Promise<Counted>>({ max: REMEMBERED_FILES })

  async count(path: string, handle: FileHandle, stats: Stats): Promise<number> {
    // Callers at the same time stand in line, so that a huge file is read once, not once a caller.
    const before = this.#known.get(path)
    const counted = Promise.resolve(before).then(
      (known) => countOn(handle, stats, known),
      () => countOn(handle, stats, undefined),
    )
    this.#known.set(path, counted)
    return (await counted).lines
  }
}

async function countOn(handle: FileHandle, { ino, size }: Stats, known: Counted | undefined): Promise<Counted> {
  const goesOn = known !== undefined && known.inode === ino && known.size <= size
  let lines = goesOn ? known.lines : 0
  const piece = Buffer.allocUnsafe(PIECE)
  let at = goesOn ? known.size : 0
  while (at < size) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(PIECE, size - at), at)
    if (bytesRead === 0) break
    lines += countNewlines(piece.subarray(0, bytesRead))
    at += bytesRead
  }
  return { inode: ino, size: at, lines }
}
