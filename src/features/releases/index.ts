// The dedicated application: releases, updates, news, resources, tiers and downloads, from the operator's files.
import { NotPublished } from '../../errors/index.ts'
import { applicationNamed, channelNamed, tierNamed, tierNames } from './applications.ts'
import { downloadOf, findRelease } from './downloads.ts'
import { openLive, type ReleasesOptions } from './live.ts'
import { findUpdates, type OfferOptions, offerTo } from './offers.ts'

export { type Application, applications, type Channel, channels, tierNames, tiers } from './applications.ts'
export type { Download } from './downloads.ts'
export { type Feed, type FeedFormat, feeds } from './feeds/index.ts'
export { newsUrl, type ReleaseLinks } from './links.ts'
export type { ReleasesOptions } from './live.ts'
export type { Updates } from './offers.ts'
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
export type { NewsItem } from './read/news.ts'
export { readNewsDraft } from './read/news.ts'
export type { Problem } from './read/problem.ts'
export type { Downloadable, Release } from './release.ts'
export { sizeForPeople } from './size.ts'
export { createStatistics, type Statistics } from './statistics.ts'
export { electronUpdate, type Platform, type TauriUpdate, tauriUpdate } from './updaters.ts'
export { type Verified, verifyFiles } from './verify.ts'

export interface Client {
  /** Any text that stays the same for one client, such as its key or address: it decides about staged rollouts. */
  readonly client: string
  readonly channel?: string | undefined
}

export type Releases = Awaited<ReturnType<typeof openReleases>>

export async function openReleases(options: ReleasesOptions) {
  const live = await openLive(options)
  const published = () => live.state().published
  const offerOptions = ({ client, channel = 'stable' }: Client): OfferOptions => ({
    client,
    channel: channelNamed(channel),
  })

  return {
    /** The title of the news feeds. */
    title: options.title ?? 'News',
    updates: (wish: Client & { current?: string | undefined }) =>
      findUpdates(published(), offerOptions(wish), wish.current),
    newest: (application: string, wish: Client) =>
      findRelease(published(), applicationNamed(application), offerOptions(wish)),
    resources() {
      const [newest] = published().resources
      if (!newest) throw new NotPublished('Resources of the launcher')
      return newest
    },
    tier(text: string) {
      const tier = tierNamed(text)
      const record = published().tiers[tier]
      if (!record) throw new NotPublished(`Tier ${tier}`)
      const { resources = {}, benefits = [] } = record
      return { tier, name: tierNames[tier], resources, benefits }
    },
    /** Newest first. */
    news: () => published().news,

    resolveDownload(application: string, wish: Client & { version?: string | undefined }) {
      const { published, present } = live.state()
      return downloadOf(
        findRelease(published, applicationNamed(application), offerOptions(wish), wish.version),
        present,
      )
    },
    resolveResources() {
      const { published, present } = live.state()
      const [newest] = published.resources
      if (!newest) throw new NotPublished('Resources of the launcher')
      return downloadOf(newest, present)
    },

    /** Equal for all clients that are offered the same releases of an application. */
    offerKey: (application: string, client: string) =>
      offerTo(client, live.state().published.releases[applicationNamed(application)].beta).key,
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
