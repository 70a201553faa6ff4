// Decides which releases a client is offered: channel, platform, staged rollout, current version.
import { hash } from 'node:crypto'
import { NotPublished } from '../../errors/index.ts'
import { type Asset, isPartial, parseTarget, selectAssets, type Target } from './asset.ts'
import type { Offer, Published, ReleaseList } from './catalogue.ts'
import { type Application, applications, type Channel, parseChannel, type Release } from './release.ts'
import { compareVersions, parseVersionParameter, type Version } from './version.ts'

export interface OfferOptions {
  /** Any text that stays the same for one client, such as its key or address; staged rollouts depend on it. */
  readonly client: string
  readonly channel?: string | undefined
  readonly platform?: string | undefined
  readonly arch?: string | undefined
  /** A person asked for updates: staged rollouts are ignored. */
  readonly manual?: boolean | undefined
}

interface Update extends Offer {
  /** The client's version is below the minimum of the release. */
  readonly mandatory: boolean
}

interface Updates {
  /** The newest version that the client is offered, or `current` if that is not older. Null if it is offered none. */
  readonly latest: string | null
  /** Only if `current` was given. */
  readonly updateAvailable?: boolean
  /** All releases, or those newer than `current`. Newest first. */
  readonly updates: readonly Update[]
}

export function findUpdates(
  { releases: { launcher: list } }: Published,
  options: OfferOptions & { readonly current?: string | undefined },
): Updates {
  const { client, channel, platform, arch, manual, current: currentText } = options
  const offers = listOffers(list, parseChannel(channel), parseTarget(platform, arch))
  const excluded = manual ? [] : findExcluded(client, list)
  const newest = findNewest(offers, excluded)?.release
  const latest = newest?.version ?? null
  if (currentText === undefined) return { latest, updates: toUpdates(offers, excluded) }
  const current = parseVersionParameter('current', currentText)
  const updates = toUpdates(offers.slice(0, countNewer(offers, current)), excluded, current)
  // A client that needs no update gets its own version: one that compares texts would install any other.
  const isUpToDate = newest && compareVersions(current, newest.parsedVersion) >= 0
  return { latest: isUpToDate ? current.text : latest, updateAvailable: updates.length > 0, updates }
}

const toUpdates = (offers: readonly Offer[], excluded: readonly Release[], current?: Version): Update[] =>
  offers
    .filter(({ release }) => !excluded.includes(release))
    .map((offer) => ({ ...offer, mandatory: isBelowMinimum(current, offer.release) }))

const isBelowMinimum = (current: Version | undefined, { minimum }: Release) =>
  current !== undefined && minimum !== undefined && compareVersions(current, minimum) < 0

const findNewest = (offers: readonly Offer[], excluded: readonly Release[]) =>
  offers.find(({ release }) => !excluded.includes(release))

/** For update formats that choose files themselves: all releases that the client is offered. Newest first. */
export function listOffered(
  { releases }: Published,
  { client, channel, manual }: Pick<OfferOptions, 'client' | 'channel' | 'manual'>,
) {
  const isStable = parseChannel(channel) === 'stable'
  const excluded = manual ? [] : findExcluded(client, releases.launcher)
  return releases.launcher.releases.filter((release) => !(isStable && release.beta) && !excluded.includes(release))
}

/** Binary search: a long history does not make a request slower. */
function countNewer(offers: readonly Offer[], current: Version): number {
  let [low, high] = [0, offers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareVersions(offers[middle]!.release.parsedVersion, current) > 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The newest release that the client is offered, or the given version, which every client may download. */
export function findRelease(
  { releases }: Published,
  application: Application,
  options: OfferOptions & { readonly version?: string | undefined },
): Offer {
  const list = releases[application]
  const channel = parseChannel(options.channel)
  const target = parseTarget(options.platform, options.arch)
  const machine = `${target.platform} (${target.arch})`
  if (options.version === undefined) {
    const newest = findNewest(listOffers(list, channel, target), findExcluded(options.client, list))
    if (!newest) throw new NotPublished(`a ${channel} release of ${application} for ${machine}`)
    return newest
  }
  const release = findVersion(list, application, options.version)
  const asset = chooseAsset(release, target)
  if (!asset) throw new NotPublished(`version ${release.version} of ${application} for ${machine}`)
  return { release, asset }
}

const filesByName = new WeakMap<ReleaseList, ReadonlyMap<string, Offer>>()

/** A file of the newest release that has one of this name. */
export function findFile({ releases: { launcher } }: Published, name: string): Offer | undefined {
  let files = filesByName.get(launcher)
  if (!files) {
    const offers = launcher.releases.flatMap((release) => release.assets.map((asset) => ({ release, asset })))
    files = new Map(offers.toReversed().map((offer) => [offer.asset.name, offer]))
    filesByName.set(launcher, files)
  }
  return files.get(name)
}

/** A file of a version by its name, for every machine. */
export function findAsset({ releases }: Published, application: Application, version: string, name: string): Offer {
  const release = findVersion(releases[application], application, version)
  const asset = release.assets.find((asset) => asset.name === name)
  if (!asset) throw new NotPublished('a file of this name')
  return { release, asset }
}

function findVersion({ byVersion }: ReleaseList, application: Application, text: string): Release {
  const version = parseVersionParameter('version', text)
  const release = byVersion.get(version.key)
  if (!release) throw new NotPublished(`version ${version.text} of ${application}`)
  return release
}

function listOffers({ releases, offers }: ReleaseList, channel: Channel, target: Target): readonly Offer[] {
  const key = `${channel} ${target.platform} ${target.arch}`
  const cached = offers.get(key)
  if (cached) return cached
  const list = releases.flatMap((release) => {
    const asset = channel === 'stable' && release.beta ? undefined : chooseAsset(release, target)
    return asset ? [{ release, asset }] : []
  })
  offers.set(key, list)
  return list
}

const chooseAsset = ({ assets }: Release, target: Target): Asset | undefined =>
  selectAssets(assets, target).find((asset) => !isPartial(asset))

/** The releases that have not been rolled out to the client. */
export const findExcluded = (client: string, { staged }: ReleaseList): readonly Release[] =>
  staged.filter(({ application, version, rollout }) => !isInRollout(client, application, version, rollout))

/**
 * Whether a client belongs to the first `percent` of a release. The same client always gets the same answer, a higher
 * percentage only adds clients, and each release starts with other clients.
 */
export function isInRollout(client: string, application: Application, version: string, percent: number): boolean {
  if (percent >= 100) return true
  const digest = hash('sha256', `${application}\0${version}\0${client}`, 'buffer')
  return (digest.readUInt32BE() / 2 ** 32) * 100 < percent
}

// The release that is offered instead of a withdrawn one. Installations of the withdrawn release stay on its higher version.

/** The newest public release below a withdrawn one, in the same channel. `releases` are sorted, newest first. */
export const findFallback = (releases: readonly Release[], { parsedVersion, beta }: Release, now: number) =>
  releases.find(
    (other) =>
      !other.withdrawn &&
      Date.parse(other.date) <= now &&
      (beta || !other.beta) &&
      compareVersions(other.parsedVersion, parsedVersion) < 0,
  )

export type WithdrawnNewest = { readonly withdrawn: Release; readonly fallback: Release | undefined }

/** The channels whose newest version is withdrawn. */
export const findWithdrawnNewest = (catalogue: Readonly<Record<Application, readonly Release[]>>, now: number) =>
  applications.flatMap((application) => {
    const due = catalogue[application].filter(({ date }) => Date.parse(date) <= now)
    const findNewest = (channel: Channel) => due.find(({ beta }) => channel === 'beta' || !beta)
    return [...new Set([findNewest('stable'), findNewest('beta')])].flatMap((withdrawn) =>
      withdrawn?.withdrawn ? [{ withdrawn, fallback: findFallback(due, withdrawn, now) }] : [],
    )
  })

/** The public URLs that update formats contain. The HTTP layer knows the paths and provides them. */
export interface ReleaseLinks {
  /** Every download goes through the service, so that it is counted. */
  download(offer: Offer, target: Target): string
  /**
   * A path that ends in the name of the file: electron-updater takes name and type from there, and replaces the query
   * by its own.
   */
  downloadByName(offer: Offer): string
}

/** The SHA-256 digests of the files in the example releases (content/app/releases.yaml). */
const EXAMPLE_FILES = [
  '74b0b2ae91c20329bfa22c3ac06623c86bbb140f37d80f3ae483493597923a1a',
  'bc0a88309eec89a128b52ba931169d62254f81288fb91ee4d26b02a3d7639b6d',
]

/** The example releases that are offered to clients, such as "launcher 1.0.0". */
export const findExampleReleases = (catalogue: Readonly<Record<string, readonly Release[]>>): string[] =>
  applications.flatMap((application) =>
    (catalogue[application] ?? [])
      .filter(({ assets, withdrawn }) => !withdrawn && assets.some(({ sha256 }) => EXAMPLE_FILES.includes(sha256)))
      .map(({ version }) => `${application} ${version}`),
  )
