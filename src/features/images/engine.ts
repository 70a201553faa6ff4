// Decodes, filters and encodes images in child processes, which can be killed: the service never touches a pixel.
import { realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { join } from 'node:path'
import { KERNELS_FILE, ROOT } from '../../config/root.ts'
import * as errors from '../../errors/index.ts'
import {
  createProcessPool,
  QUICK_MS,
  SMALL_SHARE,
  TaskKilled,
  type TaskOptions,
} from '../../platform/concurrency/index.ts'
import type { DrawingFormat } from '../../platform/image-formats/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import type { Step } from '../filters/index.ts'
import { detectSourceFormat, mediaType, type OutputFormat, type Resize } from './formats.ts'
import type {
  Answer,
  ColorFound,
  DrawingTask,
  Estimate,
  Finished,
  ImageProcessOptions,
  ImageTask,
} from './image-process.ts'
import { estimateStartMs } from './memory.ts'

/** How long an image waits for a process before it fails with BUSY. */
const WAIT_TIMEOUT_MS = 30_000
/** A picture that is reduced to this size keeps its dominant colour. */
const COLOR_SIZE = 64

export interface EngineOptions extends Omit<ImageProcessOptions, 'kernelsFile'> {
  /** Images processed at the same time. */
  readonly processes: number
  /** One more process for networks that have no image in processing and used little time lately. */
  readonly hasReserve: boolean
  /** Memory of one more process for large images of such networks. Default: 0, no such process. */
  readonly largeReserveBytes?: number
  /** Images that may wait for a process. One more fails with BUSY. */
  readonly maxQueued: number
  /** Bytes of the sources of such images. Default: no limit. */
  readonly maxQueuedBytes?: number
  readonly log: { error(fields: object, message: string): void }
  /** The program that an image process runs. */
  readonly program?: URL
}

export interface ImageJob {
  /** Copied, because caches hold the same bytes. */
  readonly bytes: Uint8Array
  /** Applied one after the other. */
  readonly steps: readonly Step[]
  /** Applied before the steps. */
  readonly resize: Resize | undefined
  /** Quality, then size, is reduced until the result has at most this many bytes. */
  readonly maxBytes: number | undefined
  /** Default: the format of the source, or PNG if that cannot be written. */
  readonly output: OutputFormat | undefined
}

export interface ProcessedImage extends Omit<Finished, 'output'> {
  readonly type: string
}

export type Engine = ReturnType<typeof createEngine>

export function createEngine(options: EngineOptions) {
  const { processes, hasReserve, largeReserveBytes, maxQueued, maxQueuedBytes, log, program, ...limits } = options
  const { decodeTimeoutMs, maxImageBytes, maxOutputBytes } = limits
  const reserves = { hasReserve, largeReserveBytes }
  const queueOptions = { processes, ...reserves, maxQueued, maxQueuedBytes, maxEstimatedBytes: maxImageBytes }
  const pool = createProcessPool({
    program: program ?? new URL('./image-process.ts', import.meta.url),
    programOptions: { ...limits, kernelsFile: KERNELS_FILE } satisfies ImageProcessOptions,
    readablePaths: listProgramPaths(),
    ...queueOptions,
    log,
  })
  /** For an image whose memory is not known yet: every process can start one within the share of small images. */
  const startBytes = Math.floor((maxImageBytes * SMALL_SHARE) / (processes + Number(hasReserve)))

  async function run(task: ImageTask | DrawingTask, options: TaskOptions): Promise<Estimate | Finished | ColorFound> {
    const answer = await pool.run<Answer>(task, options).catch((error: unknown) => {
      if (!(error instanceof TaskKilled)) throw error
      return error.reason === 'timeout' ? ('slow' as const) : { unreadable: 'the decoder crashed' }
    })
    if (answer === 'cannot fit') throw new errors.CannotFit(('maxBytes' in task && task.maxBytes) || 0)
    if (answer === 'too large') throw new errors.ImageTooLarge(maxOutputBytes, 'result')
    if (answer === 'slow') throw new errors.ImageUnreadable('it takes too long to decode and encode')
    if ('estimatedBytes' in answer || 'output' in answer || 'color' in answer) return answer
    if ('unreadable' in answer) throw new errors.ImageUnreadable(answer.unreadable)
    if ('tooMany' in answer) throw new errors.ImageTooManyPixels(...answer.tooMany)
    log.error({ failure: answer.failed }, 'a filter or encoder failed')
    throw new errors.InternalError()
  }

  async function runImage(job: ImageJob & Pick<ImageTask, 'findsColor'>, client: string, signal?: AbortSignal) {
    const { output: requestedOutput, ...filtering } = job
    const maxAnswerBytes = Math.min(maxOutputBytes, job.maxBytes ?? maxOutputBytes)
    const waitUntil = performance.now() + WAIT_TIMEOUT_MS
    const heldBytes = job.bytes.length
    const turn = { client: listNetworks(client), signal, waitUntil, maxAnswerBytes, heldBytes }
    const task = { ...filtering, format: detectSourceFormat(job.bytes), requestedOutput }
    // The memory and time that the image takes are unknown until the header is read. An image that is small and quick is
    // finished at once. Others queue again.
    const estimates = { estimatedBytes: startBytes, estimatedMs: estimateStartMs(heldBytes) }
    let answer = await run(
      { ...task, maxEstimatedBytes: startBytes, maxEstimatedMs: QUICK_MS },
      { ...turn, ...estimates, timeoutMs: 2 * decodeTimeoutMs },
    )
    // An image that takes much longer than its header says queues once more.
    while ('estimatedBytes' in answer) {
      const { estimatedBytes, estimatedMs } = answer
      // Decoding, filtering and all encodings together.
      const rest = { estimatedBytes, estimatedMs, timeoutMs: 5 * decodeTimeoutMs, isContinued: true }
      answer = await run(
        { ...task, maxEstimatedBytes: estimatedBytes, maxEstimatedMs: estimatedMs },
        { ...turn, ...rest },
      )
    }
    return answer
  }

  return {
    /** Announces an image of this client until the result is disposed. Throws BUSY if it would be refused. */
    announce: (client: string) => pool.announce(listNetworks(client)),
    /** Clients take turns. */
    async process(job: ImageJob, signal?: AbortSignal, client = ''): Promise<ProcessedImage> {
      return toProcessed((await runImage(job, client, signal)) as Finished)
    },
    /** The dominant colour as #rrggbb. Clients take turns. */
    async findColor(bytes: Uint8Array, client = ''): Promise<string> {
      const resize = { width: COLOR_SIZE, height: COLOR_SIZE, fit: 'inside' as const }
      const job = { bytes, steps: [], resize, maxBytes: undefined, output: 'png' as const, findsColor: true }
      return ((await runImage(job, client)) as ColorFound).color
    },
    /** Renders a drawing of our own. Clients take turns; a drawing without a client comes first. */
    async renderSvg(bytes: Uint8Array, output: DrawingFormat, size: number, client?: string): Promise<Buffer> {
      const waitUntil = performance.now() + WAIT_TIMEOUT_MS
      const limits = { estimatedBytes: startBytes, timeoutMs: decodeTimeoutMs, maxAnswerBytes: maxOutputBytes }
      const networks = client === undefined ? [] : listNetworks(client)
      const answer = await run({ bytes, output, size }, { client: networks, waitUntil, ...limits }).catch((error) => {
        // It is not the fault of the drawing.
        throw error instanceof errors.ImageUnreadable ? new errors.Busy(1) : error
      })
      return (answer as Finished).bytes
    },
    status: pool.status,
    /** Why no image can be processed now; undefined if images can be. */
    problem(): string | undefined {
      const { blockedMs, hasFailedToStart } = pool.health()
      if (hasFailedToStart) return 'image processes cannot be started'
      const seconds = Math.round(blockedMs / 1000)
      return blockedMs > decodeTimeoutMs ? `no image process has become free for ${seconds} s` : undefined
    },
    close: pool.close,
  }
}

const toProcessed = ({ output, ...image }: Finished): ProcessedImage => ({ ...image, type: mediaType(output) })

const LIBRARIES = 'node_modules'

/** The program, the compiled filters and the libraries: not the data of the service. */
function listProgramPaths(): string[] {
  const own = ['src', 'dist', 'build', 'packages', 'package.json'].map((name) => join(ROOT, name))
  // The folder of a library may be a link.
  const sharp = findPackageJSON('sharp', import.meta.url)!
  const folders = [sharp, realpathSync(sharp)].map((path) => path.slice(0, path.indexOf(LIBRARIES) + LIBRARIES.length))
  return [...own, ...folders]
}
