import { ClientKeyInvalid, ClientKeyRequired } from '../../errors.ts'
import type { Clients } from '../../guard/index.ts'
import type { Exchange } from '../exchange.ts'
import type { Route } from '../route.ts'

export const POLICY_PATH = '/v5-access'

export interface Access {
  readonly mode: 'open' | 'registered'
  readonly clients: Clients
}

/** Use of v5 needs the operator's word: a key opens the routes of the table, or they say where the policy is. */
export function guarded({ mode, clients }: Access, routes: readonly Route[]): Route[] {
  if (mode === 'open') return routes.map((route) => ({ ...route, admit: namePolicy }))
  return routes.map((route) => ({
    ...route,
    errors: [...(route.errors ?? []), ClientKeyRequired, ClientKeyInvalid],
    admit: async (exchange) => {
      namePolicy(exchange)
      await clients.authenticate(exchange.header('x-client-key'))
    },
  }))
}

function namePolicy(exchange: Exchange): void {
  exchange.addHeader('Link', `<${exchange.baseUrl}${POLICY_PATH}>; rel="terms-of-service"`)
}

/** What stays the same for one client, and decides about staged rollouts. */
export const clientOf = (exchange: Exchange<unknown, unknown>) => exchange.header('x-client-key') ?? exchange.client
