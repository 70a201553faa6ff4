import type { Kernels } from './kernel-runtime.ts'

/** One image, or one frame of an animation, as 8-bit sRGB. Filters change `data` in place. */
export interface Frame {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** RGB, or RGB and alpha (not premultiplied). */
  readonly channels: 3 | 4
}

export interface StrengthRange {
  readonly min: number
  readonly max: number
  readonly default: number
}

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
