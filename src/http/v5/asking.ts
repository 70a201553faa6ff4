// Who asks, and how long and by whom the answer may be kept.
import { callerOf } from '../../guard/index.ts'
import type { Releases } from '../../releases/index.ts'
import type { Exchange } from '../exchange.ts'

type AnyExchange = Exchange<unknown, unknown>

/**
 * What stays the same for one client, and decides about staged rollouts: the key, or else the network. Where nothing is
 * staged all clients are answered alike, and nobody has to be told apart.
 */
export function clientOf(releases: Releases, application: string, exchange: AnyExchange): string {
  if (!releases.isStaged(application)) return ''
  return exchange.header('x-client-key') ?? callerOf(exchange.client)
}

export type Asking = ReturnType<typeof createAsking>

/** `prefix` is the path of the application's part of the API. */
export const createAsking = (releases: Releases, prefix: string) => ({
  base: ({ baseUrl }: AnyExchange) => baseUrl + prefix,
  client: (application: string, exchange: AnyExchange) => clientOf(releases, application, exchange),
  /** Whether a cache between us and the clients may keep the answer. */
  isShared: (application: string) => !releases.isStaged(application),
})
