// All entries of the operator's files, and those that are public at a given time. Both are immutable.
import { basename } from 'node:path/posix'
import { parse, prerelease } from 'semver'
import type { ReleaseRecord, ReleasesFile, ResourcesFile, ResourcesRecord, TiersFile } from './read/schemas.ts'
import {
  type Application,
  applications,
  type Channel,
  type Downloadable,
  type DownloadSource,
  type NewsItem,
  parseDate,
  type Release,
} from './release.ts'

interface Content {
  readonly releases?: ReleasesFile | undefined
  readonly resources?: ResourcesFile | undefined
  readonly tiers?: TiersFile | undefined
  readonly news?: readonly NewsItem[]
}

/** All entries, newest first, including scheduled and withdrawn ones. */
export interface Catalogue {
  readonly releases: Readonly<Record<Application, readonly Release[]>>
  readonly resources: readonly Downloadable[]
  readonly tiers: TiersFile
  readonly news: readonly NewsItem[]
}

export interface ChannelList {
  /** Newest first. */
  readonly releases: readonly Release[]
  /** Indexes of the releases that not every client is offered yet. */
  readonly staged: readonly number[]
}

/** The public part of a catalogue. */
export interface Published extends Omit<Catalogue, 'releases'> {
  /** The beta channel contains the stable releases, too. */
  readonly releases: Readonly<Record<Application, Readonly<Record<Channel, ChannelList>>>>
  /** The selection is valid from this time (ms, inclusive) … */
  readonly validFrom: number
  /** … to this time (exclusive). */
  readonly validUntil: number
}

export function buildCatalogue({ releases, resources, tiers = {}, news = [] }: Content): Catalogue {
  return {
    releases: forEachApplication((name) =>
      (releases?.[name] ?? []).map((record) => toRelease(name, record)).sort(compareNewestFirst),
    ),
    resources: (resources?.resources ?? []).map(toDownloadable).sort(compareNewestFirst),
    tiers,
    news: news.toSorted((a, b) => (a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date < b.date ? 1 : -1)),
  }
}

export function selectPublished(catalogue: Catalogue, now: number): Published {
  const time = new Date(now).toISOString()
  const isDue = ({ date }: { date: string }) => date <= time
  return {
    releases: forEachApplication((name) => {
      const beta = catalogue.releases[name].filter((release) => isDue(release) && !release.withdrawn)
      return { beta: toChannelList(beta), stable: toChannelList(beta.filter((release) => !release.beta)) }
    }),
    resources: catalogue.resources.filter(isDue),
    tiers: catalogue.tiers,
    news: catalogue.news.filter(isDue),
    ...computeValidity(now, catalogue),
  }
}

const toChannelList = (releases: Release[]): ChannelList => ({
  releases,
  staged: releases.flatMap(({ rollout }, index) => (rollout < 100 ? [index] : [])),
})

function computeValidity(now: number, { releases, resources, news }: Catalogue) {
  let validFrom = Number.NEGATIVE_INFINITY
  let validUntil = Number.POSITIVE_INFINITY
  for (const { date } of [...Object.values(releases).flat(), ...resources, ...news]) {
    const time = Date.parse(date)
    if (time <= now) validFrom = Math.max(validFrom, time)
    else validUntil = Math.min(validUntil, time)
  }
  return { validFrom, validUntil }
}

/** A version such as 2.1.0-beta.1 is a beta, unless its record says otherwise. */
export const isBeta = ({ version, beta = prerelease(version) !== null }: Pick<ReleaseRecord, 'version' | 'beta'>) =>
  beta

function toRelease(application: Application, record: ReleaseRecord): Release {
  const { notes = '', rollout = 100, withdrawn = false, sha512, signature } = record
  const beta = isBeta(record)
  return { ...toDownloadable(record), application, beta, notes, rollout, withdrawn, sha512, signature }
}

/** The schema has validated the record: version and date are valid, and it has either a file or a URL. */
function toDownloadable({ version, date, bytes, sha256, file, url }: ResourcesRecord): Downloadable {
  // `href` percent-encodes letters that a Location header cannot contain.
  const source: DownloadSource = file === undefined ? { url: new URL(url!).href } : { file }
  return {
    version,
    order: parse(version)!,
    date: parseDate(date)!,
    bytes,
    sha256: sha256.toLowerCase(),
    source,
    name: getFileName(source),
  }
}

function getFileName({ file, url }: DownloadSource): string {
  if (file !== undefined) return file
  const lastSegment = basename(new URL(url).pathname)
  try {
    return decodeURIComponent(lastSegment) || 'download'
  } catch {
    return lastSegment
  }
}

const compareNewestFirst = (a: Downloadable, b: Downloadable) => b.order.compare(a.order)

const forEachApplication = <T>(create: (name: Application) => T) =>
  Object.fromEntries(applications.map((name) => [name, create(name)])) as Record<Application, T>
