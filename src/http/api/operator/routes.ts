import Type from 'typebox'
import {
  ClientDecided,
  StoreUnavailable,
  TokenInvalid,
  TokenRequired,
  TokenScopeMissing,
  UnknownClient,
} from '../../../errors/index.ts'
import type { Bans, Clients, Tokens } from '../../../features/access/index.ts'
import type { Releases } from '../../../features/releases/index.ts'
import type { ServiceProblem } from '../../../platform/logging/index.ts'
import type { ClientState, Store } from '../../../platform/store/index.ts'
import { bearsToken } from '../../kernel/ban-gate.ts'
import { isForAnotherSite } from '../../kernel/cross-site.ts'
import { cache, success, text } from '../../kernel/replies.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { banRoutes } from './bans.ts'
import { type LiveServices, liveRoutes } from './live.ts'
import { OverviewReply } from './overview-schema.ts'
import * as replies from './schemas.ts'
import { csvOf, lastDaysOf, shownCatalogue, shownClient } from './shapes.ts'

export interface OperatorServices {
  readonly tokens: Tokens
  readonly bans: Bans
  readonly clients: Clients
  readonly store: Store
  readonly releases: Releases
  /** What one screen tells about how the service is. */
  readonly overview: () => Promise<Record<string, unknown>>
  readonly problems: () => readonly ServiceProblem[]
  readonly live: LiveServices['live']
  /** Reads everything again that is read from files. */
  readonly reload: () => Promise<void>
}

const reading = { tag: 'Operator, v5', operatorScope: 'read' } as const
const writing = { tag: 'Operator, v5', operatorScope: 'write' } as const
const CSV = 'text/csv'
/** Ten years: a reply cannot grow for ever, and no report looks back further. */
const MAX_DAYS = 3660
const AS_FILE = ['Content-Disposition', 'attachment; filename="downloads.csv"']

/** The operator's endpoints under /api/v5/{app_name}/operator; without a token they tell nothing. */
export function operatorRoutes(services: OperatorServices): Route[] {
  const { clients, store, releases } = services
  const routes = [
    get('/overview', { ...reading, summary: 'How the service is', reply: OverviewReply }, async () =>
      shown({ overview: await services.overview() }),
    ),
    ...liveRoutes(services),
    get(
      '/content',
      { ...reading, summary: 'What is published, and what is wrong with it', reply: replies.ContentReply },
      () => shown({ problems: services.problems(), ...shownCatalogue(releases.catalogue()) }),
    ),
    get(
      '/downloads',
      {
        ...reading,
        summary: 'Downloads by day, application and version',
        query: {
          days: Type.Integer({
            minimum: 1,
            maximum: MAX_DAYS,
            default: MAX_DAYS,
            description: 'So many days up to today, UTC.',
          }),
          format: Type.Enum(['json', 'csv']),
        },
        reply: replies.CountsReply,
        otherTypes: [CSV],
      },
      async ({ query }) => {
        const rows = lastDaysOf(await store.downloads.rows(), query.days ?? MAX_DAYS)
        if (query.format !== 'csv') return shown({ downloads: rows })
        return text(csvOf(rows), `${CSV}; charset=utf-8`, { cache: cache.none, headers: AS_FILE })
      },
    ),
    ...banRoutes(services.bans),
    get(
      '/clients',
      {
        ...reading,
        summary: 'Who asked for a key, and what was decided',
        query: { state: Type.Enum(replies.clientStates) },
        reply: replies.ClientsReply,
      },
      async ({ query }) =>
        shown({ clients: (await clients.list(query.state as ClientState | undefined)).map(shownClient) }),
    ),
    post(
      '/clients/:id/grant',
      { ...deciding('Gives a client its key; the reply shows it this once'), reply: replies.GrantReply },
      async ({ params }) => {
        const { key, client } = await clients.grant(params.id)
        return shown({ key, client: shownClient(client) })
      },
    ),
    post('/clients/:id/refuse', deciding('Refuses a request'), async ({ params }) =>
      shown({ client: shownClient(await clients.refuse(params.id)) }),
    ),
    post('/clients/:id/revoke', deciding('Takes the key of a client back'), async ({ params }) =>
      shown({ client: shownClient(await clients.revoke(params.id)) }),
    ),
    post('/reload', { ...writing, summary: 'Reads all files again', reply: replies.ReloadReply }, async () => {
      await services.reload()
      return shown({ problems: services.problems() })
    }),
  ]
  return routes.map((route) => withToken(services, route))
}

const deciding = (summary: string) => ({
  ...writing,
  summary,
  params: { id: Type.String({ description: 'As the list of clients gives it.' }) },
  reply: replies.ClientReply as Type.TSchema,
  errors: [UnknownClient, ClientDecided],
})

/** Nothing of the request is looked at before the token: who has none learns nothing. */
const withToken = ({ tokens, bans }: OperatorServices, route: Route): Route => ({
  ...route,
  errors: [...(route.errors ?? []), TokenRequired, TokenInvalid, TokenScopeMissing, StoreUnavailable],
  admit: async (ctx) => {
    const authorization = ctx.header('authorization')
    try {
      await tokens.authenticate(authorization, route.operatorScope ?? 'write')
    } catch (error) {
      const isAttempt = error instanceof TokenInvalid && !isForAnotherSite(ctx)
      if (isAttempt && !(await bearsToken(tokens, authorization))) await bans.wrongToken(ctx.client)
      throw error
    }
  },
})

const shown = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })
