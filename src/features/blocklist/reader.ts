import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type Outcome, readListHere } from './read-list.ts'

/** Read in a few milliseconds, less than a worker takes to start. */
const READ_HERE_BYTES = 64 * 1024
const LONGEST_READ_MS = 60_000

/** A file, or the bytes of one. Off the event loop, unless it is small. */
export async function readList(from: string | Uint8Array, signal: AbortSignal): Promise<Outcome> {
  const size = typeof from === 'string' ? (await stat(from)).size : from.length
  if (size <= READ_HERE_BYTES) return readListHere(typeof from === 'string' ? from : Buffer.from(from))
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: from })
  worker.on('error', () => {})
  const ended = once(worker, 'exit', { signal }).then(() => {
    throw new Error('its reader ended early')
  })
  // It always ends; what comes after the outcome is of no interest.
  ended.catch(() => {})
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_READ_MS)])
  try {
    const [outcome] = await Promise.race([once(worker, 'message', { signal: limit }), ended])
    return outcome
  } catch (error) {
    signal.throwIfAborted()
    throw limit.aborted ? new Error(`to read it takes longer than ${LONGEST_READ_MS / 1000} seconds`) : error
  } finally {
    worker.terminate()
  }
}
