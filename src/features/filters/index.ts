// To add a filter: one file in this folder and one line in the list.
import { blur } from './blur.ts'
import { contrast } from './contrast.ts'
import type { Filter } from './define-filter.ts'
import { dither565 } from './dither565.ts'
import { greyscale } from './greyscale.ts'
import { invert } from './invert.ts'
import { normalize } from './normalize.ts'

export { type Filter, type Frame, parseStrength, type StrengthRange } from './define-filter.ts'
export { type Kernels, loadKernels } from './load-kernels.ts'

export const filters: readonly Filter[] = [blur, greyscale, contrast, invert, dither565, normalize]

export const findFilter = (name: string): Filter | undefined => filters.find((filter) => filter.name === name)
