// Decodes, filters and encodes images in worker threads: the event loop never touches a pixel.
import { ImageTooManyPixels, ImageUnreadable, InternalError } from '../../errors/index.ts'
import { computeStartWeight, createWorkerPool, WorkerTimeout } from '../../platform/concurrency/index.ts'
import { findFilter } from '../filters/index.ts'
import { chooseOutput, countPixels, detectSourceFormat, mediaType, type OutputFormat } from './formats.ts'
import type { Answer, ContinueTask, Finished, Started, StartTask, WorkerOptions } from './worker.ts'

export interface EngineOptions {
  /** Images processed at the same time; one more for a client that has none running. */
  readonly threads: number
  /** Per image, over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
  readonly decodeTimeoutMs: number
  /** Images that may wait for a thread. One more fails with BUSY. */
  readonly maxQueued: number
  /** How long an image waits for a thread before it fails with BUSY. */
  readonly waitTimeoutMs?: number
  readonly log: { error(fields: object, message: string): void }
}

export interface ImageJob {
  /** Copied, because caches hold the same bytes. */
  readonly bytes: Uint8Array
  readonly filter: string
  readonly strength: number | undefined
  /** Default: the format of the source, or PNG if that cannot be written. */
  readonly output: OutputFormat | undefined
}

export interface ProcessedImage {
  readonly bytes: Buffer
  readonly type: string
  readonly width: number
  readonly height: number
  readonly pages: number
  /** Milliseconds. */
  readonly timings: Finished['timings']
}

export interface Engine {
  /** Clients take turns. */
  process(job: ImageJob, signal?: AbortSignal, client?: string): Promise<ProcessedImage>
  status(): { running: number; queued: number; threads: number }
  close(): Promise<void>
}

export function createEngine(options: EngineOptions): Engine {
  const { threads, maxPixels, maxFrames, decodeTimeoutMs, maxQueued, waitTimeoutMs = 30_000, log } = options
  const pool = createWorkerPool({
    program: new URL('./worker.ts', import.meta.url),
    workerData: { maxPixels, maxFrames, decodeTimeoutMs } satisfies WorkerOptions,
    threads,
    maxWeight: maxPixels,
    maxQueued,
    log,
  })
  const startWeight = computeStartWeight({ threads, maxWeight: maxPixels })

  async function run(task: StartTask | ContinueTask, options: Parameters<typeof pool.run>[1], movesBytes: boolean) {
    const answer = await pool.run<Answer>(task, options, movesBytes).catch((error: unknown) => {
      throw error instanceof WorkerTimeout ? tooSlow() : error
    })
    return readAnswer(answer, log)
  }

  return {
    async process({ bytes, filter: name, strength, output: requestedOutput }, signal, client = '') {
      const filter = findFilter(name)
      if (!filter) throw new TypeError(`there is no filter ${name}`)
      const filtering = { filter: name, strength: strength ?? filter.strength?.default ?? 0 }
      const turn = { client, signal, waitUntil: performance.now() + waitTimeoutMs }
      const startTask: StartTask = {
        ...filtering,
        bytes,
        format: detectSourceFormat(bytes),
        requestedOutput,
        maxPixels: startWeight,
      }
      // The size is unknown until the header is read. A small image is finished at once, a large one queues again.
      const answer = await run(startTask, { ...turn, weight: startWeight, timeoutMs: 2 * decodeTimeoutMs }, false)
      if ('output' in answer) return toProcessed(answer)
      const { source } = answer
      const task: ContinueTask = { ...filtering, ...answer, output: chooseOutput(source, requestedOutput) }
      // Once the limit for decoding and three times for encoding; the rest is for the filter.
      const timeoutMs = 5 * decodeTimeoutMs
      const finished = await run(task, { ...turn, weight: countPixels(source), timeoutMs, isContinued: true }, true)
      if (!('output' in finished)) throw new InternalError()
      return toProcessed(finished)
    },
    status: pool.status,
    close: pool.close,
  }
}

const tooSlow = () => new ImageUnreadable('it takes too long to decode and encode')

function readAnswer(answer: Answer, log: EngineOptions['log']): Started | Finished {
  if (answer === 'slow') throw tooSlow()
  if (answer === 'cancelled') throw new Error('cancelled')
  if ('started' in answer) return answer.started
  if ('finished' in answer) return answer.finished
  if ('unreadable' in answer) throw new ImageUnreadable(answer.unreadable)
  if ('tooMany' in answer) throw new ImageTooManyPixels(...answer.tooMany)
  log.error({ failure: answer.failed }, 'A filter or encoder failed.')
  throw new InternalError()
}

function toProcessed({ bytes: { buffer, byteOffset, byteLength }, output, ...image }: Finished): ProcessedImage {
  return { ...image, bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), type: mediaType(output) }
}
