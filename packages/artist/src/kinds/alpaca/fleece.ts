import { type Colour, darken, lighten } from '../../colour.ts'

/** Colours of the fleece, and of the bare face and legs. */
export const fleeces = {
  white: ['#fdf7ee', '#f3dcc4'],
  cream: ['#f8e2bf', '#fff3e0'],
  fawn: ['#e6bd8c', '#f8e3c8'],
  caramel: ['#d08f56', '#f3cfa4'],
  brown: ['#a06a4c', '#e0b58e'],
  chocolate: ['#75503f', '#c99a7c'],
  black: ['#4c4556', '#8f8494'],
  grey: ['#a9adb9', '#e6e5ea'],
  'rose-grey': ['#c9a3a3', '#f5dfd8'],
  pink: ['#f3a9ba', '#fde8e4'],
  'sky blue': ['#8fc3e6', '#eaf4fa'],
  lavender: ['#b9a5e0', '#f0eafa'],
} as const satisfies Record<string, readonly [Colour, Colour]>
export type Fleece = keyof typeof fleeces

/** Length of the curls. */
export const curlLengths = { curly: 26, fluffy: 36, cloud: 48 } as const
export type FleeceCut = keyof typeof curlLengths

export const woolPatternWeights = { plain: 3, patched: 1.3, 'two-toned': 1.3, dappled: 1.2 } as const
export type WoolPattern = keyof typeof woolPatternWeights

export interface Wool {
  fill: Colour
  marks: Colour
  face: Colour
  curlLength: number
  pattern: WoolPattern
}

export function createWool(fleece: Fleece, cut: FleeceCut, pattern: WoolPattern, face: 'pale' | 'same' | 'dark'): Wool {
  const [fill, pale] = fleeces[fleece]
  const faces = { pale, same: lighten(fill, 0.14), dark: darken(fill, 0.34) }
  const mark = fleece === 'black' || fleece === 'chocolate' ? lighten(fill, 0.45) : darken(fill, 0.24)
  return { fill, marks: mark, face: faces[face], curlLength: curlLengths[cut], pattern }
}
