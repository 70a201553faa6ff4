export type { FetchFailure } from './address-policy.ts'
export {
  createResolver,
  decodeUrlPart,
  FetchError,
  getPort,
  MAX_URL_CHARACTERS,
  parseFetchUrl,
} from './address-policy.ts'
export * from './addresses.ts'
export * from './fetcher.ts'
export { createSourceTurns, type SourceTurns } from './source-turns.ts'
