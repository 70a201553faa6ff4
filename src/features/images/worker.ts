// One thread of the engine. Works on one image at a time.
import { parentPort, workerData } from 'node:worker_threads'
import sharp from 'sharp'
import { type FormatName, stripMetadata } from '../../platform/image-formats/index.ts'
import { findFilter, loadKernels } from '../filters/index.ts'
import { decode, encode, type ImageLimits, iterateFrames, type Refusal, readHeader } from './codec.ts'
import { chooseOutput, countPixels, encoders, type OutputFormat, type SourceImage } from './formats.ts'
import { lowerDecoderPriority, lowerThreadPriority } from './thread-priority.ts'

interface FilterTask {
  readonly bytes: Uint8Array
  readonly filter: string
  readonly strength: number
}

/** Strips metadata and reads the header. Continues only if the image has at most `maxPixels`. */
export interface StartTask extends FilterTask {
  readonly format: FormatName
  readonly requestedOutput: OutputFormat | undefined
  readonly maxPixels: number
}

/** The answer to a StartTask that did not continue. */
export interface Started {
  readonly bytes: Uint8Array
  readonly source: SourceImage
}

/** Decodes, filters and encodes an image whose header was read. */
export interface ContinueTask extends FilterTask {
  readonly source: SourceImage
  readonly output: OutputFormat
}

export interface WorkerOptions extends ImageLimits {
  readonly decodeTimeoutMs: number
}

export interface Finished {
  readonly bytes: Uint8Array
  readonly output: OutputFormat
  readonly width: number
  readonly height: number
  readonly pages: number
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

/** A refusal concerns the image; `failed` is a bug. */
export type Answer = { started: Started } | { finished: Finished } | Refusal | { failed: string } | 'slow' | 'cancelled'

/** The memory of the kernels never shrinks. Above this size it is released after the job. */
const MAX_KERNEL_BYTES = 33_554_432

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

async function start({
  bytes,
  format,
  requestedOutput,
  maxPixels: maxToContinue,
  ...task
}: StartTask): Promise<Answer> {
  const stripped = stripMetadata(format, bytes, maxFrames)
  const source = await readHeader(stripped, format, { maxPixels, maxFrames })
  if (!('format' in source)) return source
  if (isCancelled) return 'cancelled'
  if (countPixels(source) > maxToContinue) return { started: { bytes: stripped, source } }
  return finish({ ...task, bytes: stripped, source, output: chooseOutput(source, requestedOutput) })
}

async function finish({ bytes, source, filter: name, strength, output }: ContinueTask): Promise<Answer> {
  const filter = findFilter(name)!
  const allFrames = source.pages > 1 && encoders[output].canAnimate
  const startedAt = performance.now()
  const pixels = await decode(bytes, { source, allFrames, maxPixels, timeoutMs: decodeTimeoutMs }).catch(
    (error: Error): 'slow' | Refusal => (isTimeout(error) ? 'slow' : { unreadable: 'it is broken or truncated' }),
  )
  if (typeof pixels === 'string' || !('data' in pixels)) return pixels
  const decodedAt = performance.now()
  try {
    if (isCancelled) return 'cancelled'
    for (const frame of iterateFrames(pixels)) filter.apply(frame, kernels, strength)
    const filteredAt = performance.now()
    if (isCancelled) return 'cancelled'
    const { isGrey = false } = filter
    const animation = { delay: source.delay, loop: source.loop }
    const encoded = await encode(pixels, { output, isGrey, animation, timeoutMs: 3 * decodeTimeoutMs })
    const timings = {
      decode: decodedAt - startedAt,
      filter: filteredAt - decodedAt,
      encode: performance.now() - filteredAt,
    }
    return { finished: { ...encoded, output, width: pixels.width, height: pixels.height, timings } }
  } finally {
    // Frees the pixels now, not at some later garbage collection.
    ;(pixels.data.buffer as ArrayBuffer).transfer(0)
    if (kernels.bytes().length > MAX_KERNEL_BYTES) kernels = loadKernels()
  }
}

const isTimeout = (error: Error) => error.message.startsWith('timeout')

function listTransferable(answer: Answer): ArrayBuffer[] {
  if (typeof answer === 'string') return []
  if ('started' in answer) return [answer.started.bytes.buffer as ArrayBuffer]
  return 'finished' in answer ? [answer.finished.bytes.buffer as ArrayBuffer] : []
}

port.on('message', async (message: StartTask | ContinueTask | 'cancel') => {
  isCancelled = message === 'cancel'
  if (message === 'cancel') return
  const work = 'source' in message ? finish(message) : start(message)
  const answer = await work.catch(
    (error: Error): Answer => (isTimeout(error) ? 'slow' : { failed: error.stack ?? error.message }),
  )
  if (!areDecodersLowered) lowerDecoderPriority()
  areDecodersLowered = true
  port.postMessage(answer, listTransferable(answer))
})
