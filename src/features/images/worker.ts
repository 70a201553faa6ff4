// One thread of the engine: strips metadata, reads the header, decodes, filters and encodes one image at a time.
import { parentPort, workerData } from 'node:worker_threads'
import sharp from 'sharp'
import type { ImageTooManyPixels } from '../../errors/index.ts'
import { type FormatName, stripMetadata } from '../../platform/image-formats/index.ts'
import { type Frame, findFilter, loadKernels } from '../filters/index.ts'
import { chooseOutput, countPixels, encoders, MAX_SIDE, type OutputFormat, type SourceImage } from './formats.ts'
import { lowerDecoderPriority, lowerThreadPriority } from './thread-priority.ts'

export interface WorkerOptions {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
  readonly decodeTimeoutMs: number
}

export interface ImageTask {
  readonly bytes: Uint8Array
  readonly format: FormatName
  readonly filter: string
  readonly strength: number | undefined
  readonly requestedOutput: OutputFormat | undefined
  /** A larger image is answered with its header, so that its task can wait for its turn and be sent again. */
  readonly maxPixels: number
  /** Of a task that is sent again: its metadata was stripped and its header read. */
  readonly source?: SourceImage
}

export interface HeaderRead {
  readonly bytes: Uint8Array
  readonly source: SourceImage
}

export interface Finished {
  readonly bytes: Uint8Array
  readonly output: OutputFormat
  readonly width: number
  readonly height: number
  readonly pages: number
  /** Milliseconds. */
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

/** Why there is no result, as plain data for the main thread. `failed` is a bug; the others concern the image. */
type Refusal =
  | 'slow'
  | { unreadable: string }
  | { tooMany: ConstructorParameters<typeof ImageTooManyPixels> }
  | { failed: string }

export type Answer = HeaderRead | Finished | Refusal

class TaskRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super()
    this.refusal = refusal
  }
}

/** The memory of the kernels never shrinks. Above this size it is released after the task. */
const MAX_KERNEL_BYTES = 33_554_432
/** Where the decoder has another name for a format. */
const decoderNames: Partial<Record<FormatName, string>> = { avif: 'heif' }

const { maxPixels, maxFrames, decodeTimeoutMs } = workerData as WorkerOptions
const port = parentPort!
let kernels = loadKernels()
let isCancelled = false
let areDecodersLowered = false

lowerThreadPriority()

// The engine runs one thread per core: more threads per image would only compete for them.
sharp.concurrency(1)
// Every image is different: caching libvips operations would only take memory.
sharp.cache(false)

port.on('message', async (message: ImageTask | 'cancel') => {
  isCancelled = message === 'cancel'
  if (message === 'cancel') return
  const answer = await run(message).catch(toRefusal)
  if (!areDecodersLowered) lowerDecoderPriority()
  areDecodersLowered = true
  const moved = typeof answer === 'object' && 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : []
  port.postMessage(answer, moved)
})

const isTimeout = (error: Error) => error.message.startsWith('timeout')

function toRefusal(error: Error): Refusal {
  if (error instanceof TaskRefused) return error.refusal
  return isTimeout(error) ? 'slow' : { failed: error.stack ?? error.message }
}

/** Nobody reads the answer to a cancelled task. It only frees the thread. */
function throwIfCancelled(): void {
  if (isCancelled) throw new TaskRefused({ failed: 'cancelled' })
}

async function run(task: ImageTask): Promise<HeaderRead | Finished> {
  if (task.source) return finish(task, task.bytes, task.source)
  const bytes = stripMetadata(task.format, task.bytes, maxFrames)
  const source = await readHeader(bytes, task.format)
  throwIfCancelled()
  return countPixels(source) > task.maxPixels ? { bytes, source } : finish(task, bytes, source)
}

async function finish(
  { filter: name, strength, requestedOutput }: ImageTask,
  bytes: Uint8Array,
  source: SourceImage,
): Promise<Finished> {
  const filter = findFilter(name)!
  const output = chooseOutput(source, requestedOutput)
  const startedAt = performance.now()
  const pixels = await decode(bytes, source, encoders[output].canAnimate ? source.pages : 1)
  const decodedAt = performance.now()
  try {
    throwIfCancelled()
    const usedStrength = strength ?? filter.strength?.default ?? 0
    for (const frame of iterateFrames(pixels)) filter.apply(frame, kernels, usedStrength)
    const filteredAt = performance.now()
    throwIfCancelled()
    const encoded = await encode(pixels, output, source, filter.isGrey)
    const timings = {
      decode: decodedAt - startedAt,
      filter: filteredAt - decodedAt,
      encode: performance.now() - filteredAt,
    }
    return { ...encoded, output, width: pixels.width, height: pixels.height, timings }
  } finally {
    // Frees the pixels now, not at some later garbage collection.
    ;(pixels.data.buffer as ArrayBuffer).transfer(0)
    if (kernels.bytes().length > MAX_KERNEL_BYTES) kernels = loadKernels()
  }
}

/** Reads only the header: nothing is decoded before its size is known to be within the limits. */
async function readHeader(bytes: Uint8Array, format: FormatName): Promise<SourceImage> {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!metadata) throw new TaskRefused({ unreadable: 'its header is broken' })
  // Stops a file that looks like one format to us and like another, perhaps a refused one, to the decoder.
  if (metadata.format !== (decoderNames[format] ?? format)) {
    throw new TaskRefused({ unreadable: 'its header contradicts itself' })
  }
  const { width, height } = metadata.autoOrient
  const pages = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1
  const { delay, loop } = metadata
  const isRotated = (metadata.orientation ?? 1) > 1
  const source = { format, width, height, pages, isRotated, ...(pages > 1 && { delay, loop }) }
  if (pages > maxFrames) throw new TaskRefused({ tooMany: ['frames', maxFrames] })
  if (Math.max(width, height) > MAX_SIDE) throw new TaskRefused({ tooMany: ['pixels per side', MAX_SIDE] })
  if (countPixels(source) > maxPixels) throw new TaskRefused({ tooMany: ['pixels over all frames', maxPixels] })
  return source
}

/** All frames, one below the other, as 8-bit sRGB with or without alpha. `height` is that of one frame. */
interface Pixels extends Frame {
  readonly data: Buffer
  readonly pages: number
}

const toSeconds = (ms: number) => ({ seconds: Math.ceil(ms / 1000) })

async function decode(bytes: Uint8Array, source: SourceImage, pages: number): Promise<Pixels> {
  // The header was checked; this limit is for headers that lie. A truncated image is an error, a warning is not.
  const image = sharp(bytes, { pages, limitInputPixels: maxPixels, failOn: 'error' })
  // Frames are stacked, so an animation cannot be rotated. The few that ask for it stay as they are.
  if (source.isRotated && pages === 1) image.autoOrient()
  // Colours become sRGB by default, using the colour profile of the source if it has one.
  const { data, info } = await image
    .timeout(toSeconds(decodeTimeoutMs))
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      throw isTimeout(error) ? error : new TaskRefused({ unreadable: 'it is broken or truncated' })
    })
  const { width, height, channels } = info
  if (channels !== 3 && channels !== 4) throw new TaskRefused({ unreadable: `it has ${channels} channels` })
  return { data, width, height: height / pages, channels, pages }
}

function* iterateFrames({ data, width, height, channels, pages }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < pages; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}

/** The result has its own memory, so that it can move to another thread without a copy. */
async function encode(pixels: Pixels, output: OutputFormat, { delay, loop }: SourceImage, isGrey = false) {
  const { data, width, height, channels, pages } = pixels
  const raw = { width, height: height * pages, channels, ...(pages > 1 && { pageHeight: height }) }
  const image = sharp(data, { raw, limitInputPixels: false })
  // One channel of a grey image takes an encoder less time and bytes.
  const reduced = isGrey && channels === 3 ? image.extractChannel(0) : image
  const encoded = encoders[output].encode(reduced, pages > 1 ? { delay, loop } : {})
  const { data: bytes } = await encoded.timeout(toSeconds(3 * decodeTimeoutMs)).toUint8Array()
  // The WebP encoder merges equal frames.
  return { bytes, pages: pages > 1 ? ((await sharp(bytes).metadata()).pages ?? 1) : 1 }
}
