export { artistKinds, combinations, describe, draw } from './draw.ts'
export { type AnimalKind, SIZE } from './kind.ts'
