// Which releases a client is offered.
import { parse, type SemVer } from 'semver'
import { InvalidVersion } from '../../errors/index.ts'
import type { Channel } from './applications.ts'
import type { ChannelList, Published } from './published.ts'
import type { Release } from './release.ts'
import { isInRollout } from './rollout.ts'

/** The client that asks for releases. */
export interface OfferOptions {
  /** Any text that stays the same for one client: it decides about staged rollouts. */
  readonly client: string
  readonly channel: Channel
}

/** What one client is offered of one list. */
export interface Offer {
  /** Equal for all clients that are offered the same of one list. */
  readonly key: string
  readonly count: number
  /** The newest one, or the newest that is suited. */
  newest(isSuited?: (release: Release) => boolean): Release | undefined
  /** Newest first; costs time in proportion to the list. */
  all(): readonly Release[]
  newerThan(current: SemVer): Offer
}

export interface Updates {
  /** The version to run: the newest one, or `current` if that is ahead of everything published. Null: none is published. */
  readonly latest: string | null
  /** Only if `current` was given. */
  readonly updateAvailable?: boolean
  /** All releases, or those newer than `current`. */
  readonly offer: Offer
}

export function findUpdates({ releases }: Published, { client, channel }: OfferOptions, currentText?: string): Updates {
  const offer = offerTo(client, releases.launcher[channel])
  const newest = offer.newest()
  if (currentText === undefined) return { latest: newest?.version ?? null, offer }
  const current = versionGiven('current', currentText)
  const newer = offer.newerThan(current)
  // A client that is ahead of everything published is told its own version: any other would be a downgrade.
  const latest = newest && current.compare(newest.order) > 0 ? current.version : (newest?.version ?? null)
  return { latest, updateAvailable: newer.count > 0, offer: newer }
}

export function offerTo(client: string, { releases, staged }: ChannelList): Offer {
  const held = staged.filter((index) => !reaches(releases[index]!, client))
  return offerOf(releases, held, releases.length)
}

/** The releases before `end`, without those at the places `held`. */
function offerOf(releases: readonly Release[], held: readonly number[], end: number): Offer {
  const isOffered = (index: number) => index < end && !held.includes(index)
  return {
    key: `${end} ${held.join(' ')}`,
    count: end - held.length,
    newest: (isSuited = () => true) => releases.find((release, index) => isOffered(index) && isSuited(release)),
    all: () => releases.filter((_, index) => isOffered(index)),
    newerThan(current) {
      const newEnd = Math.min(end, countNewer(releases, current))
      const stillHeld = held.filter((index) => index < newEnd)
      return offerOf(releases, stillHeld, newEnd)
    },
  }
}

const reaches = ({ application, version, rollout }: Release, client: string) =>
  isInRollout(client, application, version, rollout)

/** How many of a list that is sorted newest first are newer than `current`; also where `current` itself would be. */
export function countNewer(list: readonly Release[], current: SemVer): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle]!.order.compare(current) > 0) low = middle + 1
    else high = middle
  }
  return low
}

export function versionGiven(parameter: string, text: string): SemVer {
  const version = parse(text)
  if (!version) throw new InvalidVersion(parameter)
  return version
}
