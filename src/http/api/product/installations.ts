// What identifies an installation of the launcher, and how many installations use which version.
import Type from 'typebox'
import { InvalidParameter, StoreUnavailable } from '../../../errors/index.ts'
import type { Adoption, AdoptionSummary, Statistics } from '../../../features/releases/index.ts'
import { negotiate, VARY_BY_ACCEPT } from '../../kernel/input.ts'
import { CSV, csv, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { ReleaseReplyCache } from './release-reply-cache.ts'
import { AdoptionReply, tag } from './schemas.ts'

/** Identifies one installation of the launcher. It is hashed for rollouts and statistics, and neither stored nor logged. */
const INSTALL_ID = 'X-Install-Id'
/** electron-updater sends this header on its own, for the same purpose. */
const ELECTRON_ID = 'X-User-Staging-Id'
/** For replies that differ between installations. */
export const VARY_BY_CLIENT = ['Vary', `${INSTALL_ID}, ${ELECTRON_ID}, X-Client-Key`]

const pattern = '^[A-Za-z0-9._-]{1,100}$'
const installIdFormat = new RegExp(pattern)

/**
 * Adds the header `X-Install-Id` to a route. A malformed id is an error even if no rollout is staged, so that the
 * developer of a launcher notices it at once and not when the users need an update.
 */
export const acceptInstallId = (route: Route): Route => ({
  ...route,
  headers: {
    ...route.headers,
    [INSTALL_ID]: Type.String({
      pattern,
      description:
        'Id of the installation, such as a UUID created at its first start. It decides whether a staged rollout ' +
        'includes the installation. Update checks count an installation once per day. The id is never stored or logged. ' +
        'Without it, `X-User-Staging-Id` decides, which electron-updater sends; without both, client key and address.',
    }),
  },
  errors: [...(route.errors ?? []), InvalidParameter],
  handle: (ctx) => {
    const id = ctx.header('x-install-id')
    if (id !== undefined && !installIdFormat.test(id))
      throw new InvalidParameter(INSTALL_ID, '1 to 100 letters, digits, dots, dashes and underscores', { max: 100 })
    return route.handle(ctx)
  },
})

/** Other texts are ignored: ids wait in memory while the store is unavailable, so they must be short. */
const readId = (ctx: RequestContext, header: string): string | undefined => {
  const id = ctx.header(header)
  return id !== undefined && installIdFormat.test(id) ? id : undefined
}

/**
 * A text that stays the same for one installation: its id, or key and address together, because every copy of a launcher
 * may contain the same key.
 */
export const identifyInstallation = (ctx: RequestContext): string =>
  readId(ctx, 'x-install-id') ??
  readId(ctx, 'x-user-staging-id') ??
  `${readId(ctx, 'x-client-key') ?? ''} ${ctx.clientAddress}`

/** Counts each request for updates that is not refused. HEAD requests and downloads (redirects to a file) are not counted. */
export const countChecks = (adoption: Adoption, routes: readonly Route[]): Route[] =>
  routes.map((route) => ({
    ...route,
    handle: (ctx) => {
      const reply = route.handle(ctx)
      const isDownload = !(reply instanceof Promise) && reply.status === 302
      if (!ctx.isHead && !isDownload) adoption.count(readCurrent(ctx), identifyInstallation(ctx))
      return reply
    },
  }))

/** The version that the client has installed, in the path or in the query. Velopack calls it `localVersion`. */
const readCurrent = ({ params, query }: RequestContext) => {
  const { current, localVersion } = query as { current?: string; localVersion?: string }
  return (params as { current?: string }).current ?? current ?? localVersion
}

export const ADOPTION_CSV_EXAMPLE = {
  [CSV]: 'date,version,checks,installations\r\n2026-12-01,all,12,9\r\n2026-12-01,2.1.0,12,\r\n',
}

export const buildAdoptionRoute = ({ adoption }: Statistics, replies: ReleaseReplyCache): Route =>
  get('/stats/adoption', {
    tag,
    summary: 'Update checks by version, and installations',
    description:
      'Installations are an estimate (standard error: 0.81 %). They are identified by `X-Install-Id` or ' +
      '`X-User-Staging-Id`; without both, by client key and address. Nothing that identifies an installation is stored.',
    query: {
      format: Type.Enum(['json', 'csv'], {
        description: 'Overrides the `Accept` header. If neither is sent, the reply is JSON.',
      }),
    },
    reply: AdoptionReply,
    otherTypes: [CSV],
    textExamples: ADOPTION_CSV_EXAMPLE,
    errors: [StoreUnavailable],
    handle: async (ctx) => {
      const daily = await adoption.read()
      const isCsv =
        ctx.query.format === undefined
          ? negotiate(ctx.header('accept'), ['application/json', CSV]) === CSV
          : ctx.query.format === 'csv'
      const cacheKey = `${isCsv ? CSV : ''} ${adoption.revision()}`
      return replies.get(ctx, { cacheKey }, ({ caching }) => {
        const options = { ...caching, headers: VARY_BY_ACCEPT }
        return isCsv ? csv('adoption.csv', toAdoptionRows(daily), options) : success({ daily }, options)
      })
    },
  })

/** One row per day and version. The row "all" of a day has the installations, which are not counted by version. */
export const toAdoptionRows = (daily: AdoptionSummary) => [
  ['date', 'version', 'checks', 'installations'],
  ...daily.flatMap(({ date, checks, installations, versions }) => [
    [date, 'all', checks, installations],
    ...Object.entries(versions).map(([version, count]) => [date, version, count, '']),
  ]),
]
