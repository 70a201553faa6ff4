export { Blocklist, type BlocklistInfo, type BlocklistOptions } from './blocklist.ts'
export { type ListFetcher, listFetcherOptions, UpdateError } from './fetch-list.ts'
export { blocklistCandidates, contentListFile, fetchedListFile, readOrigin } from './list-files.ts'
export {
  type Schedule,
  type ScheduleOptions,
  scheduleUpdates,
  type UpdateOptions,
  type UpdateProgress,
  type UpdateResult,
  updateBlocklist,
} from './update.ts'
