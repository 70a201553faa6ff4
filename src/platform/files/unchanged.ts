import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** How long a file is and when it was written to: other values mean other bytes. */
export interface Stamp {
  size: number
  mtimeMs: number
}

export const sameStamp = (a: Stamp, b: Stamp) => a.size === b.size && a.mtimeMs === b.mtimeMs

/** First and last byte, both within the file. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const CHUNK_BYTES = 256 * 2 ** 10

/** The bytes of a file as it was when it had this stamp; the stream fails rather than go on with other bytes. */
export const streamUnchanged = (path: string, stamp: Stamp, range?: ByteRange): Readable =>
  Readable.from(readUnchanged(path, stamp, range), { objectMode: false })

/** The last bytes are held back until it is sure that the file stayed the same: a reply cut short is not kept. */
async function* readUnchanged(path: string, stamp: Stamp, range?: ByteRange): AsyncGenerator<Buffer> {
  const { start, end } = range ?? { start: 0, end: stamp.size - 1 }
  await using handle = await open(path)
  for (let at = start; at <= end; ) {
    const wanted = Math.min(CHUNK_BYTES, end + 1 - at)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
    if (bytesRead === 0 || !sameStamp(await handle.stat(), stamp)) throw new Error('the file changed')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
