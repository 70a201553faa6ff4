import Type from 'typebox'
import * as errors from '../../../errors/index.ts'
import { ClientRequest, type Clients, createRateLimiter } from '../../../features/access/index.ts'
import { toClientAddress } from '../../../platform/net/index.ts'
import { readBody } from '../../kernel/input.ts'
import { cache, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { post, type Route } from '../../kernel/route.ts'
import { SuccessReply } from '../../kernel/schemas.ts'
import type { ApplicationOptions } from './release-reply-cache.ts'
import { tag } from './schemas.ts'

/** The page with the policy of v5 and the form that requests a key. */
export const POLICY_PATH = '/v5-access'

/** A person needs one request per hour; five allow for a team behind one address. */
const KEY_REQUEST_LIMIT = { count: 5, seconds: 3600 }

/** All routes of v5 link the policy. With `V5_ACCESS=registered` they also require a key that the operator granted. */
export function applyAccessPolicy(
  access: ApplicationOptions['access'],
  clients: Clients,
  routes: readonly Route[],
): Route[] {
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

const linkPolicy = (ctx: RequestContext) =>
  ctx.addHeaders('Link', `<${ctx.baseUrl}${POLICY_PATH}>; rel="terms-of-service"`)

export function buildKeyRequestRoute(clients: Clients): Route {
  const limiter = createRateLimiter(KEY_REQUEST_LIMIT)
  const { count, seconds } = KEY_REQUEST_LIMIT
  return post(
    '/clients',
    {
      tag,
      summary: 'Request a client key',
      description: 'The operator replies to `contact`. Each address can send five requests per hour.',
      body: ClientRequest,
      status: 201,
      reply: SuccessReply(
        {
          id: Type.String({ description: 'Id of your request. Quote it when you contact the operator.' }),
          state: Type.Literal('asked'),
        },
        201,
      ),
      errors: [
        errors.InvalidBody,
        errors.BodyTooLarge,
        errors.RateLimited,
        errors.TooManyRequestsOpen,
        errors.StoreUnavailable,
      ],
    },
    async ({ request, client }) => {
      const address = toClientAddress(client)
      const { retryAfter } = limiter.take(address)
      if (retryAfter > 0) throw new errors.RateLimited(count, seconds, retryAfter)
      try {
        const { id, state } = await clients.submitRequest(await readBody(request))
        return success({ id, state }, { status: 201, cache: cache.none })
      } catch (error) {
        // A typing error or an unavailable store does not use up the limit.
        limiter.refund(address)
        throw error
      }
    },
  )
}
