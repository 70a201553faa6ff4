import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type ParsedList, parseList } from './parse-list.ts'

/** A list of a million domains has 20 to 30 MB; a much larger file is a mistake or an attack. */
export const MAX_LIST_BYTES = 64 * 1024 * 1024
/** Reading these takes one to six seconds of CPU time, depending on the format. */
const MAX_ENTRIES = 2_000_000
/** Parsed in a few milliseconds, less than a thread takes to start. */
const MAX_SYNC_BYTES = 64 * 1024
const READ_TIMEOUT_MS = 60_000

export interface ReadList extends ParsedList {
  readonly sha256: string
  readonly size: number
}

type ReadResult = { readonly list: ReadList } | { readonly rejected: string }

/** Reads a file or bytes, in a thread unless it is small. */
export async function readList(from: string | Uint8Array, signal: AbortSignal): Promise<ReadResult> {
  const size = typeof from === 'string' ? (await stat(from)).size : from.length
  if (size > MAX_LIST_BYTES) return { rejected: `it is larger than ${MAX_LIST_BYTES} bytes` }
  if (size <= MAX_SYNC_BYTES) return readListSync(typeof from === 'string' ? from : Buffer.from(from))
  const thread = new Worker(new URL('./read-list-thread.ts', import.meta.url), { workerData: from })
  thread.on('error', () => {})
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const [result] = await once(thread, 'message', { signal: limit })
    return result
  } catch (error) {
    signal.throwIfAborted()
    throw limit.aborted ? new Error(`reading takes longer than ${READ_TIMEOUT_MS / 1000} seconds`) : error
  } finally {
    thread.terminate()
  }
}

/** Blocks the thread, and changes capitals in the given bytes. */
export function readListSync(from: string | Uint8Array, maxEntries = MAX_ENTRIES): ReadResult {
  const bytes =
    typeof from === 'string' ? readFileSync(from) : Buffer.from(from.buffer, from.byteOffset, from.byteLength)
  // Binary files and UTF-16 text have zero bytes.
  if (bytes.includes(0)) return { rejected: 'it is not UTF-8 text' }
  const sha256 = hash('sha256', bytes)
  const parsed = parseList(bytes, maxEntries)
  const { entries, ignored } = parsed
  if (entries > maxEntries) return { rejected: `it has more than ${maxEntries} entries` }
  // For example an error page. A list with nothing but comments is an empty list.
  if (entries === 0 && ignored > 0)
    return { rejected: ignored === 1 ? 'its only line names no host' : `none of its ${ignored} lines names a host` }
  return { list: { ...parsed, sha256, size: bytes.length } }
}
