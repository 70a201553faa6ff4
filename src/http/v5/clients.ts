import Type from 'typebox'
import { BodyTooLarge, InvalidBody, StoreUnavailable, TooManyRequestsOpen } from '../../errors.ts'
import { ClientRequest, type Clients } from '../../guard/index.ts'
import { readBody } from '../body.ts'
import { cache, success } from '../replies.ts'
import { post, type Route } from '../route.ts'
import { tag } from './routes.ts'

/** Where someone asks the operator for a client key. */
export const clientRoutes = (clients: Clients): Route[] => [
  post(
    '/clients',
    {
      tag,
      summary: 'Asks the operator for a client key',
      description: 'The operator reads it and writes to `contact`.',
      body: ClientRequest,
      status: 201,
      reply: Type.Object({
        success: Type.Literal(true),
        status: Type.Literal(201),
        id: Type.String({ description: 'Name it when you ask the operator.' }),
        state: Type.Literal('asked'),
      }),
      errors: [InvalidBody, BodyTooLarge, TooManyRequestsOpen, StoreUnavailable],
    },
    async ({ request }) => {
      const { id, state } = await clients.ask(await readBody(request))
      return success({ id, state }, { status: 201, cache: cache.none })
    },
  ),
]
