// Decodes, filters and encodes images in worker threads: the event loop never touches a pixel.
import { ImageTooManyPixels, ImageUnreadable, InternalError } from '../../errors/index.ts'
import {
  computeStartWeight,
  createWorkerPool,
  type TaskOptions,
  WorkerTimeout,
} from '../../platform/concurrency/index.ts'
import { countPixels, detectSourceFormat, mediaType, type OutputFormat } from './formats.ts'
import type { Answer, Finished, HeaderRead, ImageTask, WorkerOptions } from './worker.ts'

/** How long an image waits for a thread before it fails with BUSY. */
const WAIT_TIMEOUT_MS = 30_000

export interface EngineOptions extends WorkerOptions {
  /** Images processed at the same time; one more for a client that has none running. */
  readonly threads: number
  /** Images that may wait for a thread. One more fails with BUSY. */
  readonly maxQueued: number
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

export interface ProcessedImage extends Omit<Finished, 'bytes' | 'output'> {
  readonly bytes: Buffer
  readonly type: string
}

export type Engine = ReturnType<typeof createEngine>

export function createEngine(options: EngineOptions) {
  const { threads, maxPixels, maxFrames, decodeTimeoutMs, maxQueued, log } = options
  const pool = createWorkerPool({
    program: new URL('./worker.ts', import.meta.url),
    workerData: { maxPixels, maxFrames, decodeTimeoutMs } satisfies WorkerOptions,
    threads,
    maxWeight: maxPixels,
    maxQueued,
    log,
  })
  const startWeight = computeStartWeight({ threads, maxWeight: maxPixels })

  async function run(task: ImageTask, options: TaskOptions): Promise<HeaderRead | Finished> {
    const answer = await pool.run<Answer>(task, options).catch((error: unknown) => {
      if (error instanceof WorkerTimeout) return 'slow' as const
      throw error
    })
    if (answer === 'slow') throw new ImageUnreadable('it takes too long to decode and encode')
    if ('bytes' in answer) return answer
    if ('unreadable' in answer) throw new ImageUnreadable(answer.unreadable)
    if ('tooMany' in answer) throw new ImageTooManyPixels(...answer.tooMany)
    log.error({ failure: answer.failed }, 'A filter or encoder failed.')
    throw new InternalError()
  }

  return {
    /** Clients take turns. */
    async process(job: ImageJob, signal?: AbortSignal, client = ''): Promise<ProcessedImage> {
      const { output: requestedOutput, ...filtering } = job
      const turn = { client, signal, waitUntil: performance.now() + WAIT_TIMEOUT_MS }
      const task = { ...filtering, format: detectSourceFormat(job.bytes), requestedOutput, maxPixels: startWeight }
      // The size is unknown until the header is read. A small image is finished at once, a large one queues again.
      const answer = await run(task, { ...turn, weight: startWeight, timeoutMs: 2 * decodeTimeoutMs })
      if ('output' in answer) return toProcessed(answer)
      // Once the limit for decoding and three times for encoding; the rest is for the filter.
      const rest = { weight: countPixels(answer.source), timeoutMs: 5 * decodeTimeoutMs, isContinued: true }
      return toProcessed((await run({ ...task, ...answer }, { ...turn, ...rest })) as Finished)
    },
    status: pool.status,
    close: pool.close,
  }
}

function toProcessed({ bytes: { buffer, byteOffset, byteLength }, output, ...image }: Finished): ProcessedImage {
  return { ...image, bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), type: mediaType(output) }
}
