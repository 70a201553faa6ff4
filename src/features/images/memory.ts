// How much memory and CPU time an image takes, and how the memory of the service is divided.
import { availableParallelism, totalmem } from 'node:os'
import type { Config } from '../../config/config.ts'
import { SMALL_SHARE } from '../../platform/concurrency/index.ts'
import type { FormatName, Size } from '../../platform/image-formats/index.ts'
import { countPixels, type OutputFormat, type SourceImage } from './formats.ts'
import { SOURCE_RESERVE_SHARE } from './job-queue.ts'

/**
 * Bytes per pixel beside the decoded pixels, measured with 6 megapixels. Decoders that cannot work row by row, and
 * encoders of modern formats, hold the image several times.
 */
const decodingBytes: Record<FormatName, number> = { jpeg: 1, png: 3, webp: 13, gif: 8, avif: 16, tiff: 5 }
const PROGRESSIVE_BYTES = 3
const encodingBytes: Record<OutputFormat, number> = { jpeg: 1, png: 4, webp: 6, gif: 15, avif: 22 }
const alphaEncodingBytes: Partial<Record<OutputFormat, number>> = { webp: 15, avif: 34 }
const LOSSLESS_WEBP_BYTES = 36
/** The most that a pixel takes: a lossless WebP with alpha that becomes a lossless WebP. */
const MAX_BYTES_PER_PIXEL = 40
/** The file as received, without metadata, and in the buffers of the decoder. */
const COPIES_OF_FILE = 3

interface ImageWork {
  readonly source: SourceImage
  readonly fileBytes: number
  readonly output: OutputFormat
  readonly isLossless: boolean
  /** The size of a frame after resizing. */
  readonly result: Size
  /** Frames that are decoded. */
  readonly frameCount: number
}

/** Estimates the memory that an image takes in its process, from its header. */
export function estimateBytes({ source, fileBytes, output, isLossless, result, frameCount }: ImageWork): number {
  const { format, hasAlpha, isProgressive } = source
  const sourcePixels = countPixels({ ...source, frameCount })
  const resultPixels = countPixels({ ...result, frameCount })
  const decoding = decodingBytes[format] + (isProgressive ? PROGRESSIVE_BYTES : 0)
  const lossy = (hasAlpha ? alphaEncodingBytes[output] : undefined) ?? encodingBytes[output]
  const encoding = isLossless ? LOSSLESS_WEBP_BYTES : lossy
  const pixels = (hasAlpha ? 4 : 3) * Math.max(sourcePixels, resultPixels)
  return COPIES_OF_FILE * fileBytes + pixels + Math.max(decoding * sourcePixels, encoding * resultPixels)
}

/** Milliseconds of CPU time per megapixel, measured with photos and noise. */
const decodingMs: Record<FormatName, number> = { jpeg: 15, png: 20, webp: 75, avif: 110, gif: 20, tiff: 15 }
const PROGRESSIVE_FACTOR = 4
/** The same per megabyte without metadata. An AVIF of noise takes ten times as long as a photo. */
const readingMs: Record<FormatName, number> = { jpeg: 10, png: 25, webp: 10, avif: 350, gif: 85, tiff: 100 }
const FILTER_MS = 10
const encodingMs: Record<OutputFormat, number> = { jpeg: 20, png: 120, webp: 200, avif: 250, gif: 1000 }
const LOSSLESS_WEBP_MS = 500
/** To fit into `maxBytes`, an image is encoded about six times. */
const fittingMs: Record<OutputFormat, number> = { jpeg: 120, png: 3000, webp: 1100, avif: 1100, gif: 4000 }
/** Per frame of an animation, which is resized and encoded on its own. */
const FRAME_MS = { once: 3, fitting: 25 }
/** More than a photo of 12 megapixels takes as JPEG. An image that takes longer is long: others should not wait for it. */
export const LONG_MS = 600

/** To receive a file and to find its parts, whatever it consists of. */
export const estimateStartMs = (fileBytes: number) => (30 * fileBytes) / 1e6

/**
 * The CPU time after which an image that was taken for a short one queues again with those that take long: a hostile file
 * may take a hundred times as long as its header says.
 */
export const computeTurnMs = (estimatedMs: number) => 300 + 3 * estimatedMs

type ImageEffort = ImageWork & { readonly stepCount: number; readonly maxBytes: number | undefined }

/** Estimates the CPU time that an image takes, from its header. */
export function estimateMs({ source, fileBytes, stepCount, maxBytes, ...work }: ImageEffort): number {
  const { output, isLossless, result, frameCount } = work
  const decoding = decodingMs[source.format] * (source.isProgressive ? PROGRESSIVE_FACTOR : 1)
  const encoding = (maxBytes ? fittingMs : encodingMs)[output] + (isLossless ? LOSSLESS_WEBP_MS : 0)
  const decodingWork = decoding * countPixels({ ...source, frameCount }) + readingMs[source.format] * fileBytes
  const encodingWork = (encoding + FILTER_MS * stepCount) * countPixels({ ...result, frameCount })
  const framesMs = frameCount > 1 ? FRAME_MS[maxBytes ? 'fitting' : 'once'] * frameCount : 0
  return (decodingWork + encodingWork) / 1e6 + framesMs
}

const MEBI = 2 ** 20

/** The service without caches and jobs: 62 MiB when idle, the rest for its heap under load. */
const SERVICE_BYTES = 80 * MEBI
/** An image process without its image. */
const PROCESS_BYTES = 45 * MEBI
/** An image may exceed its estimate by this and by a quarter before its process is killed. */
export const ESTIMATE_MARGIN = { bytes: 20 * MEBI, factor: 1.25 }
/** What a process may keep after an image. Less would replace processes more often: allocators keep freed memory. */
const idleBytes = { min: 12 * MEBI, max: 80 * MEBI, share: 1 / 32 }
/** The rest is for other programs in the container, and for fragmentation. */
const PLANNED_SHARE = 0.95
/** While a source arrives, there is its buffer and the larger one it moves to, or its compressed and decompressed bytes. */
const COPIES_PER_SOURCE = 2
/** The sources in the reserve are small: few of them move at the same time. */
const SOURCE_FACTOR = COPIES_PER_SOURCE + SOURCE_RESERVE_SHARE
/** Memory for a large image of another network, as a share of that for the largest. With 2 GiB: 12 megapixels as WebP. */
const LARGE_RESERVE_SHARE = 1 / 4
/** If there is memory for fewer processes, none is reserved for large images: the largest image would be small. */
const MIN_PROCESSES = 5
/** The result cache, and half as much for the source cache. */
const CACHE_FACTOR = 1.5
/** Shares of the memory that the service and its image processes leave. */
const shares = { images: 0.45, sources: 0.2, caches: 0.1, replies: 0.1, pictures: 0.1 }
/** Less would not serve a small photo. */
const MIN_IMAGE_BYTES = 30 * MEBI
const MAX_JOBS = 16
const TYPICAL_SOURCE_BYTES = 3 * MEBI
const MAX_REPLY_BYTES = 128 * MEBI
const MAX_PICTURE_BYTES = 96 * MEBI
/** `LRUCache` refuses a maximum size of 0. */
const MIN_CACHE_BYTES = 64 * 1024
/** Enough for a photo of 24 megapixels as PNG. */
const MAX_RESULT_BYTES = 64 * MEBI
const MIN_RESULT_BYTES = 4 * MEBI
/** Of the memory of sources, for those of images that wait for a process: others must be able to arrive meanwhile. */
const QUEUED_SHARE = 1 / 2

type MemorySettings = Pick<Config, 'MEMORY_LIMIT' | 'FILTER_MAX_PIXELS' | 'FILTER_MAX_BYTES' | 'FILTER_CACHE_BYTES'>

interface Machine {
  /** Bytes of memory. */
  readonly available: number
  readonly cores: number
}

/** A container may have less memory than its machine. */
const readMachine = (): Machine => ({
  available: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  cores: availableParallelism(),
})

/**
 * Divides the memory of one of several workers, so that the worst case fits: first the service and one image process per
 * core, and two more that are reserved for other networks, one of them for large images; the rest goes to images,
 * sources, caches and replies, each up to its useful maximum.
 */
export function planMemory(settings: MemorySettings, workers = 1, machine = readMachine()) {
  const { FILTER_MAX_PIXELS: maxPixels, FILTER_MAX_BYTES: maxBytes } = settings
  const limit = (settings.MEMORY_LIMIT || machine.available) / workers
  const cacheBytes = Math.ceil(settings.FILTER_CACHE_BYTES / workers)
  const cores = Math.max(1, Math.floor(machine.cores / workers))
  const planned = limit * PLANNED_SHARE - SERVICE_BYTES
  const maxIdleBytes = Math.max(idleBytes.min, Math.min(idleBytes.max, Math.floor(limit * idleBytes.share)))
  const perProcess = PROCESS_BYTES + ESTIMATE_MARGIN.bytes + maxIdleBytes
  // A process is worth its memory only if its images have some, too.
  const affordable = Math.floor(planned / (1.5 * perProcess))
  const hasLargeReserve = affordable >= MIN_PROCESSES
  const processes = Math.max(1, Math.min(cores + (hasLargeReserve ? 2 : 1), affordable))
  const reserves = hasLargeReserve ? 2 : Number(processes > 1)
  const largeReserveShare = hasLargeReserve ? LARGE_RESERVE_SHARE : 0
  /** Images may exceed their estimate, and those of the reserves run beside the largest. */
  const imageFactor = ESTIMATE_MARGIN.factor * (1 + SMALL_SHARE + largeReserveShare)
  const rest = Math.max(0, planned - processes * perProcess)
  const take = (name: keyof typeof shares, min: number, max: number) =>
    Math.max(min, Math.min(max, Math.floor(rest * shares[name])))
  /** The worst case, in bytes by use. It exceeds the limit only if that is too small for any photo. */
  const worstCase = {
    service: SERVICE_BYTES,
    imageProcesses: processes * perProcess,
    images: take('images', MIN_IMAGE_BYTES * imageFactor, MAX_BYTES_PER_PIXEL * maxPixels * imageFactor),
    sources: take('sources', SOURCE_FACTOR * maxBytes, SOURCE_FACTOR * MAX_JOBS * maxBytes),
    caches: take('caches', Math.min(MIN_CACHE_BYTES, CACHE_FACTOR * cacheBytes), CACHE_FACTOR * cacheBytes),
    pictures: take('pictures', MIN_CACHE_BYTES, MAX_PICTURE_BYTES),
    replies: take('replies', MIN_RESULT_BYTES, MAX_REPLY_BYTES),
  }
  const sourceBytes = Math.floor(worstCase.sources / SOURCE_FACTOR)
  const maxImageBytes = Math.floor(worstCase.images / imageFactor)
  return {
    limit,
    worstCase,
    engine: {
      processes: processes - reserves,
      hasReserve: reserves > 0,
      largeReserveBytes: Math.floor(maxImageBytes * largeReserveShare),
      maxImageBytes,
      maxIdleBytes,
      maxQueuedBytes: Math.floor(sourceBytes * QUEUED_SHARE),
      maxOutputBytes: Math.max(MIN_RESULT_BYTES, Math.min(MAX_RESULT_BYTES, Math.floor(worstCase.replies / 2))),
    },
    /** Maximum bytes of all sources that arrive, wait or are processed, without the reserve. */
    sourceBytes,
    jobs: Math.max(2, Math.min(MAX_JOBS, Math.floor(sourceBytes / TYPICAL_SOURCE_BYTES))),
    cacheBytes: Math.floor(worstCase.caches / CACHE_FACTOR),
    pictureCacheBytes: worstCase.pictures,
    replyBytes: worstCase.replies,
  }
}
