import Type from 'typebox'
import { BodyTooLarge, InvalidBody, RateLimited, StoreUnavailable, TooManyRequestsOpen } from '../../../errors/index.ts'
import { ClientRequest, type Clients, createRateLimiter, toClientAddress } from '../../../features/access/index.ts'
import { readBody } from '../../kernel/input.ts'
import { cache, success } from '../../kernel/replies.ts'
import { post, type Route } from '../../kernel/route.ts'
import { tag } from './schemas.ts'

/** A person asks once; five leave room for a team behind one address. */
const BUDGET = { requests: 5, seconds: 3600 }

/** Where someone asks the operator for a client key. */
export function clientRoutes(clients: Clients): Route[] {
  const limiter = createRateLimiter(BUDGET)
  return [
    post(
      '/clients',
      {
        tag,
        summary: 'Asks the operator for a client key',
        description: 'The operator reads it and writes to `contact`. An address may ask five times an hour.',
        body: ClientRequest,
        status: 201,
        reply: Type.Object({
          success: Type.Literal(true),
          status: Type.Literal(201),
          id: Type.String({ description: 'Name it when you ask the operator.' }),
          state: Type.Literal('asked'),
        }),
        errors: [InvalidBody, BodyTooLarge, RateLimited, TooManyRequestsOpen, StoreUnavailable],
      },
      async ({ request, client }) => {
        const network = toClientAddress(client)
        const { retryAfter } = limiter.take(network)
        if (retryAfter > 0) throw new RateLimited(BUDGET.requests, BUDGET.seconds, retryAfter)
        try {
          const { id, state } = await clients.submitRequest(await readBody(request))
          return success({ id, state }, { status: 201, cache: cache.none })
        } catch (error) {
          // Who mistyped, or came while the store was away, has not asked yet.
          limiter.refund(network)
          throw error
        }
      },
    ),
  ]
}
