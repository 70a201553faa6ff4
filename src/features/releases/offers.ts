// Decides which releases a client is offered: channel, staged rollout, current version.
import { hash } from 'node:crypto'
import { parse, type SemVer } from 'semver'
import { InvalidVersion, NotPublished } from '../../errors/index.ts'
import type { ChannelList, Published } from './catalogue.ts'
import type { Application, Channel, Release } from './release.ts'

export interface OfferOptions {
  /** Any text that stays the same for one client; staged rollouts depend on it. */
  readonly client: string
  readonly channel: Channel
}

/** The releases of one list that one client is offered. */
export interface Offer {
  /** Equal for all clients that are offered the same releases of a list. */
  readonly key: string
  readonly count: number
  /** The newest release, or the newest that is suitable. */
  newest(isSuitable?: (release: Release) => boolean): Release | undefined
  /** Newest first. */
  all(): readonly Release[]
  newerThan(current: SemVer): Offer
}

export interface Updates {
  /** The newest version, or `current` if that is ahead of everything published. Null: nothing is published. */
  readonly latest: string | null
  /** Only if `current` was given. */
  readonly updateAvailable?: boolean
  /** All releases, or those newer than `current`. */
  readonly offer: Offer
}

export function findUpdates({ releases }: Published, { client, channel }: OfferOptions, currentText?: string): Updates {
  const offer = createOffer(client, releases.launcher[channel])
  const newest = offer.newest()
  if (currentText === undefined) return { latest: newest?.version ?? null, offer }
  const current = parseVersion('current', currentText)
  const newer = offer.newerThan(current)
  // A client that is ahead of everything published gets its own version: any other would be a downgrade.
  const latest = newest && current.compare(newest.order) > 0 ? current.version : (newest?.version ?? null)
  return { latest, updateAvailable: newer.count > 0, offer: newer }
}

/** The newest release that the client is offered, or the given version, which every client may download. */
export function findRelease(
  { releases }: Published,
  application: Application,
  { client, channel }: OfferOptions,
  versionText?: string,
): Release {
  if (versionText === undefined) {
    const newest = createOffer(client, releases[application][channel]).newest()
    if (!newest) throw new NotPublished(`A ${channel} release of ${application}`)
    return newest
  }
  const version = parseVersion('version', versionText)
  const all = releases[application].beta.releases
  const found = all[countNewer(all, version)]
  if (found?.order.compare(version) !== 0) throw new NotPublished(`Version ${version.version} of ${application}`)
  return found
}

export function createOffer(client: string, { releases, staged }: ChannelList): Offer {
  const excluded = staged.filter((index) => {
    const { application, version, rollout } = releases[index]!
    return !isInRollout(client, application, version, rollout)
  })
  return offerUpTo(releases.length, releases, excluded)
}

/** The releases before the index `end`, without the excluded indexes. */
function offerUpTo(end: number, releases: readonly Release[], excluded: readonly number[]): Offer {
  const isOffered = (index: number) => index < end && !excluded.includes(index)
  return {
    key: `${end} ${excluded.join(' ')}`,
    count: end - excluded.length,
    newest: (isSuitable = () => true) => releases.find((release, index) => isOffered(index) && isSuitable(release)),
    all: () => releases.filter((_, index) => isOffered(index)),
    newerThan(current) {
      const newEnd = Math.min(end, countNewer(releases, current))
      const remaining = excluded.filter((index) => index < newEnd)
      return offerUpTo(newEnd, releases, remaining)
    },
  }
}

/**
 * Whether a client belongs to the first `percent` of a release. The same client always gets the same answer, a higher
 * percentage only adds clients, and each release starts with other clients.
 */
export function isInRollout(client: string, application: Application, version: string, percent: number): boolean {
  if (percent >= 100) return true
  const digest = hash('sha256', `${application}\0${version}\0${client}`, 'buffer')
  return (digest.readUInt32BE() / 2 ** 32) * 100 < percent
}

/** Binary search in a list sorted newest first: the number of newer releases, which is also the index of `current`. */
function countNewer(list: readonly Release[], current: SemVer): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]!.order.compare(current) > 0) low = middle + 1
    else high = middle
  }
  return low
}

function parseVersion(parameter: string, text: string): SemVer {
  const version = parse(text)
  if (!version) throw new InvalidVersion(parameter)
  return version
}
