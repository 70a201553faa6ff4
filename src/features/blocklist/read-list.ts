import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type ScannedList, scanList } from './scan.ts'

/** A list of a million domains has 20 to 30 MB; this many bytes are a mistake or an attack. */
export const LARGEST_LIST = 128 * 1024 * 1024

export interface ReadList extends ScannedList {
  /** Of the very bytes that were read. */
  readonly sha256: string
  readonly size: number
}

/** What became of a file or of bytes; one that changed while it was read is to be read again. */
export type Outcome = { readonly list: ReadList } | { readonly refused: string } | { readonly changed: true }

export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats) => [dev, ino, size, mtimeMs, ctimeMs].join(' ')

/** Takes as long as it takes: what is large is read in a worker. */
export function readListHere(from: string | Uint8Array): Outcome {
  if (typeof from !== 'string') return readBytes(Buffer.from(from.buffer, from.byteOffset, from.byteLength))
  const file = openSync(from, 'r')
  try {
    const before = fstatSync(file)
    if (before.size > LARGEST_LIST) return { refused: `it is larger than ${LARGEST_LIST} bytes` }
    const bytes = readFileSync(file)
    return stampOf(fstatSync(file)) === stampOf(before) ? readBytes(bytes) : { changed: true }
  } finally {
    closeSync(file)
  }
}

function readBytes(bytes: Buffer): Outcome {
  // Binary files, and text as UTF-16.
  if (bytes.includes(0)) return { refused: 'it is not text in UTF-8' }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const scanned = scanList(bytes)
  // The error page of a server, for one; only comments are an empty list.
  if (scanned.entries === 0 && scanned.ignored > 0)
    return {
      refused:
        scanned.ignored === 1 ? 'its one line names no host' : `none of its ${scanned.ignored} lines names a host`,
    }
  return { list: { ...scanned, sha256, size: bytes.length } }
}
