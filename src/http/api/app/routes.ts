import Type from 'typebox'
import { NotPublished, StoreUnavailable, UnknownApplication, UnknownTier } from '../../../errors/index.ts'
import { applications, type Releases, type Statistics, tiers } from '../../../features/releases/index.ts'
import { success } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { createAsking, forInstallations } from './asking.ts'
import { newsRoute } from './news.ts'
import { createPrepared } from './prepared.ts'
import { createRecalled } from './recalled.ts'
import { createReplies } from './replies.ts'
import { channel, DownloadsReply, ResourcesReply, TierReply, tag, VersionReply } from './schemas.ts'
import { updatesRoutes } from './updates.ts'

export interface AppServices {
  readonly releases: Releases
  readonly statistics: Statistics
}

/** The public endpoints under /api/v5/{app_name}, without that start. */
export function appRoutes({ releases, statistics }: AppServices, prefix: string): Route[] {
  const prepared = createPrepared()
  const replies = createReplies(releases)
  const asking = createAsking(releases, prefix)

  const byUrl = [
    ...updatesRoutes(replies, prepared, asking),
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
        const wish = { channel: ctx.query.channel, client: asking.client(application, ctx) }
        const release = replies.version(asking.base(ctx), application, wish)
        return prepared(release, asking.isShared(application), (options) =>
          success({ [application]: release }, options),
        )
      },
    ),
    get(
      '/version/app/launcher/resources',
      { tag, summary: 'The newest resources of the launcher', reply: ResourcesReply, errors: [NotPublished] },
      (ctx) => prepared(replies.resources(asking.base(ctx)), true),
    ),
  ]
  return [
    get(
      '/stats/downloads',
      { tag, summary: 'How often what was downloaded', reply: DownloadsReply, errors: [StoreUnavailable] },
      async () => prepared(await statistics.downloads(), true),
    ),
    newsRoute(replies, prepared, asking),
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
      ({ params }) => prepared(replies.tier(params.tier), true),
    ),
    ...byUrl.map(createRecalled(releases)).map(forInstallations),
  ]
}
