export { artistKinds, combinations, describe, draw } from './draw.ts'
export type { AnimalKind } from './kind.ts'
export { type PixelFormat, render } from './render.ts'
export { contactSheet, type SheetOptions } from './sheet.ts'
