// Turns the records of features/releases into the fields of the v5 replies.
import {
  defaultTarget,
  type ElectronFile,
  type FeedFormat,
  type FeedGenerator,
  formatBytes,
  formatElectronUpdate,
  formatTauriUpdate,
  type NewsItem,
  newsUrl,
  type Offer,
  parseTarget,
  type ReleaseLinks,
  type Releases,
  type Resources,
  type Target,
} from '../../../features/releases/index.ts'

type ClientOptions = Parameters<Releases['newest']>[1]
type UpdateOptions = Parameters<Releases['updates']>[0]

export type ReleasePresenter = ReturnType<typeof createReleasePresenter>

/** `base` is the absolute URL of the v5 API, such as https://example.org/api/v5/app */
export const createReleasePresenter = (releases: Releases) => ({
  updates(base: string, options: UpdateOptions) {
    const { updates, ...result } = releases.updates(options)
    const [links, target] = [createLinks(base), parseTarget(options.platform, options.arch)]
    return {
      ...result,
      updates: updates.map((update) => ({ ...shapeOffer(links, update, target), mandatory: update.mandatory })),
    }
  },

  version: (base: string, application: string, options: ClientOptions) =>
    shapeOffer(createLinks(base), releases.newest(application, options), parseTarget(options.platform, options.arch)),

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
  tauri(base: string, options: UpdateOptions) {
    const updates = releases.updates(options).updates.map(({ release }) => release)
    return formatTauriUpdate(updates, parseTarget(options.platform, options.arch), createLinks(base))
  },

  /** The text of latest.yml. Undefined: nothing that electron-updater could install, which it expects as 404. */
  electron: (base: string, file: ElectronFile, client: string) =>
    formatElectronUpdate(releases.offered({ client, channel: file.channel }), file, createLinks(base)),
})

const createLinks = (base: string): ReleaseLinks => ({
  download: ({ release: { application, version } }, { platform, arch }) => {
    const isDefault = platform === defaultTarget.platform && arch === defaultTarget.arch
    const machine = isDefault ? '' : `&platform=${platform}&arch=${arch}`
    return `${base}/download/${application}?version=${version}${machine}`
  },
  downloadByName: ({ release: { application, version }, asset: { name } }) =>
    `${base}/download/${application}/${version}/${encodeURIComponent(name)}`,
  news: `${base}/launcher/news`,
  newsFeed: (format) => `${base}/launcher/news?format=${format}`,
  newsItemId: ({ id }) => `${base}/launcher/news#${id}`,
})

const shapeOffer = (links: ReleaseLinks, offer: Offer, target: Target) => {
  const { release, asset } = offer
  const { version, beta, date: releaseDate, notes, minimum } = release
  const { bytes, sha256 } = asset
  return {
    ...{
      version,
      beta,
      releaseDate,
      size: formatBytes(bytes),
      bytes,
      url: links.download(offer, target),
      sha256,
      notes,
    },
    ...(minimum && { minimum: minimum.text }),
    assets: release.assets.map((asset) => {
      const { platform, arch, kind, name, bytes, sha256 } = asset
      return { platform, arch, kind, name, url: links.downloadByName({ release, asset }), bytes, sha256 }
    }),
  }
}

const shapeResources = (base: string, { version, date, bytes, sha256 }: Resources) => ({
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
