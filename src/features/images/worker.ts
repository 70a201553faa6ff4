// One process of the engine: strips metadata, reads the header, decodes, filters and encodes one image at a time.
import process from 'node:process'
import sharp from 'sharp'
import { serveTasks, type TaskLimits } from '../../platform/concurrency/index.ts'
import {
  type DrawingFormat,
  type FormatName,
  renderSvg,
  stripMetadata,
  UnsafeImage,
} from '../../platform/image-formats/index.ts'
import { type Frame, findFilter, loadKernels, type Step } from '../filters/index.ts'
import { assertPixels, type DecodeLimits, decode, isTimeout, type Refusal, readHeader, TaskRefused } from './decode.ts'
import { encodeWithin, type Pixels } from './encode.ts'
import { BYTES_PER_PIXEL, chooseOutput, countPixels, encoders, type OutputFormat, type SourceImage } from './formats.ts'
import { planResize, type Resize, type ResizePlan } from './resize.ts'

export interface WorkerOptions extends DecodeLimits {
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

/** A drawing of our own, which needs no checks. */
export interface DrawingTask {
  /** An SVG. */
  readonly bytes: Uint8Array
  readonly output: DrawingFormat
  readonly size: number
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

export type Answer = HeaderRead | Finished | Refusal

/** The memory of the kernels never shrinks. Above this size it is released after the task. */
const MAX_KERNEL_BYTES = 33_554_432
/** Memory of decoders, encoders and filters beyond what grows with the pixels, and the copies of the file. */
const BASE_BYTES = 128 * 2 ** 20
const COPIES_OF_FILE = 5
/** Computing time to read the header and to decode a small image. Larger ones have a share of the timeout in addition. */
const BASE_CPU_MS = 2000

const { maxOutputBytes, kernelsFile, ...decodeLimits } = JSON.parse(process.argv[2] ?? '') as WorkerOptions
const { maxFrames, decodeTimeoutMs } = decodeLimits
let kernels = loadKernels(kernelsFile)

// The engine runs one process per core: more threads per image would only compete for them.
sharp.concurrency(1)
// Every image is different: caching libvips operations would only take memory.
sharp.cache(false)

serveTasks<ImageTask | DrawingTask, Answer>({
  limits: { maxBytes: BASE_BYTES, maxCpuMs: BASE_CPU_MS },
  run: (task, limits, isCancelled) =>
    ('format' in task ? run(task, limits, isCancelled) : render(task)).catch(toRefusal),
  toExceeded: (limit) => (limit === 'maxCpuMs' ? 'slow' : { unreadable: 'it takes too much memory to decode' }),
})

async function render({ bytes: svg, output, size }: DrawingTask): Promise<Finished> {
  const bytes = await renderSvg(svg, output, size)
  return { bytes, output, width: size, height: size, pages: 1, timings: { decode: 0, filter: 0, encode: 0 } }
}

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
  // A copy, because a second task may use the same bytes.
  const bytes = stripMetadata(task.format, Buffer.from(task.bytes), maxFrames)
  const source = await readHeader(bytes, task.format, decodeLimits)
  throwIfCancelled(isCancelled)
  const plan = task.resize && planResize(source, task.resize)
  if (plan) assertPixels({ ...plan.result, pages: source.pages }, decodeLimits)
  const pixels = Math.max(countPixels(source), plan ? countPixels({ ...plan.result, pages: source.pages }) : 0)
  if (pixels > task.maxPixels) return { pixels }
  limits.maxBytes += BYTES_PER_PIXEL * pixels
  limits.maxCpuMs += (decodeTimeoutMs * pixels) / decodeLimits.maxPixels
  return finish(task, bytes, { source, plan }, limits, isCancelled)
}

/** The steps of an image after its header is known. */
async function finish(
  { steps, maxBytes, requestedOutput }: ImageTask,
  bytes: Buffer,
  { source, plan }: { source: SourceImage; plan: ResizePlan | undefined },
  limits: TaskLimits,
  isCancelled: IsCancelled,
): Promise<Finished> {
  const output = chooseOutput(source, plan?.result ?? source, requestedOutput)
  const pages = encoders[output].canAnimate ? source.pages : 1
  const startedAt = performance.now()
  const pixels = await decode(bytes, source, pages, {
    ...decodeLimits,
    plan,
    hasAlpha: encoders[output].hasAlpha,
  })
  const decodedAt = performance.now()
  // Encoding takes at most three times the timeout; the rest is for the filter.
  limits.maxCpuMs += 4 * decodeTimeoutMs
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
      timeoutSeconds: Math.ceil((3 * decodeTimeoutMs) / 1000),
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

function* iterateFrames({ data, width, height, channels, pages }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < pages; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}
