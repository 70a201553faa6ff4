// One thread of the engine: inspects, or decodes, filters and encodes, one picture at a time.
import { parentPort, workerData } from 'node:worker_threads'
import sharp from 'sharp'
import { type FormatName, stripMetadata } from '../../../platform/image-formats/index.ts'
import { findFilter, loadKernels } from '../../filters/index.ts'
import { decode, framesOf } from './decode.ts'
import { encode } from './encode.ts'
import { type OutputFormat, outputFor, writers } from './formats.ts'
import { inspect, type Limits, pixelsOf, type Refusal, type Source } from './inspect.ts'
import { letDecodersStepBack, stepBack } from './priority.ts'

interface Wish {
  readonly bytes: Uint8Array
  readonly filter: string
  readonly strength: number
}

/**
 * To tell what a picture is, and to filter it at once where it is no larger than `goesOnWith` pixels. Else its bytes come
 * back, without what a decoder need not see.
 */
export interface Inspection extends Wish {
  readonly format: FormatName
  readonly wanted: OutputFormat | undefined
  readonly goesOnWith: number
}

export interface Inspected {
  readonly bytes: Uint8Array
  readonly source: Source
}

/** To filter a picture that was inspected. */
export interface Making extends Wish {
  readonly source: Source
  readonly output: OutputFormat
}

export type Task = Inspection | Making

export interface WorkerOptions extends Limits {
  readonly decodeTimeoutMs: number
}

export interface Done {
  readonly bytes: Uint8Array
  readonly output: OutputFormat
  readonly width: number
  readonly height: number
  readonly pages: number
  readonly timings: { readonly decode: number; readonly filter: number; readonly encode: number }
}

/** A refusal is about the picture; `failed` is a fault of ours. */
export type Answer = { done: Done | Inspected } | Refusal | { failed: string } | 'slow' | 'cancelled'

/** The kernels' memory never shrinks: above this it is given back after the job. */
const KEPT_BYTES = 33_554_432

const { maxPixels, maxFrames, decodeTimeoutMs } = workerData as WorkerOptions
const port = parentPort!
let kernels = loadKernels()
let cancelled = false
let decodersStepBack = false

stepBack()

// The engine runs as many of these threads as there are cores; more threads a picture would only fight for them.
sharp.concurrency(1)
// Every picture is another one: what libvips remembers of the last operations is memory for nothing.
sharp.cache(false)

async function look({ bytes: given, format, wanted, goesOnWith, ...wish }: Inspection): Promise<Answer> {
  const bytes = stripMetadata(format, given, maxFrames)
  const source = await inspect(bytes, format, { maxPixels, maxFrames })
  if (!('format' in source)) return source
  if (cancelled) return 'cancelled'
  if (pixelsOf(source) > goesOnWith) return { done: { bytes, source } }
  return make({ ...wish, bytes, source, output: outputFor(source, wanted) })
}

async function make({ bytes, source, filter: name, strength, output }: Making): Promise<Answer> {
  const filter = findFilter(name)!
  const animated = source.pages > 1 && writers[output].animated
  const started = performance.now()
  const pixels = await decode(bytes, { source, animated, maxPixels, timeoutMs: decodeTimeoutMs }).catch(complaint)
  if (typeof pixels === 'string' || 'unreadable' in pixels) return pixels
  const decoded = performance.now()
  try {
    if (cancelled) return 'cancelled'
    for (const frame of framesOf(pixels)) filter.apply(frame, kernels, strength)
    const filtered = performance.now()
    if (cancelled) return 'cancelled'
    const { colourless = false } = filter
    const animation = { delay: source.delay, loop: source.loop }
    const encoded = await encode(pixels, { output, colourless, animation, timeoutMs: 3 * decodeTimeoutMs })
    const timings = { decode: decoded - started, filter: filtered - decoded, encode: performance.now() - filtered }
    return { done: { ...encoded, output, width: pixels.width, height: pixels.height, timings } }
  } finally {
    // Frees the pixels now and not at some later collection.
    ;(pixels.data.buffer as ArrayBuffer).transfer(0)
    if (kernels.bytes().length > KEPT_BYTES) kernels = loadKernels()
  }
}

const isTimeout = (error: Error) => error.message.startsWith('timeout')
const complaint = (error: Error) => (isTimeout(error) ? 'slow' : { unreadable: 'it is broken or cut off' })
const fault = (error: Error): Answer => (isTimeout(error) ? 'slow' : { failed: error.stack ?? error.message })
const transferable = (answer: Answer) =>
  typeof answer === 'object' && 'done' in answer ? [answer.done.bytes.buffer as ArrayBuffer] : []

port.on('message', async (message: Task | 'cancel') => {
  cancelled = message === 'cancel'
  if (message === 'cancel') return
  const answer = await ('source' in message ? make(message) : look(message)).catch(fault)
  if (!decodersStepBack) letDecodersStepBack()
  decodersStepBack = true
  port.postMessage(answer, transferable(answer))
})
