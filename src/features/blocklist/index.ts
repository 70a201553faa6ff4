export { Blocklist, type BlocklistInfo } from './blocklist.ts'
export { isUrl, UpdateError } from './fetch-list.ts'
export { blocklistSources, contentListFile, fetchedListFile, readOrigin } from './list-files.ts'
export { scheduleUpdates, type UpdateOptions, updateBlocklist } from './update.ts'
