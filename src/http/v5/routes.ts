import Type from 'typebox'
import { InvalidVersion, NotPublished, StoreUnavailable, UnknownApplication, UnknownTier } from '../../errors.ts'
import { applications, channels, type Releases, type Statistics, tiers } from '../../releases/index.ts'
import type { Exchange } from '../exchange.ts'
import { type Reply, success, text } from '../replies.ts'
import { get, type Route } from '../route.ts'
import { clientOf } from './access.ts'
import { newsRoute } from './news.ts'
import { APP_CACHE, createPrepared, OWN_CACHE } from './prepared.ts'
import { DownloadsReply, ResourcesReply, TierReply, UpdatesReply, VersionReply } from './schemas.ts'

export interface AppRooms {
  readonly releases: Releases
  readonly statistics: Statistics
}

export const tag = 'The dedicated application, v5'

export const channel = Type.Enum([...channels], { description: 'beta also sees newer stable ones.', default: 'stable' })
const current = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The version that the caller has.',
  examples: ['1.9.0'],
})
const format = Type.Enum(['json', 'tauri', 'electron'], {
  description: "As Tauri's updater or Electron's latest.yml expects it.",
})

/** The public endpoints under /api/v5/{app_name}, without that start. */
export function appRoutes({ releases, statistics }: AppRooms, prefix: string): Route[] {
  const prepared = createPrepared()
  const base = ({ baseUrl }: Exchange<unknown, unknown>) => baseUrl + prefix
  const policy = (application: string) => (releases.isStaged(application) ? OWN_CACHE : APP_CACHE)

  return [
    get(
      '/stats/downloads',
      { tag, summary: 'How often what was downloaded', reply: DownloadsReply, errors: [StoreUnavailable] },
      async () => prepared(await statistics.downloads(), APP_CACHE),
    ),
    get(
      '/launcher/updates',
      {
        tag,
        summary: 'Updates of the launcher',
        query: { current, channel, format },
        reply: UpdatesReply,
        otherTypes: ['text/yaml'],
        errors: [InvalidVersion, NotPublished],
      },
      (exchange) => {
        const wish = { ...exchange.query, client: clientOf(exchange) }
        if (exchange.query.format === 'tauri') return tauriReply(releases.tauri(base(exchange), wish))
        if (exchange.query.format === 'electron') return electronReply(releases.electron(base(exchange), wish))
        return prepared(releases.updates(base(exchange), wish), policy('launcher'))
      },
    ),
    newsRoute(releases, prepared, base),
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
      (exchange) => {
        const { application } = exchange.params
        const release = releases.version(base(exchange), application, { ...exchange.query, client: clientOf(exchange) })
        return prepared(release, policy(application), (options) => success({ [application]: release }, options))
      },
    ),
    get(
      '/version/app/launcher/resources',
      { tag, summary: 'The newest resources of the launcher', reply: ResourcesReply, errors: [NotPublished] },
      (exchange) => prepared(releases.resources(base(exchange)), APP_CACHE),
    ),
    get(
      '/version/tier/:tier',
      {
        tag,
        summary: 'What a patron tier gets',
        params: { tier: Type.Enum(tiers) },
        reply: TierReply,
        errors: [UnknownTier, NotPublished],
      },
      ({ params }) => prepared(releases.tier(params.tier), APP_CACHE),
    ),
  ]
}

/** Tauri's updater takes 204 for "nothing newer", and the record without an envelope. */
function tauriReply(update: object | undefined): Reply {
  if (!update) return { status: 204, headers: ['Cache-Control', OWN_CACHE], body: undefined }
  return text(JSON.stringify(update), 'application/json; charset=utf-8', { cache: OWN_CACHE })
}

function electronReply(update: string | undefined): Reply {
  if (update === undefined) throw new NotPublished('A release that Electron could install')
  return text(update, 'text/yaml; charset=utf-8', { cache: OWN_CACHE })
}
