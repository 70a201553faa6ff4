// Client keys and operator tokens.
import Type from 'typebox'
import { BodyTooLarge, ClientDecided, InvalidBody, UnknownClient, UnknownEntry } from '../../../errors/index.ts'
import { type Clients, scopes, type Tokens, toClientJson, toTokenJson } from '../../../features/access/index.ts'
import { describeDateError, parseDate } from '../../../features/releases/index.ts'
import type { ClientState } from '../../../platform/store/index.ts'
import { get, post, type Route, remove } from '../../kernel/route.ts'
import { OrNull, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { readValidBody } from './publish.ts'
import { readScope, uncachedReply, writeScope } from './scopes.ts'

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
  params: { id: Text('Id from the list of clients.') },
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
      'Possible if the client is pending, refused or revoked. Only this reply contains the key; a hash is stored.',
    reply: SuccessReply({
      key: Text('The new key.', 'mngc_hWq0Wq3L7cN2xkP5vR8tY1uJ4mZ6aB9dE0fG2sK3oI4'),
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
    description: 'Possible if the client is pending.',
    reply: ClientReply,
    handle: async ({ params }) => uncachedReply({ client: toClientJson(await clients.refuse(params.id)) }),
  }),
  post('/clients/:id/revoke', {
    ...decision,
    summary: 'Revoke a client key',
    description: 'Possible if the client is granted.',
    reply: ClientReply,
    handle: async ({ params }) => uncachedReply({ client: toClientJson(await clients.revoke(params.id)) }),
  }),
]

const TokenSchema = Type.Object(
  {
    id: Type.String({ examples: ['e4185b6a'] }),
    label: Text('Purpose of the token.', 'deploy'),
    scopes: Type.Array(Type.Enum([...scopes])),
    createdAt: Timestamp,
    expiresAt: OrNull(Timestamp, 'Time of expiry, or null if the token never expires.'),
    lastUsedAt: OrNull(Timestamp, 'Time of the last use, to the minute, or null.'),
  },
  { component: 'Token' },
)

const NewToken = Type.Object({
  label: Text('Purpose of the token, 1 to 64 characters.'),
  scopes: Type.Array(Type.Enum([...scopes]), { description: '`read` is always included.' }),
  expiresAt: Type.Optional(Text('Time of expiry, such as 2027-01-01T00:00:00Z. Default: that of your own token.')),
})

/** A new token has at most the scopes and the lifetime of the token that creates it. */
export const buildTokenRoutes = (tokens: Tokens): Route[] => [
  get('/tokens', {
    ...writeScope,
    summary: 'All operator tokens',
    reply: SuccessReply({ tokens: Type.Array(TokenSchema) }),
    handle: async () => uncachedReply({ tokens: (await tokens.list()).map(toTokenJson) }),
  }),
  post('/tokens', {
    ...writeScope,
    summary: 'Create an operator token',
    description:
      'The new token has at most the scopes of your own token, and expires with it at the latest. Only this reply ' +
      'contains its value; a hash is stored.',
    body: NewToken,
    reply: SuccessReply({
      token: TokenSchema,
      secret: Text('The value of the token.', 'mng_Vb2nM5kQ8wE1rT4yU7iO0pA3sD6fG9hJ2lZ5xC8vB1n'),
    }),
    errors: [InvalidBody, BodyTooLarge],
    handle: async (ctx) => {
      const { label, scopes, expiresAt } = await readValidBody(ctx, NewToken)
      const at = expiresAt === undefined ? undefined : Date.parse(parseDate(expiresAt) ?? '')
      if (Number.isNaN(at)) throw new InvalidBody(`"expiresAt" ${describeDateError(expiresAt!)}.`)
      const created = await tokens.createFrom(ctx.header('authorization'), { label, scopes, expiresAt: at })
      return uncachedReply({ token: toTokenJson(created.token), secret: created.secret })
    },
  }),
  remove('/tokens/:id', {
    ...writeScope,
    summary: 'Revoke an operator token',
    description: 'Your own token must have all scopes of the revoked one.',
    params: { id: Text('Id from the list of tokens.') },
    reply: SuccessReply({ id: TokenSchema.properties.id }),
    errors: [UnknownEntry],
    handle: async (ctx) => {
      const { id } = ctx.params
      if (!(await tokens.revokeFrom(ctx.header('authorization'), id)))
        throw new UnknownEntry(`There is no token "${id}".`)
      return uncachedReply({ id })
    },
  }),
]
