// One process of the engine: strips metadata, reads the header, decodes, filters and encodes one image at a time.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import sharp from 'sharp'
import { SMALL_SHARE, serveTasks, type TaskLimits } from '../../platform/concurrency/index.ts'
import type { DrawingFormat, FormatName } from '../../platform/image-formats/index.ts'
import { renderSvg, stripMetadata, UnsafeImage } from '../../platform/image-formats/index.ts'
import { createKernels, type Frame, findFilter } from '../filters/index.ts'
import { assertPixels, type DecodeLimits, decode, type Refusal, readHeader, TaskRefused } from './decode.ts'
import { encodeWithin, findDominantColor, type Pixels } from './encode.ts'
import type { ImageJob } from './engine.ts'
import type { OutputFormat, ResizePlan, SourceImage } from './formats.ts'
import { chooseOutput, countPixels, encoders, planResize } from './formats.ts'
import { computeTurnMs, ESTIMATE_MARGIN, estimateBytes, estimateMs, LONG_MS } from './memory.ts'

export interface ImageProcessOptions extends DecodeLimits {
  readonly decodeTimeoutMs: number
  readonly maxOutputBytes: number
  /** Memory of the largest image that is processed. */
  readonly maxImageBytes: number
  /** What the process may keep after an image. */
  readonly maxIdleBytes: number
  readonly kernelsFile: string
}

export interface ImageTask extends Omit<ImageJob, 'output'> {
  readonly format: FormatName
  readonly requestedOutput: OutputFormat | undefined
  /** The answer is only the dominant colour. */
  readonly findsColor?: boolean
  /** If an estimate is higher, the answer is only the estimates. The engine then queues the task with them. */
  readonly maxEstimatedBytes: number
  readonly maxEstimatedMs: number
}

/** A drawing of our own, which needs no checks. */
export interface DrawingTask {
  /** An SVG. */
  readonly bytes: Uint8Array
  readonly output: DrawingFormat
  readonly size: number
}

export interface Estimate {
  /** The estimated memory of the image in bytes. */
  readonly estimatedBytes: number
  /** The estimated CPU time. */
  readonly estimatedMs: number
}

export interface Finished {
  readonly bytes: Buffer
  readonly output: OutputFormat
  readonly width: number
  readonly height: number
  readonly frameCount: number
  /** Durations in milliseconds. */
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

export type ColorFound = { readonly color: string }

export type Answer = Estimate | Finished | ColorFound | Refusal

/** The memory of the kernels never shrinks. Above this size it is released after the task. */
const MAX_KERNEL_BYTES = 33_554_432
/** CPU time to read the header and to decode a small image. Larger ones have a share of the timeout in addition. */
const BASE_CPU_MS = 2000

const options = JSON.parse(process.argv[2] ?? '') as ImageProcessOptions
const { maxOutputBytes, maxImageBytes, maxIdleBytes, maxFrames, decodeTimeoutMs, kernelsFile } = options
/** Images that take long wait with those that need much memory. */
const minLargeBytes = Math.ceil(maxImageBytes * SMALL_SHARE) + 1
const kernelsCode = readFileSync(kernelsFile)
let kernels = createKernels(kernelsCode)

sharp.concurrency(1) // The engine runs one process per core: more threads per image would only compete for them.
sharp.cache(false) // Every image is different: caching libvips operations would only take memory.

serveTasks<ImageTask | DrawingTask, Answer>({
  limits: { maxBytes: maxIdleBytes + ESTIMATE_MARGIN.bytes, maxCpuMs: BASE_CPU_MS },
  maxIdleBytes,
  run: (task, limits, isCancelled) =>
    ('format' in task ? processImage(task, limits, isCancelled) : renderDrawing(task, limits)).catch(toRefusal),
  buildLimitAnswer(limit) {
    if (limit === 'maxCpuMs') return 'slow'
    if (limit === 'maxBytes') return { unreadable: 'it takes too much memory to decode' }
    return { estimatedBytes: minLargeBytes, estimatedMs: LONG_MS }
  },
})

function toRefusal(error: Error): Refusal {
  if (error instanceof TaskRefused) return error.refusal
  if (error instanceof UnsafeImage) return { unreadable: `it ${error.message}` }
  return { failed: error.stack ?? error.message }
}

async function renderDrawing({ bytes: svg, output, size }: DrawingTask, limits: TaskLimits): Promise<Finished> {
  // What the process still holds of earlier images must not fail a drawing of our own.
  limits.maxBytes = Number.POSITIVE_INFINITY
  const bytes = await renderSvg(svg, output, size)
  return { bytes, output, width: size, height: size, frameCount: 1, timings: { decode: 0, filter: 0, encode: 0 } }
}

/** An image on its way through the steps. Each step sets what later steps need. */
class Processing {
  readonly task: ImageTask
  readonly limits: TaskLimits
  bytes!: Buffer
  source!: SourceImage
  plan: ResizePlan | undefined
  output!: OutputFormat
  pixels: Pixels | undefined
  answer: Estimate | Finished | ColorFound | undefined
  readonly timings = { decode: 0, filter: 0, encode: 0 }

  constructor(task: ImageTask, limits: TaskLimits) {
    this.task = task
    this.limits = limits
  }

  get frameCount() {
    return encoders[this.output].canAnimate ? this.source.frameCount : 1
  }

  get isLossless() {
    return this.source.isLossless && this.source.format === this.output
  }
}

type ProcessingStep = [stage: keyof Finished['timings'], run: (image: Processing) => void | Promise<void>]

/** What is done to an image, in this order. A step that sets the answer is the last one. */
const steps: readonly ProcessingStep[] = [
  ['decode', strip],
  ['decode', readSource],
  ['decode', planResult],
  ['decode', estimateCosts],
  ['decode', decodePixels],
  ['filter', applyFilters],
  ['filter', findColor],
  ['encode', encodeResult],
]

async function processImage(task: ImageTask, limits: TaskLimits, isCancelled: () => boolean) {
  if (task.maxEstimatedBytes < minLargeBytes) limits.maxTurnMs = computeTurnMs(task.maxEstimatedMs)
  const image = new Processing(task, limits)
  try {
    for (const [stage, run] of steps) {
      const startedAt = performance.now()
      // Nobody reads the answer to a cancelled task. It only frees the process.
      if (isCancelled()) throw new TaskRefused('slow')
      await run(image)
      image.timings[stage] += performance.now() - startedAt
      if (image.answer) return image.answer
    }
    throw new Error('no step gave an answer')
  } finally {
    // Frees the pixels now, not at some later garbage collection.
    if (image.pixels) (image.pixels.data.buffer as ArrayBuffer).transfer(0)
    if (kernels.bytes().length > MAX_KERNEL_BYTES) kernels = createKernels(kernelsCode)
  }
}

function strip(image: Processing) {
  const { format, bytes } = image.task
  image.limits.maxBytes += bytes.length
  // A copy, because a second task may use the same bytes.
  image.bytes = stripMetadata(format, Buffer.from(bytes), maxFrames)
}

async function readSource(image: Processing) {
  image.source = await readHeader(image.bytes, image.task.format, options)
}

function planResult(image: Processing) {
  const { task, source } = image
  image.plan = task.resize && planResize(source, task.resize)
  if (image.plan) assertPixels({ ...image.plan.result, frameCount: source.frameCount }, options)
  image.output = chooseOutput(source, image.plan?.result ?? source, task.requestedOutput)
}

/** Nothing is decoded that may take more memory than is reserved for it. */
function estimateCosts(image: Processing) {
  const { task, source, output, frameCount, isLossless, limits } = image
  const result = image.plan?.result ?? source
  const work = { source, fileBytes: task.bytes.length, output, isLossless, result, frameCount }
  const estimatedBytes = estimateBytes(work)
  if (estimatedBytes > maxImageBytes) {
    const pixels = Math.floor((countPixels(source) * maxImageBytes) / estimatedBytes)
    throw new TaskRefused({ tooMany: ['pixels over all frames', pixels] })
  }
  limits.maxBytes += ESTIMATE_MARGIN.factor * estimatedBytes
  const pixels = Math.max(countPixels({ ...source, frameCount }), countPixels({ ...result, frameCount }))
  limits.maxCpuMs += (decodeTimeoutMs * pixels) / options.maxPixels
  // One that takes long waits with the large ones. Otherwise those of many networks would delay short ones for seconds.
  const estimatedMs = estimateMs({
    ...work,
    fileBytes: image.bytes.length,
    stepCount: task.steps.length,
    maxBytes: task.maxBytes,
  })
  const countedBytes = Math.max(estimatedBytes, estimatedMs > LONG_MS ? minLargeBytes : 0)
  if (countedBytes > task.maxEstimatedBytes || estimatedMs > task.maxEstimatedMs)
    image.answer = { estimatedBytes: countedBytes, estimatedMs }
}

async function decodePixels(image: Processing) {
  const { hasAlpha } = encoders[image.output]
  image.pixels = await decode(image.bytes, image.source, image.frameCount, { ...options, plan: image.plan, hasAlpha })
  // For the filter and all encodings together.
  image.limits.maxCpuMs += 4 * decodeTimeoutMs
}

function applyFilters({ task, pixels }: Processing) {
  for (const { filter: name, strength } of task.steps) {
    const filter = findFilter(name)!
    const usedStrength = strength ?? filter.strength?.default ?? 0
    for (const frame of iterateFrames(pixels!)) filter.apply(frame, kernels, usedStrength)
  }
}

function* iterateFrames({ data, width, height, channels, frameCount }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < frameCount; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}

function findColor(image: Processing) {
  if (image.task.findsColor) image.answer = { color: findDominantColor(image.pixels!) }
}

async function encodeResult(image: Processing) {
  const { task, source, output, frameCount, isLossless, timings } = image
  const encoded = await encodeWithin(image.pixels!, {
    output,
    animation: frameCount > 1 ? { delay: source.delay, loop: source.loop } : {},
    isLossless,
    isGrey: findFilter(task.steps.at(-1)?.filter ?? '')?.isGrey ?? false,
    maxBytes: task.maxBytes,
  })
  if (!encoded) throw new TaskRefused('cannot fit')
  if (encoded.bytes.length > maxOutputBytes) throw new TaskRefused('too large')
  // The WebP encoder merges equal frames.
  const framesLeft = frameCount > 1 ? ((await sharp(encoded.bytes).metadata()).pages ?? 1) : 1
  image.answer = { ...encoded, output, frameCount: framesLeft, timings }
}
