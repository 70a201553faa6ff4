import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { toFileState } from './stamps.ts'

/** More than the high-water mark of a stream: see `reuseBuffer`. */
const CHUNK_BYTES = 256 * 2 ** 10
/** Smaller parts are joined up to this size: each chunk costs about 100 µs, and a request may name a thousand ranges. */
const JOINED_BYTES = 64 * 2 ** 10

interface StreamOptions {
  /**
   * A chunk is valid only until the next one is requested. For `pipeline` into a response: it requests the next chunk when
   * the last one is sent. A new buffer per chunk would halve the throughput, because the allocator is set up to return
   * large buffers to the system at once (scripts/menagerie.mjs).
   */
  readonly reuseBuffer?: boolean
}

/** First and last byte, both within the file. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A part of a body: these bytes, or a range of the file. */
export type Piece = Uint8Array | ByteRange

const isBytes = (piece: Piece) => piece instanceof Uint8Array

export const countBytes = (pieces: readonly Piece[]) =>
  pieces.reduce((sum, piece) => sum + (isBytes(piece) ? piece.length : piece.end - piece.start + 1), 0)

/** The pieces of a file that is in memory. */
export const joinPieces = (file: Buffer, pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (isBytes(piece) ? piece : file.subarray(piece.start, piece.end + 1))))

/**
 * Yields pieces of a file. `isExpected` says whether it is the file that is meant; it must not change meanwhile, either:
 * a chunk is yielded only after that check. After a change the reply is cut short, and caches do not store such a reply.
 */
export async function* streamUnchanged(
  path: string,
  isExpected: (stats: Stats) => boolean,
  pieces: readonly Piece[],
  { reuseBuffer = false }: StreamOptions = {},
): AsyncGenerator<Uint8Array> {
  let shared: Buffer | undefined
  await using handle = await open(path)
  const opened = await handle.stat()
  const { version } = toFileState(opened)
  if (!isExpected(opened)) throw new Error('the file changed')
  const checkUnchanged = async () => {
    if (toFileState(await handle.stat()).version !== version) throw new Error('the file changed')
  }
  let parts: Uint8Array[] = []
  let partsLength = 0
  const addPart = (part: Uint8Array) => {
    parts.push(part)
    partsLength += part.length
  }
  const takeParts = async () => {
    await checkUnchanged()
    const joined = Buffer.concat(parts, partsLength)
    parts = []
    partsLength = 0
    return joined
  }
  for (const piece of pieces) {
    if (isBytes(piece)) {
      addPart(piece)
      continue
    }
    for (let at = piece.start; at <= piece.end; ) {
      const length = Math.min(CHUNK_BYTES, piece.end + 1 - at)
      const isShared = reuseBuffer && length === CHUNK_BYTES
      if (isShared) shared ??= Buffer.allocUnsafeSlow(CHUNK_BYTES)
      const buffer = isShared ? shared! : Buffer.allocUnsafe(length)
      const { bytesRead } = await handle.read(buffer, 0, length, at)
      if (bytesRead === 0) throw new Error('the file changed')
      const chunk = buffer.subarray(0, bytesRead)
      at += bytesRead
      if (bytesRead < CHUNK_BYTES) {
        // `pipeline` does not wait after a small chunk, so it is a copy.
        addPart(isShared ? Buffer.from(chunk) : chunk)
        if (partsLength >= JOINED_BYTES) yield await takeParts()
        continue
      }
      if (parts.length > 0) yield await takeParts()
      await checkUnchanged()
      yield chunk
    }
  }
  if (parts.length > 0) yield await takeParts()
}
