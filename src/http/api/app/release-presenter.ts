// Turns the records of features/releases into the fields of the v5 replies.
import {
  type Downloadable,
  type FeedFormat,
  type FeedGenerator,
  formatBytes,
  formatElectronUpdate,
  formatTauriUpdate,
  type NewsItem,
  newsUrl,
  type Platform,
  type Release,
  type ReleaseLinks,
  type Releases,
} from '../../../features/releases/index.ts'

type ClientOptions = Parameters<Releases['newest']>[1]
type UpdateOptions = Parameters<Releases['updates']>[0]

export type ReleasePresenter = ReturnType<typeof createReleasePresenter>

/** `base` is the absolute URL of the v5 API, such as https://example.org/api/v5/app */
export const createReleasePresenter = (releases: Releases) => ({
  updates(base: string, options: UpdateOptions) {
    const { updates, ...result } = releases.updates(options)
    const links = createLinks(base)
    return { ...result, updates: updates.map((release) => shapeRelease(links, release)) }
  },

  version: (base: string, application: string, options: ClientOptions) =>
    shapeRelease(createLinks(base), releases.newest(application, options)),

  resources: (base: string) => shapeResources(base, releases.resources()),

  tier(text: string) {
    const { tier, name, resources, benefits } = releases.tier(text)
    return { tier, name, message: { resources }, benefits }
  },

  news(base: string) {
    const links = createLinks(base)
    return { news: releases.news().map((item) => shapeNews(links, item)) }
  },

  newsFeed: (base: string, format: FeedFormat, generateFeed: FeedGenerator) =>
    generateFeed(format, { links: createLinks(base), title: releases.title, news: releases.news() }),

  /** Undefined: nothing newer, which Tauri's updater expects as 204. */
  tauri: (base: string, options: UpdateOptions) =>
    formatTauriUpdate(releases.updates(options).updates, createLinks(base)),

  /** The text of latest.yml. Undefined: nothing that electron-updater could install, which it expects as 404. */
  electron: (
    base: string,
    { client, channel, platform = 'Windows' }: ClientOptions & { platform?: Platform | undefined },
  ) => formatElectronUpdate(releases.updates({ client, channel }).updates, platform, createLinks(base)),
})

const createLinks = (base: string): ReleaseLinks => ({
  download: ({ application, version }) => `${base}/download/${application}?version=${version}`,
  downloadByName: ({ application, version, name }) =>
    `${base}/download/${application}/${version}/${encodeURIComponent(name)}`,
  news: `${base}/launcher/news`,
  newsFeed: (format) => `${base}/launcher/news?format=${format}`,
  newsItemId: ({ id }) => `${base}/launcher/news#${id}`,
})

const shapeRelease = (links: ReleaseLinks, release: Release) => {
  const { version, beta, date: releaseDate, bytes, sha256, notes } = release
  return { version, beta, releaseDate, size: formatBytes(bytes), bytes, url: links.download(release), sha256, notes }
}

const shapeResources = (base: string, { version, date, bytes, sha256 }: Downloadable) => ({
  message: version,
  date,
  size: formatBytes(bytes),
  bytes,
  sha256,
  url: `${base}/download/launcher/resources`,
})

const shapeNews = (links: ReleaseLinks, item: NewsItem) => {
  const { file: _, ...fields } = item
  return { ...fields, url: newsUrl(links, item) }
}
