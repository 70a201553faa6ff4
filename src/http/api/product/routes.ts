import Type from 'typebox'
import { NotPublished, StoreUnavailable, UnknownApplication, UnknownTier } from '../../../errors/index.ts'
import type { Clients } from '../../../features/access/index.ts'
import { type Adoption, applications, type Releases, type Statistics, tiers } from '../../../features/releases/index.ts'
import type { DownloadCounter, DownloadSummary } from '../../../platform/store/index.ts'
import { success } from '../../kernel/replies.ts'
import { get, type Route, under } from '../../kernel/route.ts'
import { applyAccessPolicy, buildKeyRequestRoute } from './access.ts'
import { buildDownloadRoutes } from './download.ts'
import { acceptInstallId, buildAdoptionRoute, countChecks } from './installations.ts'
import { buildNewsRoute } from './news.ts'
import { createReleasePresenter } from './release-presenter.ts'
import { createReleaseReplyCache, type ProductOptions } from './release-reply-cache.ts'
import * as schemas from './schemas.ts'
import { buildUpdateRoutes } from './updates.ts'

const { application, channel, lang, languageHeader, machine, tag } = schemas

interface ProductServices {
  readonly releases: Releases
  readonly statistics: Statistics
  readonly adoption: Adoption
  readonly counter: DownloadCounter
  readonly clients: Clients
}

/** The public endpoints of the product. */
export function buildProductRoutes(services: ProductServices, { access, prefix }: ProductOptions): Route[] {
  const { releases, statistics, adoption, counter, clients } = services
  const replies = createReleaseReplyCache(releases, { access, prefix })
  const presenter = createReleasePresenter(releases)

  const installationRoutes = [
    ...countChecks(adoption, buildUpdateRoutes(presenter, replies)),
    get('/version/app/:application', {
      tag,
      summary: 'Newest version of an application',
      params: { application },
      description: 'The newest release that has a file for the platform.',
      query: { channel, ...machine, lang },
      headers: languageHeader,
      reply: schemas.VersionReply,
      example: () => ({ reshade: undefined, fpsUnlocker: undefined }),
      errors: [UnknownApplication, NotPublished],
      handle: (ctx) => {
        const { application } = ctx.params
        return replies.get(ctx, { applications: [application] }, ({ base, client, language, caching }) =>
          success({ [application]: presenter.version(base, application, { ...ctx.query, client }, language) }, caching),
        )
      },
    }),
    get('/versions', {
      tag,
      summary: 'Newest versions of everything',
      description:
        'The newest version of each application for the platform, and of the resources. Null if there is none.',
      query: { channel, ...machine, lang },
      headers: languageHeader,
      reply: schemas.VersionsReply,
      example: () => ({ reshade: null, fpsUnlocker: null }),
      handle: (ctx) =>
        replies.get(ctx, { applications }, ({ base, client, language, caching }) =>
          success({ ...presenter.versions(base, { ...ctx.query, client }, language) }, caching),
        ),
    }),
  ]
  const routes = [
    get('/stats/downloads', {
      tag,
      summary: 'Download counts by application and version',
      description: 'All downloads since the first one, and those of each of the last 30 days.',
      reply: schemas.DownloadsReply,
      errors: [StoreUnavailable],
      handle: (ctx) => {
        const reply = (downloads: DownloadSummary) => {
          const cacheKey = String(statistics.downloads.revision())
          return replies.get(ctx, { cacheKey }, ({ caching }) => success({ ...downloads }, caching))
        }
        const fresh = statistics.downloads.readFresh()
        return fresh ? reply(fresh) : statistics.downloads.read().then(reply)
      },
    }),
    buildAdoptionRoute(statistics, replies),
    get('/version/app/launcher/resources', {
      tag,
      summary: 'Newest resources of the launcher',
      description: 'A file with data of the launcher, which has its own version.',
      reply: schemas.ResourcesReply,
      errors: [NotPublished],
      handle: (ctx) => replies.get(ctx, {}, ({ base, caching }) => success({ ...presenter.resources(base) }, caching)),
    }),
    buildNewsRoute(releases, presenter, replies),
    get('/version/tier/:tier', {
      tag,
      summary: 'Resources and benefits of a patron tier',
      description: 'The name of tier 2 is `favorite`, of tier 3 `trusted`.',
      params: { tier: Type.Enum(tiers, { description: 'Number of the tier.' }) },
      reply: schemas.TierReply,
      errors: [UnknownTier, NotPublished],
      handle: (ctx) => replies.get(ctx, {}, ({ caching }) => success({ ...presenter.tier(ctx.params.tier) }, caching)),
    }),
    ...installationRoutes.map(acceptInstallId),
    ...buildDownloadRoutes(releases, counter),
  ]
  return under(prefix, [...applyAccessPolicy(access, clients, routes), buildKeyRequestRoute(clients)])
}
