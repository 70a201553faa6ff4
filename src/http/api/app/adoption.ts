// Counts update checks, and shows how many installations use which version.
import Type from 'typebox'
import { StoreUnavailable } from '../../../errors/index.ts'
import type { Adoption, AdoptionSummary, Statistics } from '../../../features/releases/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import { success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, type Route } from '../../kernel/route.ts'
import { CSV, csv } from '../csv.ts'
import { identifyInstallation } from './installation.ts'
import type { ReleaseReplyCache } from './release-reply-cache.ts'
import { AdoptionReply, tag } from './schemas.ts'

const VARY_BY_ACCEPT = ['Vary', 'Accept']

/** Counts each request for updates that is not refused. HEAD requests and downloads (redirects to a file) are not counted. */
export const countChecks = (adoption: Adoption, routes: readonly Route[]): Route[] =>
  routes.map((route) =>
    route.bucket === 'downloads'
      ? route
      : {
          ...route,
          handle: (ctx) => {
            const reply = route.handle(ctx)
            const isDownload = !(reply instanceof Promise) && reply.status === 302
            if (!ctx.isHead && !isDownload) adoption.count(readCurrent(ctx), identifyInstallation(ctx))
            return reply
          },
        },
  )

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
      'Installations are an estimate with an error below 3 %. They are identified by `X-Install-Id` or ' +
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
