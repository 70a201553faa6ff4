import type { Frame } from './define.ts'
import type { Kernels } from './wasm.ts'

/** What each of the 256 values of a sample becomes. */
export type Tones = (value: number, channel: number, x: number, y: number) => number

/** The kernels see a frame through a window of whole rows, so that their memory stays small and in the caches. */
const WINDOW_BYTES = 262_144
/** Tables repeat after four pixels to the right and at most four down. */
const RUN = 4

export interface Window {
  readonly offset: number
  readonly length: number
  readonly rows: number
}

export function* windows({ width, height, channels }: Frame): Generator<Window> {
  const rowBytes = width * channels
  const most = Math.max(RUN, Math.floor(WINDOW_BYTES / rowBytes / RUN) * RUN)
  for (let y = 0; y < height; y += most) {
    const rows = Math.min(most, height - y)
    yield { offset: y * rowBytes, length: rows * rowBytes, rows }
  }
}

export const windowBytes = (frame: Frame) => Math.max(...windows(frame).map(({ length }) => length))

/** A table for each sample of a run of four pixels, and that for each of the rows after which they repeat. */
export function toneTables(tones: Tones, channels: 3 | 4, rows: 1 | 4): Uint8Array {
  const tables = new Uint8Array(rows * RUN * channels * 256)
  let at = 0
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < RUN; x++) {
      for (let channel = 0; channel < channels; channel++) {
        for (let value = 0; value < 256; value++) tables[at++] = channel === 3 ? value : tones(value, channel, x, y)
      }
    }
  }
  return tables
}

export function mapTables(frame: Frame, kernels: Kernels, tables: Uint8Array, rowsOfTables: 1 | 4) {
  const [window, tablesAt] = kernels.layOut(windowBytes(frame), tables.length)
  kernels.bytes().set(tables, tablesAt)
  const rowBytes = frame.width * frame.channels
  for (const { offset, length, rows } of windows(frame)) {
    kernels.bytes().set(frame.data.subarray(offset, offset + length), window)
    kernels.run.mapTones(window, rowBytes, rows, frame.channels, tablesAt, rowsOfTables)
    frame.data.set(kernels.bytes().subarray(window, window + length), offset)
  }
}

/** Every sample becomes what `tones` says of its value and channel, wherever it lies. */
export const mapTones = (frame: Frame, kernels: Kernels, tones: Tones) =>
  mapTables(frame, kernels, toneTables(tones, frame.channels, 1), 1)
