// Jimp as the reference, and measures of the difference between two images.

import { readFileSync } from 'node:fs'
import Jimp from 'jimp'
import { KERNELS_FILE } from '../../../src/config/root.ts'
import { createKernels, type Frame, findFilter } from '../../../src/features/filters/index.ts'
import { copyFrame } from '../../kit/frames.ts'

const kernels = createKernels(readFileSync(KERNELS_FILE))

export function filtered(frame: Frame, name: string, strength?: number): Frame {
  const filter = findFilter(name)!
  const result = copyFrame(frame)
  filter.apply(result, kernels, strength ?? filter.strength?.default ?? 0)
  return result
}

type JimpFilter = (picture: Jimp, strength: number) => unknown

const jimpFilters: Record<string, JimpFilter> = {
  blur: (picture, radius) => picture.blur(radius),
  greyscale: (picture) => picture.greyscale(),
  contrast: (picture, strength) => picture.contrast(strength),
  invert: (picture) => picture.invert(),
  normalize: (picture) => picture.normalize(),
  dither565: (picture) => picture.dither565(),
}

/** The result of Jimp. A frame without alpha is passed as opaque. */
export function byJimp(frame: Frame, name: string, strength = 0): Frame {
  const { width, height, channels } = frame
  const data = Buffer.alloc(width * height * 4, 255)
  for (let pixel = 0; pixel < width * height; pixel++) {
    data.set(frame.data.subarray(pixel * channels, (pixel + 1) * channels), pixel * 4)
  }
  const picture = new Jimp({ data, width, height })
  jimpFilters[name]!(picture, strength)
  const result = copyFrame(frame)
  for (let pixel = 0; pixel < width * height; pixel++) {
    result.data.set(picture.bitmap.data.subarray(pixel * 4, pixel * 4 + channels), pixel * channels)
  }
  return result
}

export function greatestDifference(a: Frame, b: Frame): number {
  return a.data.reduce((most, value, at) => Math.max(most, Math.abs(value - b.data[at]!)), 0)
}

/** Peak signal to noise ratio in decibels; infinite if both are equal. */
export function psnr(a: Frame, b: Frame): number {
  const squares = a.data.reduce((sum, value, at) => sum + (value - b.data[at]!) ** 2, 0)
  return 10 * Math.log10(255 ** 2 / (squares / a.data.length))
}
