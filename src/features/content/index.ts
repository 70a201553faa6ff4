export { artistKinds } from '../../../packages/artist/src/index.ts'
export { createArtist, renderContactSheet } from './artist.ts'
export type { KindSummary } from './catalogue.ts'
export { type Content, type ContentOptions, checkContent, openContent } from './content.ts'
export { Credit, Credits, type PictureCredit } from './credits.ts'
export { computeRenderingCost, createSearchEffort, drawOptions, parseDrawingName } from './drawings.ts'
export {
  ANY_KIND,
  type Category,
  categories,
  type ListCategory,
  listCategories,
  type PictureType,
  pictureTypeNames,
  pictureTypes,
} from './kinds.ts'
export { idOf, starterDir, Videos } from './lists.ts'
export { UNKNOWN_COLOR } from './media-reader.ts'
export { type AddPicturesOptions, type AddResult, addPictures, findPictures } from './publish/add-pictures.ts'
export { creditPictures, readPictures, removePictures } from './publish/change-pictures.ts'
export {
  acceptShrinking,
  editContent,
  isContentFile,
  isPicture,
  listKinds,
  putList,
  putVideos,
  readListText,
  removeList,
} from './publish/edit-content.ts'
export {
  type Artist,
  type Media,
  type Orientation,
  orientations,
  type PickOptions,
  type PictureItem,
  type TextItem,
} from './types.ts'
