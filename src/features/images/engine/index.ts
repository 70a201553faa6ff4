// Decodes, filters and encodes pictures in threads of its own: the event loop never sees a pixel.

import { pixelsToBegin } from '../../../platform/concurrency/index.ts'
import type { Log } from '../../../platform/logging/index.ts'
import { findFilter } from '../../filters/index.ts'
import { mediaType, type OutputFormat, outputFor } from './formats.ts'
import { pixelsOf } from './inspect.ts'
import { sniff } from './sniff.ts'
import type { Done } from './worker.ts'
import { createCrew } from './worker-pool.ts'

export { mediaType, type OutputFormat, outputFormats } from './formats.ts'

export interface EngineOptions {
  /** Pictures worked on at the same time; one more where a caller would have none under way. */
  readonly threads: number
  /** Over all frames of a picture. */
  readonly maxPixels: number
  readonly maxFrames: number
  readonly decodeTimeoutMs: number
  /** Jobs that may wait for a thread; one more is answered with Busy. */
  readonly maxQueued: number
  /** How long a picture waits for its turn; then it is answered with Busy. */
  readonly waitMs?: number
  readonly log: Log
}

export interface Job {
  /** Kept in a cache as well: copied, never changed or handed to another thread. */
  readonly bytes: Uint8Array
  readonly filter: string
  readonly strength: number | undefined
  /** Undefined: the format of the source, or PNG where that cannot be written. */
  readonly output: OutputFormat | undefined
}

export interface Processed {
  readonly bytes: Buffer
  readonly type: string
  readonly width: number
  readonly height: number
  readonly pages: number
  /** Milliseconds. */
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

/** Turns the bytes of one picture into those of another. */
export interface Engine {
  /** Pictures take turns by caller; one that waits too long is refused with Busy. */
  process(job: Job, signal?: AbortSignal, caller?: string): Promise<Processed>
  status(): { running: number; queued: number; threads: number }
  close(): Promise<void>
}

export function createEngine(options: EngineOptions): Engine {
  const { threads, maxPixels, maxFrames, decodeTimeoutMs, maxQueued, waitMs = 30_000, log } = options
  const crew = createCrew({ threads, maxQueued, workerOptions: { maxPixels, maxFrames, decodeTimeoutMs }, log })
  const toBegin = pixelsToBegin({ threads, maxPixels })
  return {
    async process({ bytes, filter: name, strength, output: wanted }, signal, caller = '') {
      const filter = findFilter(name)
      if (!filter) throw new TypeError(`no filter is called ${name}`)
      const wish = { filter: name, strength: strength ?? filter.strength?.default ?? 0 }
      const turn = { caller, signal, waitsUntil: performance.now() + waitMs }
      const begun = { ...wish, bytes, format: sniff(bytes), wanted, goesOnWith: toBegin }
      const first = await crew.run(begun, { ...turn, pixels: toBegin, timeoutMs: 2 * decodeTimeoutMs })
      if ('output' in first) return resultOf(first)
      const { source } = first
      const task = { ...wish, ...first, output: outputFor(source, wanted) }
      // Decoding may take its time once and encoding three times; the rest is for the filter.
      const timeoutMs = 5 * decodeTimeoutMs
      return resultOf(await crew.run(task, { ...turn, pixels: pixelsOf(source), timeoutMs, isAdmitted: true }))
    },
    status: crew.status,
    close: crew.close,
  }
}

function resultOf({ bytes: { buffer, byteOffset, byteLength }, output, ...result }: Done): Processed {
  return { ...result, bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), type: mediaType(output) }
}
