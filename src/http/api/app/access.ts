import { ClientKeyInvalid, ClientKeyRequired, StoreUnavailable } from '../../../errors/index.ts'
import type { Clients } from '../../../features/access/index.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { Route } from '../../kernel/route.ts'

/** Where the policy is read, and a key is asked for. */
export const POLICY_PATH = '/v5-access'

export interface Access {
  readonly mode: 'open' | 'registered'
  readonly clients: Clients
}

/** Use of v5 needs the operator's word: a key opens the routes of the table, or they say where the policy is. */
export function guarded({ mode, clients }: Access, routes: readonly Route[]): Route[] {
  if (mode === 'open') return routes.map((route) => ({ ...route, clientKey: 'optional', admit: namePolicy }))
  return routes.map((route) => ({
    ...route,
    clientKey: 'required',
    errors: [...(route.errors ?? []), ClientKeyRequired, ClientKeyInvalid, StoreUnavailable],
    admit: async (ctx) => {
      namePolicy(ctx)
      await clients.authenticate(ctx.header('x-client-key'), ctx.baseUrl + POLICY_PATH)
    },
  }))
}

function namePolicy(ctx: RequestContext): void {
  ctx.addHeaders('Link', `<${ctx.baseUrl}${POLICY_PATH}>; rel="terms-of-service"`)
}
