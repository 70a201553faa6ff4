// Pixel kernels, compiled to WebAssembly by scripts/build.ts. Callers manage the memory from `heap` on.
export { dither } from './dither'
export { mapLines, widenRanges } from './tones'
export { greyscale } from './greyscale'
export { addRow, subtractRows, meanRow, meanNarrowRow } from './box'
export { premultiplyRow, slideDeepRow, meanDeepRow, unpremultiplyRow } from './box'

export const heap: usize = __heap_base
