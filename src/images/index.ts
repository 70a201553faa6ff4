export { createEngine, type EngineOptions } from './engine/index.ts'
export type { Engine, Job, OutputFormat, Processed } from './engine-type.ts'
export {
  createImages,
  type Filtered,
  type FilterRequest,
  type Images,
  type ImagesOptions,
  imagesDefaults,
  type OnStage,
  type Stage,
} from './images.ts'
export { memoryAtWorst } from './memory.ts'
export { OWN_PICTURE, sourceOf } from './own-picture.ts'
export type { SecondLevel } from './second-level.ts'
