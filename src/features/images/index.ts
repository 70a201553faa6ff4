export { createEngine, type Engine, type EngineOptions, type ImageJob } from './engine.ts'
export { type Fit, fits, MAX_REQUESTED_SIDE, MAX_SIDE, type OutputFormat, outputFormats } from './formats.ts'
export {
  ownPictureUrl,
  readFetcherOptions,
  resolveOwnPicture,
  withImageErrors,
  withOwnPictures,
} from './image-source.ts'
export { createImages, type Images, type PreparedRequest } from './images.ts'
export { planMemory } from './memory.ts'
export type { FilterResult, OnStage } from './pipeline.ts'
export type { SecondLevelCache } from './result-cache.ts'
