export { createResolver } from './address-policy.ts'
export { classifyAddress } from './classify-address.ts'
export { FetchError, type FetchFailure } from './fetch-error.ts'
export {
  type CheckedUrl,
  createFetcher,
  type Fetched,
  type Fetcher,
  type FetcherOptions,
  fetcherDefaults,
} from './fetcher.ts'
export { MAX_URL_CHARACTERS, parseFetchUrl } from './url.ts'
