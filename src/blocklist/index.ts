export { Blocklist, type BlocklistFacts, type BlocklistOptions } from './blocklist.ts'
export { blocklistCandidates, fetchedListFile } from './candidates.ts'
