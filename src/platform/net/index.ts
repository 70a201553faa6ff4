export { createResolver, getPort, MAX_URL_CHARACTERS, parseFetchUrl } from './address-policy.ts'
export { classifyAddress, isInternalName } from './classify-address.ts'
export {
  createAddressMatcher,
  listNetworks,
  parseNetwork,
  toClientAddress,
  toNetwork,
  unwrapIpv4,
} from './client-address.ts'
export { FetchError, type FetchFailure } from './fetch-error.ts'
export * from './fetcher.ts'
