// Turns the records of features/releases into the fields of the v5 replies.
import { NotPublished } from '../../../errors/index.ts'
import {
  type AppcastFormatter,
  type BundleType,
  defaultTarget,
  type ElectronFile,
  type FeedFormat,
  type FeedGenerator,
  formatBytes,
  formatElectronUpdate,
  formatTauriUpdate,
  formatVelopackIndex,
  isPackage,
  MAX_FEED_ENTRIES,
  type NewsText,
  type Offer,
  parseTarget,
  parseTauriTarget,
  type ReleaseLinks,
  type Releases,
  type Resources,
  type Target,
  translate,
  translateNotes,
  type VelopackFile,
} from '../../../features/releases/index.ts'

type ClientOptions = Parameters<Releases['newest']>[1]
type UpdateOptions = Parameters<Releases['updates']>[0]
type TauriOptions = Omit<UpdateOptions, 'platform'> & {
  readonly target?: string | undefined
  readonly bundleType?: BundleType | undefined
}

export type ReleasePresenter = ReturnType<typeof createReleasePresenter>

/** `base` is the absolute URL of the v5 API, such as https://example.org/api/v5/app */
export const createReleasePresenter = (releases: Releases) => ({
  updates(base: string, options: UpdateOptions, language?: string) {
    const { updates, ...result } = releases.updates(options)
    const [links, target] = [createLinks(base), parseTarget(options.platform, options.arch)]
    return {
      ...result,
      updates: updates.map((update) => ({
        ...toOfferJson(links, update, target, language),
        mandatory: update.mandatory,
      })),
    }
  },

  version(base: string, application: string, options: ClientOptions, language?: string) {
    const target = parseTarget(options.platform, options.arch)
    return toOfferJson(createLinks(base), releases.newest(application, options), target, language)
  },

  resources: (base: string) => toResourcesJson(base, releases.resources()),

  tier(text: string) {
    const { tier, name, resources, benefits } = releases.tier(text)
    return { tier, name, message: { resources }, benefits }
  },

  news: (base: string, language?: string) => ({
    news: releases.news().map((item) => toNewsJson(base, translate(item, language))),
  }),

  newsFeed(base: string, format: FeedFormat, generateFeed: FeedGenerator, language?: string) {
    const newsUrl = getNewsUrl(base)
    const recent = releases.news().slice(0, MAX_FEED_ENTRIES)
    return generateFeed(format, {
      title: releases.title,
      appName: getAppName(base),
      newsUrl,
      feedUrl: `${newsUrl}?format=${format}${language === undefined ? '' : `&lang=${language}`}`,
      news: recent.map((item) => toNewsJson(base, translate(item, language))),
    })
  },

  /** Undefined: nothing newer, which Tauri's updater expects as 204. */
  tauri(base: string, { target, bundleType, ...options }: TauriOptions, language?: string) {
    const machine = parseTauriTarget(target, options.arch, bundleType)
    const { updates } = releases.updates({ ...options, platform: machine.platform, arch: machine.arch })
    const translated = updates.map(({ release }) => translateNotes(release, language))
    return formatTauriUpdate(translated, machine, createLinks(base))
  },

  /** The text of latest.yml. Undefined: nothing that electron-updater could install, which it expects as 404. */
  electron(base: string, file: ElectronFile & { manual?: boolean }, client: string, language?: string) {
    return formatElectronUpdate(listOffered(releases, { ...file, client }, language), file, createLinks(base))
  },

  velopack(file: VelopackFile, client: string, language?: string) {
    return formatVelopackIndex(listOffered(releases, { client, channel: file.channel }, language), file)
  },

  /** Where Velopack downloads a package from. */
  packageUrl(base: string, name: string) {
    const offer = isPackage({ name }) ? releases.file(name) : undefined
    return offer && createLinks(base).downloadByName(offer)
  },

  appcast(base: string, format: AppcastFormatter, { client, channel, manual }: UpdateOptions, language?: string) {
    return format(listOffered(releases, { client, channel, manual }, language), {
      title: getAppName(base),
      url: `${base}/launcher/updates/appcast.xml`,
      links: createLinks(base),
      makeLinksAbsolute: (html) => makeLinksAbsolute(html, getRoot(base)),
    })
  },

  /** The newest version of everything. Null: nothing is published for this machine. */
  versions(base: string, options: ClientOptions, language?: string) {
    const links = createLinks(base)
    const target = parseTarget(options.platform, options.arch)
    const describe = (application: string) =>
      orNull(() => toOfferJson(links, releases.newest(application, options), target, language))
    const launcher = describe('launcher')
    return {
      launcher,
      reshade: describe('reshade'),
      fpsUnlocker: describe('fpsUnlocker'),
      resources: orNull(() => {
        const { message: version, ...resources } = toResourcesJson(base, releases.resources())
        return { version, ...resources }
      }),
      minimum: launcher?.minimum ?? null,
    }
  },
})

const listOffered = (releases: Releases, options: Parameters<Releases['offered']>[0], language: string | undefined) =>
  releases.offered(options).map((release) => translateNotes(release, language))

const getRoot = (base: string) => base.slice(0, base.lastIndexOf('/api/v5/'))
const getAppName = (base: string) => base.slice(base.lastIndexOf('/') + 1)

function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof NotPublished) return null
    throw error
  }
}

const createLinks = (base: string): ReleaseLinks => ({
  download: ({ release: { application, version } }, { platform, arch }) => {
    const isDefault = platform === defaultTarget.platform && arch === defaultTarget.arch
    const machine = isDefault ? '' : `&platform=${platform}&arch=${arch}`
    return `${base}/download/${application}?version=${version}${machine}`
  },
  downloadByName: ({ release: { application, version }, asset: { name } }) =>
    `${base}/download/${application}/${version}/${encodeURIComponent(name)}`,
})

const toOfferJson = (links: ReleaseLinks, offer: Offer, target: Target, language: string | undefined) => {
  const { release, asset } = offer
  const { version, beta, date: releaseDate, notes, minimum } = translateNotes(release, language)
  const { bytes, sha256 } = asset
  return {
    version,
    beta,
    releaseDate,
    size: formatBytes(bytes),
    bytes,
    url: links.download(offer, target),
    sha256,
    notes,
    ...(minimum && { minimum: minimum.text }),
    assets: release.assets.map((asset) => {
      const { platform, arch, kind, name, bytes, sha256 } = asset
      return { platform, arch, kind, name, url: links.downloadByName({ release, asset }), bytes, sha256 }
    }),
  }
}

const toResourcesJson = (base: string, { version, date, bytes, sha256 }: Resources) => ({
  message: version,
  date,
  size: formatBytes(bytes),
  bytes,
  sha256,
  url: `${base}/download/launcher/resources`,
})

const getNewsUrl = (base: string) => `${base}/launcher/news`

/** All URLs are absolute: launchers and feed readers have no address to resolve others against. */
function toNewsJson(base: string, { id, title, date, summary, html, url, image, lang }: NewsText) {
  const root = getRoot(base)
  return {
    id,
    title,
    date,
    summary,
    html: makeLinksAbsolute(html, root),
    url: url ?? `${getNewsUrl(base)}#${id}`,
    image: image?.startsWith('/') ? root + image : (image ?? null),
    lang,
  }
}

/** In sanitised HTML, `<` and `>` are only found around tags, and `"` in tags only around values. */
const RELATIVE_LINK = /(<(?:a|img)(?: [a-z]+(?:="[^"]*")?)*? (?:href|src)=")(?!\s*[a-z][a-z0-9+.-]*:)\/?/gi

const makeLinksAbsolute = (html: string, root: string) => html.replace(RELATIVE_LINK, `$1${root}/`)
