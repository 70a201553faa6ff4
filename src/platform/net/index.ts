export { judgeAddress } from './classify-address.ts'
export {
  createFetcher,
  type Fetched,
  type Fetcher,
  type FetcherOptions,
  fetcherDefaults,
  type Vetted,
} from './fetcher.ts'
export { createGate, type Gate } from './gate.ts'
export { createResolver } from './resolve.ts'
export { MAX_URL_CHARACTERS, parseSourceUrl } from './source-url.ts'
