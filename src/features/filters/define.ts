import type { Kernels } from './wasm.ts'

/** One picture, or one frame of an animation, as 8-bit sRGB. Filters change `data` in place. */
export interface Frame {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** RGB, or RGB and alpha (not premultiplied). */
  readonly channels: 3 | 4
}

export interface Strength {
  readonly min: number
  readonly max: number
  readonly default: number
}

export interface Filter {
  readonly name: string
  readonly summary: string
  /** What `strength` may be; a filter without takes none. */
  readonly strength?: Strength
  /** Whether red, green and blue come out equal, so that one channel holds all there is. */
  readonly colourless?: boolean
  readonly apply: (frame: Frame, kernels: Kernels, strength: number) => void
}
