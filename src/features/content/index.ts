export { artistKinds } from '../../../packages/artist/src/index.ts'
export { createArtist, renderContactSheet } from './artist.ts'
export type { KindSummary } from './catalogue.ts'
export { type Content, type ContentOptions, checkContent, openContent } from './content.ts'
export { Credit, Credits, type PictureCredit } from './credits.ts'
export {
  computeRenderingCost,
  computeSearchCost,
  createSearchEffort,
  drawOptions,
  parseDrawingName,
} from './drawings.ts'
export type { Category, ListCategory, PictureType } from './kinds.ts'
export { ANY_KIND, categories, listCategories, pictureTypeNames, pictureTypes } from './kinds.ts'
export { idOf, starterDir, Videos } from './lists.ts'
export { UNKNOWN_COLOR } from './media-reader.ts'
export { type AddPicturesOptions, type AddResult, addPictures, findPictures } from './publish/add-pictures.ts'
export { creditPictures, entryFileOf, readPictures, removePictures } from './publish/change-pictures.ts'
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
export type { Artist, Media, Orientation, PickOptions, PictureItem, TextItem } from './types.ts'
export { orientations } from './types.ts'
