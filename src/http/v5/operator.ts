import Type from 'typebox'
import {
  ClientDecided,
  StoreUnavailable,
  TokenInvalid,
  TokenRequired,
  TokenScopeMissing,
  UnknownClient,
} from '../../errors.ts'
import type { Clients, Tokens } from '../../guard/index.ts'
import type { Releases } from '../../releases/index.ts'
import type { ClientState, Store } from '../../store/index.ts'
import type { Problem } from '../health.ts'
import { cache, type Reply, success, text } from '../replies.ts'
import { get, post, type Route } from '../route.ts'
import { SuccessReply } from '../schemas.ts'

export interface OperatorRooms {
  readonly tokens: Tokens
  readonly clients: Clients
  readonly store: Store
  readonly releases: Releases
  /** What one screen tells about how the service is. */
  readonly overview: () => Promise<Record<string, unknown>>
  readonly problems: () => readonly Problem[]
  /** Reads everything again that is read from files. */
  readonly reload: () => Promise<void>
}

const tag = 'Operator, v5'
const states: ClientState[] = ['asked', 'granted', 'refused', 'revoked']
const Anything = Type.Object({}, { additionalProperties: true })
const id = Type.String({ description: 'As the list of clients gives it.' })

/** The operator's endpoints under /api/v5/{app_name}/operator; without a token they tell nothing. */
export function operatorRoutes(rooms: OperatorRooms): Route[] {
  const { clients, store, releases } = rooms
  const routes = [
    get(
      '/overview',
      { tag, operatorScope: 'read', summary: 'How the service is', reply: SuccessReply({ overview: Anything }) },
      async () => shown({ overview: await rooms.overview() }),
    ),
    get(
      '/content',
      {
        tag,
        operatorScope: 'read',
        summary: 'What is published, and what is wrong with it',
        reply: SuccessReply({ problems: Type.Array(Anything), catalogue: Anything }),
      },
      () => shown({ problems: rooms.problems(), catalogue: releases.catalogue() }),
    ),
    get(
      '/downloads',
      {
        tag,
        operatorScope: 'read',
        summary: 'Downloads by day, application and version',
        query: { format: Type.Enum(['json', 'csv']) },
        reply: SuccessReply({ downloads: Type.Array(Anything) }),
        otherTypes: ['text/csv'],
        errors: [StoreUnavailable],
      },
      async ({ query }) => {
        const rows = (await store.downloads.rows()).toSorted((a, b) => a.day.localeCompare(b.day))
        return query.format === 'csv' ? asCsv(rows) : shown({ downloads: rows })
      },
    ),
    get(
      '/clients',
      {
        tag,
        operatorScope: 'read',
        summary: 'Who asked for a key, and what was decided',
        query: { state: Type.Enum(states) },
        reply: SuccessReply({ clients: Type.Array(Anything) }),
        errors: [StoreUnavailable],
      },
      async ({ query }) => shown({ clients: await clients.list(query.state as ClientState | undefined) }),
    ),
    post(
      '/clients/:id/grant',
      {
        ...deciding('Gives a client its key; the reply shows it this once'),
        reply: SuccessReply({ key: Type.String(), client: Anything }),
      },
      async ({ params }) => shown(await clients.grant(params.id)),
    ),
    post('/clients/:id/refuse', deciding('Refuses a request'), async ({ params }) =>
      shown({ client: await clients.refuse(params.id) }),
    ),
    post('/clients/:id/revoke', deciding('Takes the key of a client back'), async ({ params }) =>
      shown({ client: await clients.revoke(params.id) }),
    ),
    post(
      '/reload',
      {
        tag,
        operatorScope: 'write',
        summary: 'Reads all files again',
        reply: SuccessReply({ problems: Type.Array(Anything) }),
      },
      async () => {
        await rooms.reload()
        return shown({ problems: rooms.problems() })
      },
    ),
  ]
  return routes.map((route) => withToken(rooms.tokens, route))
}

const deciding = (summary: string) => ({
  tag,
  operatorScope: 'write' as const,
  summary,
  params: { id },
  reply: SuccessReply({ client: Anything }),
  errors: [UnknownClient, ClientDecided, StoreUnavailable],
})

/** Nothing of the request is looked at before the token: who has none learns nothing. */
const withToken = (tokens: Tokens, route: Route): Route => ({
  ...route,
  errors: [...(route.errors ?? []), TokenRequired, TokenInvalid, TokenScopeMissing, StoreUnavailable],
  admit: async (exchange) => {
    await tokens.authenticate(exchange.header('authorization'), route.operatorScope ?? 'write')
  },
})

const shown = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })

function asCsv(rows: readonly { day: string; application: string; version: string; count: number }[]): Reply {
  const lines = rows.map(({ day, application, version, count }) => `${day},${application},${version},${count}`)
  return text(`${['day,application,version,count', ...lines].join('\r\n')}\r\n`, 'text/csv; charset=utf-8', {
    cache: cache.none,
  })
}
