// Decides which releases a client is offered: channel, staged rollout, current version.
import { hash } from 'node:crypto'
import { parse, type SemVer } from 'semver'
import { InvalidVersion, NotPublished } from '../../errors/index.ts'
import type { ChannelList, Published } from './catalogue.ts'
import { type Application, parseChannel, type Release } from './release.ts'

export interface OfferOptions {
  /** Any text that stays the same for one client, such as its key or address; staged rollouts depend on it. */
  readonly client: string
  readonly channel?: string | undefined
}

export interface Updates {
  /** The newest version that the client is offered, or `current` if that is newer. Null if it is offered none. */
  readonly latest: string | null
  /** Only if `current` was given. */
  readonly updateAvailable?: boolean
  /** All releases, or those newer than `current`. Newest first. */
  readonly updates: readonly Release[]
}

export function findUpdates(
  { releases }: Published,
  { client, channel, current: currentText }: OfferOptions & { readonly current?: string | undefined },
): Updates {
  const offered = selectOffered(client, releases.launcher[parseChannel(channel)])
  const [newest] = offered
  const latest = newest?.version ?? null
  if (currentText === undefined) return { latest, updates: offered }
  const current = parseVersion('current', currentText)
  const end = offered.findIndex(({ order }) => order.compare(current) <= 0)
  const updates = end === -1 ? offered : offered.slice(0, end)
  // A client that is ahead of everything offered gets its own version: any other would be a downgrade.
  const isAhead = newest && current.compare(newest.order) > 0
  return { latest: isAhead ? current.version : latest, updateAvailable: updates.length > 0, updates }
}

/** The newest release that the client is offered, or the given version, which every client may download. */
export function findRelease(
  { releases }: Published,
  application: Application,
  { client, channel: channelText, version: versionText }: OfferOptions & { readonly version?: string | undefined },
): Release {
  const channel = parseChannel(channelText)
  if (versionText === undefined) {
    const [newest] = selectOffered(client, releases[application][channel])
    if (!newest) throw new NotPublished(`a ${channel} release of ${application}`)
    return newest
  }
  const { version } = parseVersion('version', versionText)
  const found = releases[application].beta.releases.find((release) => release.version === version)
  if (!found) throw new NotPublished(`version ${version} of ${application}`)
  return found
}

function selectOffered(client: string, list: ChannelList): readonly Release[] {
  const excluded = findExcluded(client, list)
  return excluded.length === 0 ? list.releases : list.releases.filter((_, index) => !excluded.includes(index))
}

/** Indexes of the releases that have not been rolled out to the client. */
export function findExcluded(client: string, { releases, staged }: ChannelList): number[] {
  return staged.filter((index) => {
    const { application, version, rollout } = releases[index]!
    return !isInRollout(client, application, version, rollout)
  })
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

function parseVersion(parameter: string, text: string): SemVer {
  const version = parse(text)
  if (!version) throw new InvalidVersion(parameter)
  return version
}
