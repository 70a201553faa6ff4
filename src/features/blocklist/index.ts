export { Blocklist, type BlocklistInfo } from './blocklist.ts'
export { blocklistSources, CONTENT_LIST, contentListFile, fetchedListFile, readOrigin } from './list-files.ts'
export { acceptList, editBlocklist, putBlocklist } from './publish-list.ts'
export { isUrl, scheduleUpdates, UpdateError, type UpdateOptions, updateBlocklist } from './update.ts'
