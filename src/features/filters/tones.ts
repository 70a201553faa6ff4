// Point filters: each sample is replaced by a value from a table of 256 entries.
import type { Frame } from './define-filter.ts'
import type { Kernels } from './load-kernels.ts'

/** The new value of a sample. */
export type ToneCurve = (value: number, channel: number, x: number, y: number) => number

/** Kernels see a frame through a window of whole rows, so that their memory stays small and in the CPU caches. */
const WINDOW_BYTES = 262_144
/** Tables repeat every four pixels to the right, and at most every four rows. */
const PERIOD = 4

interface Window {
  readonly offset: number
  readonly length: number
  readonly rows: number
}

export function* iterateWindows({ width, height, channels }: Frame): Generator<Window> {
  const rowBytes = width * channels
  const maxRows = Math.max(PERIOD, Math.floor(WINDOW_BYTES / rowBytes / PERIOD) * PERIOD)
  for (let y = 0; y < height; y += maxRows) {
    const rows = Math.min(maxRows, height - y)
    yield { offset: y * rowBytes, length: rows * rowBytes, rows }
  }
}

export const computeWindowBytes = (frame: Frame) => Math.max(...iterateWindows(frame).map(({ length }) => length))

/** Builds one table per sample of four pixels, for each of the rows after which they repeat. Alpha stays as it is. */
export function buildToneTables(curve: ToneCurve, channels: 3 | 4, rows: 1 | 4): Uint8Array {
  const tables = new Uint8Array(rows * PERIOD * channels * 256)
  let at = 0
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < PERIOD; x++) {
      for (let channel = 0; channel < channels; channel++) {
        for (let value = 0; value < 256; value++) tables[at++] = channel === 3 ? value : curve(value, channel, x, y)
      }
    }
  }
  return tables
}

export function mapTables(frame: Frame, kernels: Kernels, tables: Uint8Array, tableRows: 1 | 4) {
  const [window, tablesAt] = kernels.allocate(computeWindowBytes(frame), tables.length)
  kernels.bytes().set(tables, tablesAt)
  const rowBytes = frame.width * frame.channels
  for (const { offset, length, rows } of iterateWindows(frame)) {
    kernels.bytes().set(frame.data.subarray(offset, offset + length), window)
    kernels.run.mapTones(window, rowBytes, rows, frame.channels, tablesAt, tableRows)
    frame.data.set(kernels.bytes().subarray(window, window + length), offset)
  }
}

/** Applies a curve that does not depend on the position. */
export const mapTones = (frame: Frame, kernels: Kernels, curve: ToneCurve) =>
  mapTables(frame, kernels, buildToneTables(curve, frame.channels, 1), 1)
