// The filters. To add one: a file beside this one, and a line in the list.
import { blur } from './blur.ts'
import { contrast } from './contrast.ts'
import type { Filter } from './define.ts'
import { dither565 } from './dither565.ts'
import { greyscale } from './greyscale.ts'
import { invert } from './invert.ts'
import { normalize } from './normalize.ts'

export type { Filter, Frame, Strength } from './define.ts'
export { parseStrength } from './strength.ts'
export { type Kernels, loadKernels } from './wasm.ts'

export const filters: readonly Filter[] = [blur, greyscale, contrast, invert, dither565, normalize]

export const findFilter = (name: string): Filter | undefined => filters.find((filter) => filter.name === name)
