// One process of the engine: strips metadata, reads the header, decodes, filters and encodes one image at a time.
import process from 'node:process'
import sharp, { type Sharp } from 'sharp'
import type { ImageTooManyPixels } from '../../errors/index.ts'
import { serveTasks, type TaskLimits } from '../../platform/concurrency/index.ts'
import { type FormatName, isLossless, stripMetadata, UnsafeImage } from '../../platform/image-formats/index.ts'
import { type Frame, findFilter, loadKernels, type Step } from '../filters/index.ts'
import { encodeWithin, type Pixels } from './encode.ts'
import {
  BYTES_PER_PIXEL,
  chooseOutput,
  countPixels,
  encoders,
  MAX_SIDE,
  type OutputFormat,
  type SourceImage,
} from './formats.ts'
import { planResize, type Resize, type ResizePlan } from './resize.ts'

export interface WorkerOptions {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
  readonly decodeTimeoutMs: number
  readonly maxOutputBytes: number
  readonly kernelsFile: string
}

export interface ImageTask {
  readonly bytes: Uint8Array
  readonly format: FormatName
  readonly steps: readonly Step[]
  readonly resize: Resize | undefined
  readonly maxBytes: number | undefined
  readonly requestedOutput: OutputFormat | undefined
  /** A larger image is answered with its header, so that its task can wait for its turn and be sent again. */
  readonly maxPixels: number
}

export interface HeaderRead {
  /** Of the source or of the result, whichever has more. */
  readonly pixels: number
}

export interface Finished {
  readonly bytes: Buffer
  readonly output: OutputFormat
  readonly width: number
  readonly height: number
  readonly pages: number
  /** Milliseconds. */
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

/** Why there is no result, as plain data for the service. `failed` is a bug; the others concern the image. */
type Refusal =
  | 'slow'
  | { unreadable: string }
  | { tooMany: ConstructorParameters<typeof ImageTooManyPixels> }
  | 'too large'
  | 'cannot fit'
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

/** Memory of decoders, encoders and filters beyond what grows with the pixels, and the copies of the file. */
const BASE_BYTES = 128 * 2 ** 20
const COPIES_OF_FILE = 4

const { maxPixels, maxFrames, decodeTimeoutMs, maxOutputBytes, kernelsFile } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerOptions
let kernels = loadKernels(kernelsFile)

// The engine runs one process per core: more threads per image would only compete for them.
sharp.concurrency(1)
// Every image is different: caching libvips operations would only take memory.
sharp.cache(false)

serveTasks<ImageTask, Answer>({
  // Decoding takes at most once the timeout, encoding three times; the rest is for the filter.
  limits: { maxBytes: BASE_BYTES, maxCpuMs: 5 * decodeTimeoutMs },
  run: (task, limits, isCancelled) => run(task, limits, isCancelled).catch(toRefusal),
  toExceeded: (limit) => (limit === 'maxCpuMs' ? 'slow' : { unreadable: 'it takes too much memory to decode' }),
})

const isTimeout = (error: Error) => error.message.startsWith('timeout')

function toRefusal(error: Error): Refusal {
  if (error instanceof TaskRefused) return error.refusal
  if (error instanceof UnsafeImage) return { unreadable: `it ${error.message}` }
  return isTimeout(error) ? 'slow' : { failed: error.stack ?? error.message }
}

type IsCancelled = () => boolean

/** Nobody reads the answer to a cancelled task. It only frees the process. */
function throwIfCancelled(isCancelled: IsCancelled): void {
  if (isCancelled()) throw new TaskRefused({ failed: 'cancelled' })
}

async function run(task: ImageTask, limits: TaskLimits, isCancelled: IsCancelled): Promise<HeaderRead | Finished> {
  limits.maxBytes += COPIES_OF_FILE * task.bytes.length
  const bytes = stripMetadata(task.format, task.bytes, maxFrames)
  const source = await readHeader(bytes, task.format)
  throwIfCancelled(isCancelled)
  const plan = task.resize && planResize(source, task.resize)
  if (plan) assertPixels({ ...plan.result, pages: source.pages })
  const pixels = Math.max(countPixels(source), plan ? countPixels({ ...plan.result, pages: source.pages }) : 0)
  if (pixels > task.maxPixels) return { pixels }
  limits.maxBytes += BYTES_PER_PIXEL * pixels
  return finish(task, bytes, { source, plan }, isCancelled)
}

/** The steps of an image after its header is known. */
async function finish(
  { steps, maxBytes, requestedOutput }: ImageTask,
  bytes: Uint8Array,
  { source, plan }: { source: SourceImage; plan: ResizePlan | undefined },
  isCancelled: IsCancelled,
): Promise<Finished> {
  const output = chooseOutput(source, plan?.result ?? source, requestedOutput)
  const pages = encoders[output].canAnimate ? source.pages : 1
  const startedAt = performance.now()
  const pixels = await decode(bytes, source, pages, { plan, hasAlpha: encoders[output].hasAlpha })
  const decodedAt = performance.now()
  try {
    throwIfCancelled(isCancelled)
    for (const step of steps) applyStep(pixels, step)
    const filteredAt = performance.now()
    throwIfCancelled(isCancelled)
    const encoded = await encodeWithin(pixels, {
      output,
      animation: pages > 1 ? { delay: source.delay, loop: source.loop } : {},
      isLossless: source.isLossless && source.format === output,
      isGrey: findFilter(steps.at(-1)?.filter ?? '')?.isGrey ?? false,
      timeoutSeconds: toSeconds(3 * decodeTimeoutMs),
      maxBytes,
    })
    if (!encoded) throw new TaskRefused('cannot fit')
    if (encoded.bytes.length > maxOutputBytes) throw new TaskRefused('too large')
    const timings = {
      decode: decodedAt - startedAt,
      filter: filteredAt - decodedAt,
      encode: performance.now() - filteredAt,
    }
    // The WebP encoder merges equal frames.
    const framesLeft = pages > 1 ? ((await sharp(encoded.bytes).metadata()).pages ?? 1) : 1
    return { ...encoded, output, pages: framesLeft, timings }
  } finally {
    // Frees the pixels now, not at some later garbage collection.
    ;(pixels.data.buffer as ArrayBuffer).transfer(0)
    if (kernels.bytes().length > MAX_KERNEL_BYTES) kernels = loadKernels(kernelsFile)
  }
}

function applyStep(pixels: Pixels, { filter: name, strength }: Step): void {
  const filter = findFilter(name)!
  const usedStrength = strength ?? filter.strength?.default ?? 0
  for (const frame of iterateFrames(pixels)) filter.apply(frame, kernels, usedStrength)
}

function assertPixels(image: Parameters<typeof countPixels>[0]): void {
  if (countPixels(image) > maxPixels) throw new TaskRefused({ tooMany: ['pixels over all frames', maxPixels] })
}

/** Reads only the header: nothing is decoded before its size is known to be within the limits. */
async function readHeader(bytes: Buffer, format: FormatName): Promise<SourceImage> {
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
  const source = {
    format,
    width,
    height,
    pages,
    isRotated,
    isLossless: isLossless(format, bytes),
    ...(pages > 1 && { delay, loop }),
  }
  if (pages > maxFrames) throw new TaskRefused({ tooMany: ['frames', maxFrames] })
  if (Math.max(width, height) > MAX_SIDE) throw new TaskRefused({ tooMany: ['pixels per side', MAX_SIDE] })
  assertPixels(source)
  return source
}

const toSeconds = (ms: number) => Math.ceil(ms / 1000)

interface DecodeOptions {
  readonly plan: ResizePlan | undefined
  /** Whether the output has alpha. Otherwise padding is white. */
  readonly hasAlpha: boolean
}

async function decode(
  bytes: Uint8Array,
  source: SourceImage,
  pages: number,
  { plan, hasAlpha }: DecodeOptions,
): Promise<Pixels> {
  // The header was checked; this limit is for headers that lie. A truncated image is an error, a warning is not.
  const image = sharp(bytes, { pages, limitInputPixels: maxPixels, failOn: 'error' })
  // Frames are stacked, so an animation cannot be rotated. The few that ask for it stay as they are.
  if (source.isRotated && pages === 1) image.autoOrient()
  if (plan) applyResize(image, plan, hasAlpha)
  // Colours become sRGB by default, using the colour profile of the source if it has one.
  const { data, info } = await image
    .timeout({ seconds: toSeconds(decodeTimeoutMs) })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      throw isTimeout(error) ? error : new TaskRefused({ unreadable: 'it is broken or truncated' })
    })
  const { width, height, channels } = info
  if (channels !== 3 && channels !== 4) throw new TaskRefused({ unreadable: `it has ${channels} channels` })
  return { data, width, height: height / pages, channels, pages }
}

/** Decoders of JPEG and WebP read fewer pixels if the result is much smaller. */
function applyResize(image: Sharp, { scaled, result }: ResizePlan, hasAlpha: boolean): void {
  image.resize(scaled.width, scaled.height, { fit: 'fill' })
  const left = Math.floor(Math.abs(scaled.width - result.width) / 2)
  const top = Math.floor(Math.abs(scaled.height - result.height) / 2)
  if (result.width < scaled.width || result.height < scaled.height) image.extract({ left, top, ...result })
  else if (result.width > scaled.width || result.height > scaled.height) {
    const right = result.width - scaled.width - left
    const bottom = result.height - scaled.height - top
    const background = hasAlpha ? { r: 0, g: 0, b: 0, alpha: 0 } : '#fff'
    image.extend({ left, right, top, bottom, background })
  }
}

function* iterateFrames({ data, width, height, channels, pages }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < pages; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}
