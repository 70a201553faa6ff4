// Filters images of the page in a thread of its own, with the kernels that the service uses. The policy of this script
// allows no request.
import code from 'kernels.wasm'
import { ApiError, InvalidParameter } from '../../../../errors/index.ts'
import { createKernels, type Frame, filters, findFilter, parseStrength } from '../../../../features/filters/index.ts'
import type { Choice } from '../choice.ts'
import { type Answer, type FilteredFile, type Task, THUMBNAIL_SIDE, type Thumbnail } from '../worker-tasks.ts'

/** In a thumbnail, defaults are hardly visible (contrast) or too strong for few pixels (blur). */
const THUMBNAIL_STRENGTHS: Record<string, number> = { blur: 3, contrast: 0.4 }
const QUALITY = 0.9

const kernels = createKernels(code)
let decoded: { readonly key: number; readonly bitmap: Promise<ImageBitmap> } | undefined

function decode({ key, blob }: Task): Promise<ImageBitmap> {
  if (decoded?.key !== key) {
    decoded?.bitmap.then((bitmap) => bitmap.close()).catch(() => {})
    decoded = { key, bitmap: createImageBitmap(blob) }
  }
  return decoded.bitmap
}

function createContext(width: number, height: number) {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('This browser cannot filter images.')
  context.imageSmoothingQuality = 'high'
  return context
}

/** An opaque image gets three channels, as in the service: blur has another kernel for these images. */
function readFrame({ data, width, height }: ImageData): Frame {
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] !== 255) return { data: new Uint8Array(data.buffer), width, height, channels: 4 }
  }
  const rgb = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < rgb.length; from += 4) {
    rgb[to++] = data[from]!
    rgb[to++] = data[from + 1]!
    rgb[to++] = data[from + 2]!
  }
  return { data: rgb, width, height, channels: 3 }
}

/** Copies an opaque frame back. A frame with alpha already uses the memory of the image. */
function writeFrame({ data: rgb, channels }: Frame, { data }: ImageData): void {
  if (channels === 4) return
  for (let from = 0, to = 0; from < rgb.length; to += 4) {
    data[to] = rgb[from++]!
    data[to + 1] = rgb[from++]!
    data[to + 2] = rgb[from++]!
  }
}

function readSide(options: Choice['options'], name: 'width' | 'height'): number {
  const text = options[name]
  if (!text) return Number.POSITIVE_INFINITY
  const side = Number(text)
  if (!Number.isInteger(side) || side < 1) throw new InvalidParameter(name, 'a whole number of pixels')
  return side
}

/** Fits into the wanted width and height, and never enlarges. */
function computeSize({ width, height }: ImageBitmap, options: Choice['options']) {
  const scale = Math.min(1, readSide(options, 'width') / width, readSide(options, 'height') / height)
  return [width, height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number]
}

/** The formats that browsers write. */
const WRITABLE = ['image/png', 'image/jpeg', 'image/webp']

async function filterFile(
  bitmap: ImageBitmap,
  { steps, options }: Pick<Choice, 'steps' | 'options'>,
  sourceType: string,
): Promise<FilteredFile> {
  const applied = steps.map(({ filter: name, strength }) => {
    const filter = findFilter(name)!
    return { filter, strength: parseStrength(filter, strength || undefined) ?? 0 }
  })
  const [width, height] = computeSize(bitmap, options)
  const context = createContext(width, height)
  context.drawImage(bitmap, 0, 0, width, height)
  const image = context.getImageData(0, 0, width, height)
  const frame = readFrame(image)
  for (const { filter, strength } of applied) filter.apply(frame, kernels, strength)
  writeFrame(frame, image)
  context.putImageData(image, 0, 0)
  const wanted = options.output ? `image/${options.output}` : sourceType
  const type = WRITABLE.includes(wanted) ? wanted : 'image/png'
  if (type === 'image/jpeg') {
    context.globalCompositeOperation = 'destination-over'
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
  }
  return { blob: await context.canvas.convertToBlob({ type, quality: QUALITY }), width, height }
}

function drawThumbnails(bitmap: ImageBitmap): Thumbnail[] {
  const side = Math.min(bitmap.width, bitmap.height)
  const context = createContext(THUMBNAIL_SIDE, THUMBNAIL_SIDE)
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2]
  context.drawImage(bitmap, left, top, side, side, 0, 0, THUMBNAIL_SIDE, THUMBNAIL_SIDE)
  return filters.map((filter) => {
    const image = context.getImageData(0, 0, THUMBNAIL_SIDE, THUMBNAIL_SIDE)
    const frame = readFrame(image)
    filter.apply(frame, kernels, THUMBNAIL_STRENGTHS[filter.name] ?? filter.strength?.default ?? 0)
    writeFrame(frame, image)
    return { filter: filter.name, pixels: image.data as Uint8ClampedArray<ArrayBuffer> }
  })
}

async function answer(task: Task): Promise<Answer> {
  const { id, blob } = task
  const bitmap = await decode(task).catch(() => undefined)
  if (!bitmap) return { id, failure: { message: 'This browser cannot read the image.' } }
  try {
    if ('steps' in task) return { id, file: await filterFile(bitmap, task, blob.type) }
    return { id, thumbnails: drawThumbnails(bitmap) }
  } catch (error) {
    const { message } = error as Error
    return { id, failure: error instanceof ApiError ? { ...error.details, code: error.code, message } : { message } }
  }
}

addEventListener('message', async ({ data }: MessageEvent<Task>) => postMessage(await answer(data)))
