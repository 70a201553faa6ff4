// Loads the compiled kernels and manages their memory.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../config/root.ts'

/** The part of WebAssembly that is used here: TypeScript has its types only in the browser library. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

type MeanRow = (
  sums: number,
  out: number,
  width: number,
  radius: number,
  reciprocal: number,
  pick: number,
  floor: number,
) => void

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly heap: { readonly value: number }
  mapTones(pixels: number, rowBytes: number, rows: number, channels: number, tables: number, sets: number): void
  greyscale(pixels: number, count: number, channels: number): void
  widenRanges(pixels: number, length: number, channels: number, ranges: number): void
  addRow(sums: number, row: number, count: number, weight: number): void
  slideRow(sums: number, enters: number, leaves: number, count: number): void
  meanRow: MeanRow
  premultiplyRow(pixels: number, out: number, width: number): void
  addDeepRow(sums: number, row: number, count: number, weight: number): void
  slideDeepRow(sums: number, enters: number, leaves: number, count: number): void
  meanDeepRow: MeanRow
  unpremultiplyRow(row: number, out: number, width: number, floor: number): void
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

const file = join(ROOT, 'build', 'kernels.wasm')

export function loadKernels(): Kernels {
  const module = new WebAssembly.Module(readFileSync(file))
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
