import Type from 'typebox'
import { NotPublished, StoreUnavailable, UnknownApplication, UnknownTier } from '../../../errors/index.ts'
import { applications, type Releases, type Statistics, tiers } from '../../../features/releases/index.ts'
import { success } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { createAppReplies } from './app-replies.ts'
import { createAsking, forInstallations } from './asking.ts'
import { newsRoute } from './news.ts'
import { createReplyValues } from './reply-values.ts'
import { channel, DownloadsReply, ResourcesReply, TierReply, tag, VersionReply } from './schemas.ts'
import { updatesRoutes } from './updates.ts'

export interface AppServices {
  readonly releases: Releases
  readonly statistics: Statistics
}

/** The public endpoints under /api/v5/{app_name}, without that start. */
export function appRoutes(
  { releases, statistics }: AppServices,
  prefix: string,
  access: 'open' | 'registered',
): Route[] {
  const replies = createAppReplies(releases, access)
  const values = createReplyValues(releases)
  const asking = createAsking(releases, prefix)

  const installationRoutes = [
    ...updatesRoutes(values, replies, asking),
    get(
      '/version/app/:application',
      {
        tag,
        summary: 'The newest version of an application',
        params: { application: Type.Enum([...applications]) },
        query: { channel },
        reply: VersionReply,
        errors: [UnknownApplication, NotPublished],
      },
      (ctx) => {
        const { application } = ctx.params
        return replies.get(ctx, { application }, (options) => {
          const wish = { channel: ctx.query.channel, client: asking.client(application, ctx) }
          return success({ [application]: values.version(asking.base(ctx), application, wish) }, options)
        })
      },
    ),
    get(
      '/version/app/launcher/resources',
      { tag, summary: 'The newest resources of the launcher', reply: ResourcesReply, errors: [NotPublished] },
      (ctx) => replies.get(ctx, {}, (options) => success({ ...values.resources(asking.base(ctx)) }, options)),
    ),
  ]
  return [
    get(
      '/stats/downloads',
      { tag, summary: 'How often what was downloaded', reply: DownloadsReply, errors: [StoreUnavailable] },
      async (ctx) => {
        const downloads = await statistics.downloads()
        const name = String(statistics.revision())
        return replies.get(ctx, { name }, (options) => success({ ...downloads }, options))
      },
    ),
    newsRoute(values, replies, asking),
    get(
      '/version/tier/:tier',
      {
        tag,
        summary: 'What a patron tier gets',
        description: 'Tier 2 is favorite, tier 3 is trusted.',
        params: { tier: Type.Enum(tiers) },
        reply: TierReply,
        errors: [UnknownTier, NotPublished],
      },
      (ctx) => replies.get(ctx, {}, (options) => success({ ...values.tier(ctx.params.tier) }, options)),
    ),
    ...installationRoutes.map(forInstallations),
  ]
}
