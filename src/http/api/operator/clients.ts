import Type from 'typebox'
import { ClientDecided, UnknownClient } from '../../../errors/index.ts'
import { type Clients, toClientJson } from '../../../features/access/index.ts'
import type { ClientState } from '../../../platform/store/index.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { OrNull, SuccessReply, Timestamp } from '../../kernel/schemas.ts'
import { readScope, uncachedReply, writeScope } from './operator-route.ts'

const CLIENT_STATES: ClientState[] = ['pending', 'granted', 'refused', 'revoked']

const ClientSchema = Type.Object(
  {
    id: Type.String({ examples: ['8a7c9226-b593-46f3-bd26-a2af075c0380'] }),
    name: Type.String({ examples: ['Foxglove Launcher'] }),
    contact: Type.String({ examples: ['dev@foxglove.example'] }),
    reason: Type.String({ examples: ['Checks for updates once a day.'] }),
    state: Type.Enum(CLIENT_STATES, { description: '`pending`: waiting for a decision.' }),
    createdAt: Timestamp,
    decidedAt: OrNull(Timestamp, 'Time of the latest decision, or null if there is none.'),
  },
  { component: 'Client' },
)
const ClientReply = SuccessReply({ client: ClientSchema }, { component: 'ClientReply' })

const decision = {
  ...writeScope,
  params: { id: Type.String({ description: 'Id from the list of clients.' }) },
  errors: [UnknownClient, ClientDecided],
}

/** Requests for client keys, and decisions about them. */
export const buildClientRoutes = (clients: Clients): Route[] => [
  get('/clients', {
    ...readScope,
    summary: 'Registered clients and key requests',
    query: { state: Type.Enum(CLIENT_STATES, { description: 'Only clients in this state. Default: all.' }) },
    reply: SuccessReply({ clients: Type.Array(ClientSchema) }),
    handle: async ({ query }) => {
      const list = await clients.list(query.state as ClientState | undefined)
      return uncachedReply({ clients: list.map(toClientJson) })
    },
  }),
  post('/clients/:id/grant', {
    ...decision,
    summary: 'Grant a client key',
    description:
      'Allowed in the states pending, refused and revoked. Only this reply contains the key; a hash is stored.',
    reply: SuccessReply({
      key: Type.String({
        description: 'The new key.',
        examples: ['mngc_hWq0Wq3L7cN2xkP5vR8tY1uJ4mZ6aB9dE0fG2sK3oI4'],
      }),
      client: ClientSchema,
    }),
    handle: async ({ params }) => {
      const { key, client } = await clients.grant(params.id)
      return uncachedReply({ key, client: toClientJson(client) })
    },
  }),
  post('/clients/:id/refuse', {
    ...decision,
    summary: 'Refuse a key request',
    description: 'Allowed in the state pending.',
    reply: ClientReply,
    handle: async ({ params }) => uncachedReply({ client: toClientJson(await clients.refuse(params.id)) }),
  }),
  post('/clients/:id/revoke', {
    ...decision,
    summary: 'Revoke a client key',
    description: 'Allowed in the state granted.',
    reply: ClientReply,
    handle: async ({ params }) => uncachedReply({ client: toClientJson(await clients.revoke(params.id)) }),
  }),
]
