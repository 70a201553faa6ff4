import Type from 'typebox'
import { ClientDecided, UnknownClient } from '../../../errors/index.ts'
import type { Client, Clients } from '../../../features/access/index.ts'
import type { ClientState } from '../../../platform/store/index.ts'
import { cache, success } from '../../kernel/replies.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { SuccessReply, Timestamp } from '../../kernel/schemas.ts'

const CLIENT_STATES: ClientState[] = ['asked', 'granted', 'refused', 'revoked']

const ClientSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  contact: Type.String(),
  reason: Type.String(),
  state: Type.Enum(CLIENT_STATES),
  createdAt: Timestamp,
  decidedAt: Type.Union([Timestamp, Type.Null()], { description: 'Time of the latest decision. Null: undecided.' }),
})
const ClientReply = SuccessReply({ client: ClientSchema })

const tag = 'Operator, v5'
const decision = {
  tag,
  operatorScope: 'write' as const,
  params: { id: Type.String({ description: 'Id from the list of clients.' }) },
  errors: [UnknownClient, ClientDecided],
}

/** Requests for client keys, and decisions about them. */
export const buildClientRoutes = (clients: Clients): Route[] => [
  get(
    '/clients',
    {
      tag,
      operatorScope: 'read',
      summary: 'Requests for client keys and their state',
      query: { state: Type.Enum(CLIENT_STATES, { description: 'Only requests in this state. Default: all.' }) },
      reply: SuccessReply({ clients: Type.Array(ClientSchema) }),
    },
    async ({ query }) => {
      const list = await clients.list(query.state as ClientState | undefined)
      return success({ clients: list.map(shapeClient) }, { cache: cache.none })
    },
  ),
  post(
    '/clients/:id/grant',
    {
      ...decision,
      summary: 'Grant a client key',
      description: 'The key is in this reply only. It is stored as a hash and cannot be shown again.',
      reply: SuccessReply({ key: Type.String({ description: 'The new key.' }), client: ClientSchema }),
    },
    async ({ params }) => {
      const { key, client } = await clients.grant(params.id)
      return success({ key, client: shapeClient(client) }, { cache: cache.none })
    },
  ),
  post('/clients/:id/refuse', { ...decision, summary: 'Refuse a request', reply: ClientReply }, async ({ params }) =>
    success({ client: shapeClient(await clients.refuse(params.id)) }, { cache: cache.none }),
  ),
  post('/clients/:id/revoke', { ...decision, summary: 'Revoke a client key', reply: ClientReply }, async ({ params }) =>
    success({ client: shapeClient(await clients.revoke(params.id)) }, { cache: cache.none }),
  ),
]

const shapeClient = ({ createdAt, decidedAt, ...client }: Client) => ({
  ...client,
  createdAt: new Date(createdAt).toISOString(),
  decidedAt: decidedAt === null ? null : new Date(decidedAt).toISOString(),
})
