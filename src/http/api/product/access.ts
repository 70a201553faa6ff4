import Type from 'typebox'
import * as errors from '../../../errors/index.ts'
import { ClientRequest, type Clients, createRateLimiter, type RateLimit } from '../../../features/access/index.ts'
import { listNetworks } from '../../../platform/net/index.ts'
import { readBody } from '../../kernel/input.ts'
import { cache, formatHeaders, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { post, type Route } from '../../kernel/route.ts'
import { SuccessReply, Text } from '../../kernel/schemas.ts'
import type { ProductOptions } from './release-reply-cache.ts'
import { tag } from './schemas.ts'

/** The page with the policy of v5 and the form that requests a key. */
export const POLICY_PATH = '/v5-access'

/** A person needs one request per hour; five allow for a team behind one address. */
const ADDRESS_LIMIT = { count: 5, seconds: 3600 }
/** The number of undecided key requests is limited: one network must not use it up. */
const NETWORK_LIMIT = { count: 20, seconds: 86_400 }

/** All routes of v5 link the policy. With `V5_ACCESS=registered` they also require a key that the operator granted. */
export function applyAccessPolicy(
  access: ProductOptions['access'],
  clients: Clients,
  routes: readonly Route[],
): Route[] {
  const linkPolicy = createPolicyLink()
  if (access === 'open') return routes.map((route) => ({ ...route, clientKey: 'optional', admit: linkPolicy }))
  return routes.map((route) => ({
    ...route,
    clientKey: 'required',
    errors: [...(route.errors ?? []), errors.ClientKeyRequired, errors.ClientKeyInvalid, errors.StoreUnavailable],
    admit: async (ctx) => {
      linkPolicy(ctx)
      await clients.authenticate(ctx.header('x-client-key'), ctx.baseUrl + POLICY_PATH)
    },
  }))
}

function createPolicyLink(): (ctx: RequestContext) => void {
  // Nearly all requests name the same host.
  let last = { baseUrl: '', headerText: '' }
  return (ctx) => {
    const { baseUrl } = ctx
    if (baseUrl !== last.baseUrl)
      last = { baseUrl, headerText: formatHeaders(['Link', `<${baseUrl}${POLICY_PATH}>; rel="terms-of-service"`]) }
    ctx.headerText += last.headerText
  }
}

export function buildKeyRequestRoute(clients: Clients): Route {
  const addresses = createKeyRequestLimiter(ADDRESS_LIMIT, 'address')
  const networks = createKeyRequestLimiter(NETWORK_LIMIT, 'network')
  return post('/clients', {
    tag,
    summary: 'Request a client key',
    description:
      'The operator replies to `contact`. Each address can send five key requests per hour, and each network (/24, IPv6: ' +
      '/48) 20 per day. A key request that is undecided after 30 days counts as refused.',
    body: ClientRequest,
    status: 201,
    reply: SuccessReply(
      {
        id: Text('Id of your request. Quote it when you contact the operator.', '8a7c9226-b593-46f3-bd26-a2af075c0380'),
        state: Type.Literal('pending'),
      },
      { status: 201 },
    ),
    errors: [
      errors.InvalidBody,
      errors.BodyTooLarge,
      errors.RateLimited,
      errors.TooManyKeyRequests,
      errors.StoreUnavailable,
    ],
    handle: async (ctx) => {
      // First: a body that arrives slowly must not hold a part of the limit of its network.
      const body = await readBody(ctx)
      const { clientAddress: address } = ctx
      const [network = address] = listNetworks(address)
      const taken: (() => void)[] = []
      try {
        taken.push(addresses.take(address))
        taken.push(networks.take(network))
        const { id, state } = await clients.submitRequest(body)
        return success({ id, state }, { status: 201, cache: cache.none })
      } catch (error) {
        // A typing error, an unavailable store or the other limit does not use up a limit.
        for (const refund of taken) refund()
        throw error
      }
    },
  })
}

function createKeyRequestLimiter(limit: RateLimit, scope: string) {
  const limiter = createRateLimiter(limit)
  return {
    /** Returns a function that undoes it. */
    take(key: string): () => void {
      const { retryAfter } = limiter.take(key)
      if (retryAfter > 0) throw new errors.RateLimited(limit.count, limit.seconds, retryAfter, scope)
      return () => limiter.refund(key)
    },
  }
}
