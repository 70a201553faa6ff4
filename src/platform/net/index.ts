export { createResolver, MAX_URL_CHARACTERS, parseFetchUrl } from './address-policy.ts'
export { classifyAddress } from './classify-address.ts'
export { createAddressMatcher, listNetworks, toClientAddress } from './client-address.ts'
export { FetchError, type FetchFailure } from './fetch-error.ts'
export {
  createFetcher,
  type Fetched,
  type Fetcher,
  type FetcherOptions,
} from './fetcher.ts'
