// The compiled kernels and the memory that they work in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../config/root.ts'

/** Of the runtime's WebAssembly, what is used here: its types come only with those of a browser. */
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
  /** Forgets what lies in the memory and hands out addresses of so many bytes each, which start on 16 bytes. */
  layOut<Sizes extends number[]>(...sizes: Sizes): { [Nth in keyof Sizes]: number }
  bytes(): Uint8Array
}

const PAGE = 65_536
/** A step of a kernel may read or write this far past the end of a row. */
const SLACK = 64

const file = join(ROOT, 'build', 'kernels.wasm')

export function loadKernels(): Kernels {
  const module = new WebAssembly.Module(readFileSync(file))
  const run = new WebAssembly.Instance(module).exports as Exports
  let bytes = new Uint8Array(run.memory.buffer)
  return {
    run,
    bytes: () => bytes,
    layOut<Sizes extends number[]>(...sizes: Sizes) {
      let end = align(run.heap.value)
      const addresses = sizes.map((size) => {
        const address = end
        end = align(end + size + SLACK)
        return address
      })
      if (end > bytes.length) {
        run.memory.grow(Math.ceil((end - bytes.length) / PAGE))
        bytes = new Uint8Array(run.memory.buffer)
      }
      return addresses as { [Nth in keyof Sizes]: number }
    },
  }
}

const align = (address: number) => Math.ceil(address / 16) * 16
