// The values of the v5 replies: records of the feature, shaped as the interface names their fields.
import { LRUCache } from 'lru-cache'
import {
  type Downloadable,
  electronUpdate,
  FEED_ENTRIES,
  type FeedFormat,
  feeds,
  type NewsItem,
  newsUrl,
  type Platform,
  type Release,
  type ReleaseLinks,
  type Releases,
  sizeForPeople,
  tauriUpdate,
} from '../../../features/releases/index.ts'

/** Bounds memory against clients that vary the host name or `current`: replies, and entries of all their lists. */
const CACHE_BOUNDS = { max: 5000, maxSize: 100_000 }

type ClientOptions = Parameters<Releases['newest']>[1]
type UpdateOptions = Parameters<Releases['updates']>[0]

export type Replies = ReturnType<typeof createReplies>

/**
 * Builds each value once per revision of the data and per base URL. The same object is returned until the data changes.
 * `base` is the absolute URL of the application's API, such as https://example.org/api/v5/app
 */
export function createReplies(releases: Releases) {
  const cache = new LRUCache<string, { value: unknown }>(CACHE_BOUNDS)
  let revision = releases.revision()

  /** `size` is the number of list entries in the value. */
  const once = <T>(key: string, size: number, build: () => T): T => {
    if (revision !== releases.revision()) cache.clear()
    revision = releases.revision()
    const cached = cache.get(key)
    if (cached) return cached.value as T
    const value = build()
    cache.set(key, { value }, { size: size + 1 })
    return value
  }

  return {
    updates(base: string, options: UpdateOptions) {
      const { offer, ...result } = releases.updates(options)
      const key = `updates ${options.channel} ${result.updateAvailable} ${offer.key} ${result.latest} ${base}`
      return once(key, offer.count, () => {
        const links = createLinks(base)
        return { ...result, updates: offer.all().map((release) => shapeRelease(links, release)) }
      })
    },

    version(base: string, application: string, options: ClientOptions) {
      const newest = releases.newest(application, options)
      return once(`version ${application} ${newest.version} ${base}`, 1, () => shapeRelease(createLinks(base), newest))
    },

    resources(base: string) {
      const newest = releases.resources()
      return once(`resources ${base}`, 1, () => shapeResources(base, newest))
    },

    tier(text: string) {
      const { tier, name, resources, benefits } = releases.tier(text)
      return once(`tier ${tier}`, 1, () => ({ tier, name, message: { resources }, benefits }))
    },

    news: (base: string) =>
      once(`news ${base}`, releases.news().length, () => {
        const links = createLinks(base)
        return { news: releases.news().map((item) => shapeNews(links, item)) }
      }),

    newsFeed: (base: string, format: FeedFormat) =>
      once(`${format} ${base}`, FEED_ENTRIES, () =>
        feeds[format]({ links: createLinks(base), title: releases.title, news: releases.news() }),
      ),

    /** Undefined: nothing newer, which Tauri's updater expects as 204. */
    tauri(base: string, options: UpdateOptions) {
      const { offer } = releases.updates(options)
      return once(`tauri ${options.channel} ${offer.key} ${base}`, 1, () => tauriUpdate(offer, createLinks(base)))
    },

    /** The text of latest.yml. Undefined: nothing that electron-updater could install, which it expects as 404. */
    electron(base: string, { client, channel, platform = 'Windows' }: ClientOptions & { platform?: Platform }) {
      const { offer } = releases.updates({ client, channel })
      const key = `electron ${platform} ${channel} ${offer.key} ${base}`
      return once(key, 1, () => electronUpdate(offer, platform, createLinks(base)))
    },
  }
}

const createLinks = (base: string): ReleaseLinks => ({
  download: ({ application, version }) => `${base}/download/${application}?version=${version}`,
  downloadByName: ({ application, version, name }) =>
    `${base}/download/${application}/${version}/${encodeURIComponent(name)}`,
  news: `${base}/launcher/news`,
  newsFeed: (format) => `${base}/launcher/news?format=${format}`,
  newsItem: ({ id }) => `${base}/launcher/news#${id}`,
})

const shapeRelease = (links: ReleaseLinks, release: Release) => ({
  version: release.version,
  beta: release.beta,
  releaseDate: release.date,
  size: sizeForPeople(release.bytes),
  bytes: release.bytes,
  url: links.download(release),
  sha256: release.sha256,
  notes: release.notes,
})

const shapeResources = (base: string, { version, date, bytes, sha256, source }: Downloadable) => ({
  message: version,
  date,
  size: sizeForPeople(bytes),
  bytes,
  sha256,
  url: source.url ?? `${base}/download/launcher/resources`,
})

const shapeNews = (links: ReleaseLinks, item: NewsItem) => ({
  id: item.id,
  title: item.title,
  date: item.date,
  summary: item.summary,
  html: item.html,
  url: newsUrl(links, item),
})
