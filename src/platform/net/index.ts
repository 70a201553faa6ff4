export type { FetchFailure } from './address-policy.ts'
export { createResolver, FetchError, getPort, MAX_URL_CHARACTERS, parseFetchUrl } from './address-policy.ts'
export {
  classifyAddress,
  createAddressMatcher,
  isInternalName,
  listNetworks,
  parseNetwork,
  toClientAddress,
  toNetwork,
  unwrapIpv4,
} from './addresses.ts'
export * from './fetcher.ts'
