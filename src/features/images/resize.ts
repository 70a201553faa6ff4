import type { Size } from '../../platform/image-formats/index.ts'

export const fits = ['cover', 'contain', 'inside'] as const
export type Fit = (typeof fits)[number]

/** The largest side that can be requested. */
export const MAX_REQUESTED_SIDE = 8192

export interface Resize {
  /** At least one of both is defined; the other follows from the proportions. */
  readonly width: number | undefined
  readonly height: number | undefined
  /** `cover` crops, `contain` pads, `inside` keeps the proportions and does neither. */
  readonly fit: Fit
}

export interface ResizePlan {
  /** The size to scale to. Never larger than the source. */
  readonly scaled: Size
  /** The size of the result, centred: smaller than `scaled` if it is cropped, larger if it is padded. */
  readonly result: Size
}

export function planResize(source: Size, { width, height, fit }: Resize): ResizePlan {
  const ratios = [
    ...(width === undefined ? [] : [width / source.width]),
    ...(height === undefined ? [] : [height / source.height]),
  ]
  const scale = Math.min(1, fit === 'cover' ? Math.max(...ratios) : Math.min(...ratios))
  const scaled = {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  }
  const wanted = { width: width ?? scaled.width, height: height ?? scaled.height }
  if (fit === 'inside') return { scaled, result: scaled }
  if (fit === 'contain') return { scaled, result: wanted }
  const result = {
    width: Math.min(wanted.width, scaled.width),
    height: Math.min(wanted.height, scaled.height),
  }
  return { scaled, result }
}
