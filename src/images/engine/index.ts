// Decodes, filters and encodes pictures in threads of its own: the event loop never sees a pixel.
import { findFilter } from '../../filters/index.ts'
import { createCrew, type Log } from './crew.ts'
import { mediaType, type OutputFormat, outputFor } from './formats.ts'
import { inspect, type Source } from './inspect.ts'

export { type OutputFormat, outputFormats, sourceFormats } from './formats.ts'
export type { Source } from './inspect.ts'

export interface EngineOptions {
  /** Pictures worked on at the same time. */
  readonly threads: number
  /** Over all frames of a picture. */
  readonly maxPixels: number
  readonly maxFrames: number
  readonly decodeTimeoutMs: number
  /** Jobs that may wait for a thread; one more is answered with Busy. */
  readonly maxQueued: number
  readonly log: Log
}

export interface Job {
  readonly bytes: Uint8Array
  readonly filter: string
  readonly strength: number | undefined
  /** Undefined: the format of the source, or PNG where that cannot be written. */
  readonly output: OutputFormat | undefined
}

export interface Result {
  readonly bytes: Buffer
  readonly type: string
  readonly width: number
  readonly height: number
  readonly pages: number
  /** Milliseconds. */
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

export interface Engine {
  process(job: Job, signal?: AbortSignal): Promise<Result>
  /** From the headers alone; throws what `process` would throw before it decodes. */
  inspect(bytes: Uint8Array): Promise<Source>
  status(): { running: number; queued: number; threads: number }
  close(): Promise<void>
}

export function createEngine(options: EngineOptions): Engine {
  const { threads, maxPixels, maxFrames, decodeTimeoutMs, maxQueued, log } = options
  const workerOptions = { maxPixels, decodeTimeoutMs }
  // Decoding may take this once and encoding three times; the rest is for the filter.
  const jobTimeoutMs = 5 * decodeTimeoutMs
  const crew = createCrew({ threads, maxQueued, jobTimeoutMs, workerOptions, log })
  return {
    async process({ bytes, filter: name, strength, output: wanted }, signal) {
      const filter = findFilter(name)
      if (!filter) throw new TypeError(`no filter is called ${name}`)
      const source = await inspect(bytes, { maxPixels, maxFrames })
      const output = outputFor(source, wanted)
      const task = { bytes, source, filter: name, strength: strength ?? filter.strength?.default ?? 0, output }
      const { bytes: encoded, ...result } = await crew.run(task, signal)
      const { buffer, byteOffset, byteLength } = encoded
      return { bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), type: mediaType(output), ...result }
    },
    inspect: (bytes) => inspect(bytes, { maxPixels, maxFrames }),
    status: crew.status,
    close: crew.close,
  }
}
