// The dedicated application: releases, updates, news, resources, tiers and downloads, from the operator's files.
import { NotPublished } from '../../errors/index.ts'
import { applicationNamed, channelNamed, tierNamed } from './applications.ts'
import { downloadOf, findRelease } from './downloads.ts'
import type { FeedFormat } from './feeds/index.ts'
import { openLive, type ReleasesOptions } from './live.ts'
import type { Asking } from './replies.ts'
import type { Platform } from './updaters.ts'

export { type Application, applications, type Channel, channels, tierNames, tiers } from './applications.ts'
export type { Download } from './downloads.ts'
export { type Feed, type FeedFormat, feeds } from './feeds/index.ts'
export type { ReleasesOptions } from './live.ts'
export type { Publication, PublishOptions } from './publish/append.ts'
export type { Change } from './publish/edit.ts'
export { addNews, listNews, type NewsOptions, removeNews } from './publish/news.ts'
export { PublishError, WrongWords } from './publish/publish-error.ts'
export {
  listReleases,
  publishRelease,
  type ReleaseOptions,
  type ReleaseState,
  rollOutRelease,
  withdrawRelease,
} from './publish/release.ts'
export { publishResources } from './publish/resources.ts'
export { setTier, showTier, type TierOptions } from './publish/tier.ts'
export { readNewsDraft } from './read/news.ts'
export type { Problem } from './read/problem.ts'
export type { Updates } from './replies.ts'
export type { NewsReply, ReleaseReply, ResourcesReply } from './shapes.ts'
export { sizeForPeople } from './size.ts'
export { createStatistics, type Statistics } from './statistics.ts'
export type { Platform, TauriUpdate } from './updaters.ts'
export { type Verified, verifyFiles } from './verify.ts'

export interface Client {
  /** Any text that stays the same for one client, such as its key or address: it decides about staged rollouts. */
  readonly client: string
  readonly channel?: string | undefined
}

export type Releases = Awaited<ReturnType<typeof openReleases>>

/**
 * `base` is always the absolute URL of the application's part of the API, such as https://example.org/api/v5/app .
 * A value that is returned stays the same object as long as the data does, so that its bytes can be kept with it.
 */
export async function openReleases(options: ReleasesOptions) {
  const live = await openLive(options)
  const replies = () => live.state().replies
  const asking = ({ client, channel = 'stable' }: Client): Asking => ({ client, channel: channelNamed(channel) })

  return {
    updates: (base: string, wish: Client & { current?: string | undefined }) =>
      replies().updates(base, asking(wish), wish.current),
    version: (base: string, application: string, wish: Client) =>
      replies().version(base, applicationNamed(application), asking(wish)),
    resources: (base: string) => replies().resources(base),
    tier: (tier: string) => replies().tier(tierNamed(tier)),
    news: (base: string) => replies().news(base),
    newsFeed: (base: string, format: FeedFormat) => replies().newsFeed(base, format),
    /** Undefined: nothing newer, which Tauri's updater expects as 204. */
    tauri: (base: string, wish: Client & { current?: string | undefined }) =>
      replies().tauri(base, asking(wish), wish.current),
    /** The text of latest.yml. Undefined: nothing that Electron's updater could use, which it expects as 404. */
    electron: (base: string, wish: Client & { platform?: Platform | undefined }) =>
      replies().electron(base, asking(wish), wish.platform ?? 'Windows'),

    resolveDownload(application: string, wish: Client & { version?: string | undefined }) {
      const { published, present } = live.state()
      return downloadOf(findRelease(published, applicationNamed(application), asking(wish), wish.version), present)
    },
    resolveResources() {
      const { published, present } = live.state()
      const [newest] = published.resources
      if (!newest) throw new NotPublished('Resources of the launcher')
      return downloadOf(newest, present)
    },

    /** Whether clients are answered differently now: then a shared cache must not keep the answer. */
    isStaged: (application: string) =>
      live.state().published.releases[applicationNamed(application)].beta.staged.length > 0,
    /** What is wrong with the folder now. */
    problems: () => live.state().problems,
    /** All releases, resources and news, also scheduled and withdrawn ones. */
    catalogue: () => live.state().catalogue,
    /** Counts the changes of what is public. */
    revision: () => live.state().revision,
    reload: live.reload,
    close: live.close,
  }
}
