import Type from 'typebox'
import {
  BodyTooLarge,
  InvalidBody,
  StoreUnavailable,
  TokenInvalid,
  TokenRequired,
  TokenScopeMissing,
} from '../../../errors/index.ts'
import { type Bans, type Clients, scopes } from '../../../features/access/index.ts'
import type { Uploads } from '../../../features/publishing/index.ts'
import { MAX_SHOWN_SLOTS, slotSeconds } from '../../../platform/metrics/index.ts'
import { hasBody, readBody } from '../../kernel/input.ts'
import { get, post, type Route } from '../../kernel/route.ts'
import { OrNull, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { checkToken } from '../ban-checks.ts'
import { ProblemSchema } from '../health.ts'
import { buildBanRoutes } from './bans.ts'
import { buildContentRoutes, type ContentServices } from './content.ts'
import { buildClientRoutes, buildTokenRoutes } from './credentials.ts'
import { buildEntryRoutes } from './entries.ts'
import { buildHistoryRoutes } from './history.ts'
import { OverviewReply } from './overview.ts'
import { buildPublishRoutes, type PublishServices } from './publish.ts'
import { type Live, type LiveQuery, LiveShape } from './recent-activity.ts'
import { buildReleaseRoutes, type ReleaseServices } from './releases.ts'
import { checkTokenAgain, readScope, uncachedReply, writeScope } from './scopes.ts'
import { buildUploadRoutes } from './uploads.ts'
import { buildUsageRoutes, type ReadUsage } from './usage.ts'

export interface OperatorServices extends ReleaseServices, PublishServices, ContentServices {
  readonly uploads: Uploads
  readonly bans: Bans
  readonly clients: Clients
  /** The state of the whole service, for one screen of the dashboard. */
  readonly overview: () => Promise<Record<string, unknown>>
  /** Recent time slots of all workers of this node. */
  readonly live: (query: LiveQuery) => Promise<Live>
  readonly readUsage: ReadUsage
}

/** The largest number of milliseconds with 15 digits, in the year 33658. */
const MAX_TIME_MS = 999_999_999_999_999

const TokenReply = SuccessReply({
  token: Type.Object({
    id: Type.String({ examples: ['e4185b6a'] }),
    label: Type.String({ examples: ['dashboard'] }),
    scopes: Type.Array(Type.Enum([...scopes])),
    expiresAt: OrNull(Timestamp, 'Time of expiry, or null if the token never expires.'),
  }),
  client: Text('Address of the client as a ban would contain it. For IPv6 this is the /64 network.', '203.0.113.7'),
})

/** The endpoints under /api/v5/{app_name}/operator. Every reply requires a token, errors included. */
export function buildOperatorRoutes(services: OperatorServices): Route[] {
  const { tokens, overview, live, problems, reload } = services
  const routes = [
    get('/overview', {
      ...readScope,
      summary: 'State of the service',
      reply: OverviewReply,
      handle: async () => uncachedReply({ overview: await overview() }),
    }),
    get('/token', {
      ...readScope,
      summary: 'Token identity and scopes',
      reply: TokenReply,
      handle: async (ctx) => {
        const { id, label, scopes, expiresAt } = await tokens.authenticate(ctx.header('authorization'), 'read')
        const token = { id, label, scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }
        return uncachedReply({ token, client: ctx.clientAddress })
      },
    }),
    get('/live', {
      ...readScope,
      summary: 'Recent activity in time slots',
      description:
        `Requests, latency, filters, queue, cache and process figures of the last ${MAX_SHOWN_SLOTS} slots. To poll, ` +
        'send the last value of `at` as `since`. The first slot of the reply replaces your last one.',
      query: {
        since: Type.Integer({
          minimum: 0,
          maximum: MAX_TIME_MS,
          description: 'Returns only slots from this time on, in milliseconds since 1970.',
        }),
        step: Type.Enum(slotSeconds.map(String), {
          description: `Length of a slot in seconds. Default: ${slotSeconds[0]}.`,
        }),
      },
      reply: SuccessReply({ live: LiveShape }),
      handle: async ({ query: { since, step } }) =>
        uncachedReply({ live: await live({ since, step: step ? Number(step) : undefined }) }),
    }),
    ...buildUsageRoutes(services.readUsage),
    ...buildReleaseRoutes(services),
    ...buildEntryRoutes(services.publisher),
    ...buildPublishRoutes(services),
    ...buildHistoryRoutes(services),
    ...buildUploadRoutes(services),
    ...buildBanRoutes(services.bans, tokens),
    ...buildClientRoutes(services.clients),
    ...buildTokenRoutes(tokens),
    ...buildContentRoutes(services),
    post('/reload', {
      ...writeScope,
      summary: 'Reload all content files',
      description:
        'All workers of the node check their files now; otherwise they find a change within two seconds. The reply ' +
        'lists all problems of the node.',
      reply: SuccessReply({ problems: Type.Array(ProblemSchema) }),
      handle: async () => {
        await reload()
        return uncachedReply({ problems: problems() })
      },
    }),
  ]
  return routes.map((route) => requireToken(services, refuseBody(services, route)))
}

const NoFields = Type.Object({})

/** A POST without a body of its own: fields that nothing reads would seem to have an effect. */
function refuseBody({ tokens }: OperatorServices, route: Route): Route {
  if (route.method !== 'POST' || route.body) return route
  return {
    ...route,
    errors: [...(route.errors ?? []), InvalidBody, BodyTooLarge],
    handle: async (ctx) => {
      if (hasBody(ctx.request)) {
        await readBody(ctx, NoFields)
        await checkTokenAgain(tokens, route.operatorScope ?? 'write', ctx)
      }
      return route.handle(ctx)
    },
  }
}

/** The token is checked before anything else of the request, so that a client without one learns nothing. */
const requireToken = (services: OperatorServices, route: Route): Route => ({
  ...route,
  errors: [...(route.errors ?? []), TokenRequired, TokenInvalid, TokenScopeMissing, StoreUnavailable],
  admit: (ctx) => checkToken(services, route.operatorScope ?? 'write', ctx),
})
