export {
  createEngine,
  type Engine,
  type EngineOptions,
  type Job,
  type OutputFormat,
  outputFormats,
  type Processed,
} from './engine/index.ts'
export { ACCEPTED_TYPES, toImageError } from './fetch-errors.ts'
export { createImages, imagesDefaults } from './images.ts'
export type { Asking, Filtered, Images, ImagesOptions, OnStage, Picture, Stage, Wish } from './images-type.ts'
export { memoryAtWorst } from './memory.ts'
export { OWN_PICTURE, sourceOf } from './own-picture.ts'
export type { SecondLevel } from './second-level.ts'
