export { createFetcher, type Fetched, type Fetcher, type FetcherOptions, fetcherDefaults } from './fetcher.ts'
export { judgeAddress } from './judge.ts'
export { createResolver } from './resolve.ts'
export { parseSourceUrl } from './source-url.ts'
