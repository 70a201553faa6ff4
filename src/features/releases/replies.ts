// The values that the endpoints send, built once for each state of the data and each start of URLs.
import { LRUCache } from 'lru-cache'
import { NotPublished } from '../../errors/index.ts'
import { type Application, type Channel, type Tier, tierNames } from './applications.ts'
import { FEED_ENTRIES, type FeedFormat, feeds } from './feeds/index.ts'
import { offerTo, versionGiven } from './offers.ts'
import type { Published } from './published.ts'
import { newsReply, type ReleaseReply, releaseReply, resourcesReply } from './shapes.ts'
import { electronUpdate, type Platform, tauriUpdate } from './updaters.ts'

// A stranger who varies the host name or ?current= cannot fill the memory: at most so many replies, and so many
// entries of lists over all of them.
const cacheBounds = { max: 5000, maxSize: 100_000 }

export interface Asking {
  /** Any text that stays the same for one client. */
  readonly client: string
  readonly channel: Channel
}

export interface Updates {
  readonly latest: string | null
  readonly updateAvailable?: boolean
  readonly updates: readonly ReleaseReply[]
}

export type Replies = ReturnType<typeof openReplies>

/** `base` is the absolute URL of the application's part of the API, such as https://example.org/api/v5/app */
export function openReplies(published: Published, title: string) {
  const cache = new LRUCache<string, { value: unknown }>(cacheBounds)
  /** `size` counts the entries of a list. */
  const once = <T>(key: string, size: number, build: () => T): T => {
    const known = cache.get(key)
    if (known) return known.value as T
    const value = build()
    cache.set(key, { value }, { size: size + 1 })
    return value
  }

  const launcherOffer = ({ client, channel }: Asking) => offerTo(client, published.releases.launcher[channel])

  return {
    updates(base: string, asking: Asking, currentText?: string): Updates {
      const all = launcherOffer(asking)
      const newest = all.newest()
      if (currentText === undefined) {
        return once(`updates ${asking.channel} ${all.key} ${base}`, all.count, () => ({
          latest: newest?.version ?? null,
          updates: all.all().map((release) => releaseReply(base, release)),
        }))
      }
      const current = versionGiven('current', currentText)
      const newer = all.newerThan(current)
      // Who is ahead of everything published hears the own version: any other would be a downgrade.
      const latest = newest && current.compare(newest.order) > 0 ? current.version : (newest?.version ?? null)
      return once(`newer ${asking.channel} ${newer.key} ${latest} ${base}`, newer.count, () => ({
        latest,
        updateAvailable: newer.count > 0,
        updates: newer.all().map((release) => releaseReply(base, release)),
      }))
    },

    version(base: string, application: Application, { client, channel }: Asking) {
      const newest = offerTo(client, published.releases[application][channel]).newest()
      if (!newest) throw new NotPublished(`A ${channel} release of ${application}`)
      return once(`version ${application} ${newest.version} ${base}`, 1, () => releaseReply(base, newest))
    },

    resources(base: string) {
      const [newest] = published.resources
      if (!newest) throw new NotPublished('Resources of the launcher')
      return once(`resources ${base}`, 1, () => resourcesReply(base, newest))
    },

    tier(tier: Tier) {
      const record = published.tiers[tier]
      if (!record) throw new NotPublished(`Tier ${tier}`)
      const { resources = {}, benefits = [] } = record
      return once(`tier ${tier}`, 1, () => ({ tier, name: tierNames[tier], message: { resources }, benefits }))
    },

    news: (base: string) =>
      once(`news ${base}`, published.news.length, () => ({
        news: published.news.map((item) => newsReply(base, item)),
      })),

    newsFeed: (base: string, format: FeedFormat) =>
      once(`${format} ${base}`, FEED_ENTRIES, () => feeds[format]({ base, title, news: published.news })),

    tauri(base: string, asking: Asking, current?: string) {
      const all = launcherOffer(asking)
      const offer = current === undefined ? all : all.newerThan(versionGiven('current', current))
      return once(`tauri ${asking.channel} ${offer.key} ${base}`, 1, () => tauriUpdate(base, offer))
    },

    electron(base: string, asking: Asking, platform: Platform) {
      const offer = launcherOffer(asking)
      const key = `electron ${platform} ${asking.channel} ${offer.key} ${base}`
      return once(key, 1, () => electronUpdate(base, offer, platform))
    },
  }
}
