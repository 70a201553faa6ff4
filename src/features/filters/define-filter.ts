/** One image, or one frame of an animation, as 8-bit sRGB. Filters change `data` in place. */
export interface Frame {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** RGB, or RGB and alpha (not premultiplied). */
  readonly channels: 3 | 4
}

export type StrengthRange = { readonly min: number; readonly max: number; readonly default: number }

export interface Filter {
  readonly name: string
  readonly summary: string
  /** A filter without it ignores the strength. */
  readonly strength?: StrengthRange
  /** Whether red, green and blue are equal in the result, so that one channel is enough to encode it. */
  readonly isGrey?: boolean
  readonly apply: (frame: Frame, kernels: Kernels, strength: number) => void
}

export const defineFilter = (filter: Filter): Filter => filter

// Instantiates the compiled kernels, manages their memory and hands frames to them. Browsers run it, too.

/** The part of WebAssembly that is used here: TypeScript has its types only in the browser library. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

/** The last two numbers divide a sum. */
type MeanRow = (
  changes: number,
  sums: number,
  out: number,
  width: number,
  radius: number,
  factor: number,
  fraction: number,
) => void

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly heap: { readonly value: number }
  mapLines(samples: number, length: number, lines: number): void
  dither(pixels: number, rowBytes: number, rows: number, channels: number, coefficients: number): void
  greyscale(pixels: number, count: number, channels: number): void
  widenRanges(pixels: number, length: number, channels: number, ranges: number): void
  addRow(changes: number, row: number, count: number, times: number): void
  subtractRows(changes: number, enters: number, leaves: number, count: number): void
  meanRow: MeanRow
  meanNarrowRow: MeanRow
  premultiplyRow(pixels: number, out: number, width: number, depth: number): void
  slideDeepRow(sums: number, enters: number, leaves: number, count: number): void
  meanDeepRow(
    sums: number,
    out: number,
    width: number,
    radius: number,
    reciprocal: number,
    pick: number,
    half: number,
  ): void
  unpremultiplyRow(row: number, out: number, width: number, depth: number): void
}

export interface Kernels {
  readonly run: Omit<Exports, 'memory' | 'heap'>
  /** Discards all earlier allocations and returns addresses for blocks of these sizes, aligned to 16 bytes. */
  allocate<Sizes extends number[]>(...sizes: Sizes): { [Nth in keyof Sizes]: number }
  bytes(): Uint8Array
}

const PAGE_BYTES = 65_536
/** A kernel may read or write this far beyond the end of a row. */
const PADDING_BYTES = 64

/** `code` is the content of KERNELS_FILE. */
export function createKernels(code: Uint8Array): Kernels {
  const module = new WebAssembly.Module(code)
  const run = new WebAssembly.Instance(module).exports as Exports
  let bytes = new Uint8Array(run.memory.buffer)
  return {
    run,
    bytes: () => bytes,
    allocate<Sizes extends number[]>(...sizes: Sizes) {
      let end = align(run.heap.value)
      const addresses = sizes.map((size) => {
        const address = end
        end = align(end + size + PADDING_BYTES)
        return address
      })
      if (end > bytes.length) {
        run.memory.grow(Math.ceil((end - bytes.length) / PAGE_BYTES))
        bytes = new Uint8Array(run.memory.buffer)
      }
      return addresses as { [Nth in keyof Sizes]: number }
    },
  }
}

const align = (address: number) => Math.ceil(address / 16) * 16

/** Size of a window in bytes: small enough for the CPU caches. */
const MAX_WINDOW_BYTES = 262_144
/** The pattern of `dither565` repeats every four rows. */
const PERIOD = 4

function computeWindowRows({ width, height, channels }: Frame): number {
  const fitting = Math.floor(MAX_WINDOW_BYTES / (width * channels) / PERIOD) * PERIOD
  return Math.min(height, Math.max(PERIOD, fitting))
}

export const computeWindowBytes = (frame: Frame) => computeWindowRows(frame) * frame.width * frame.channels

/** Copies a frame to `address` in windows of whole rows, and back unless `isReadOnly` is set. */
export function* copyWindows(frame: Frame, kernels: Kernels, address: number, isReadOnly = false) {
  const windowBytes = computeWindowBytes(frame)
  for (let at = 0; at < frame.data.length; at += windowBytes) {
    const window = frame.data.subarray(at, at + windowBytes)
    const { length } = window
    kernels.bytes().set(window, address)
    yield { length, rows: length / (frame.width * frame.channels) }
    if (!isReadOnly) window.set(kernels.bytes().subarray(address, address + length))
  }
}
