export { Blocklist, type BlocklistInfo } from './blocklist.ts'
export {
  acceptList,
  blocklistSources,
  CONTENT_LIST,
  contentListFile,
  editBlocklist,
  fetchedListFile,
  putBlocklist,
  readOrigin,
} from './list-files.ts'
export { scheduleUpdates, UpdateError, type UpdateOptions, updateBlocklist } from './update.ts'
