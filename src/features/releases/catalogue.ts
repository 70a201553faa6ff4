// All entries of the operator's files, and those that are public at a given time. Both are immutable.
import { basename } from 'node:path/posix'
import { type Asset, type DownloadSource, guessTraits, type PublishedFile } from './asset.ts'
import { indexLanguages, type LanguageIndex, parseLanguage } from './languages.ts'
import { listLanguages, type NewsItem } from './news.ts'
import { getRollout, listSteps } from './ramp.ts'
import type * as schemas from './read/schemas.ts'
import { type Application, applications, type Publication, parseDate, type Release, type Resources } from './release.ts'
import { compareVersions, parseVersion } from './version.ts'

interface Content {
  readonly releases?: schemas.ReleasesFile | undefined
  readonly resources?: schemas.ResourcesFile | undefined
  readonly tiers?: schemas.TiersFile | undefined
  readonly news?: readonly NewsItem[]
}

/** All entries, newest first, including scheduled and withdrawn ones. */
export interface Catalogue {
  readonly releases: Readonly<Record<Application, readonly Release[]>>
  readonly resources: readonly Resources[]
  readonly tiers: schemas.TiersFile
  readonly news: readonly NewsItem[]
}

/** The public releases of one application. */
export interface ReleaseList {
  /** All that have a file, newest first: the beta channel offers all of them, the stable channel those without `beta`. */
  readonly releases: readonly Release[]
  /** Those that not every client is offered yet. */
  readonly staged: readonly Release[]
  /** By `parsedVersion.key`, also those whose files are missing or were changed. */
  readonly byVersion: ReadonlyMap<string, Release>
  /** The releases for one channel and machine, computed on first use. See offers.ts. */
  readonly offers: Map<string, readonly Offer[]>
}

/** A release that has a file for a machine. */
export interface Offer {
  readonly release: Release
  /** The file that is downloaded unless the client chooses another. */
  readonly asset: Asset
}

/** The public part of a catalogue. */
export interface Published extends Omit<Catalogue, 'releases'> {
  readonly releases: Readonly<Record<Application, ReleaseList>>
  /** Languages of the public news. */
  readonly newsLanguages: LanguageIndex
  /** Languages of all translated release notes. */
  readonly notesLanguages: LanguageIndex
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
    resources: (resources?.resources ?? []).map(toResources).sort(compareNewestFirst),
    tiers,
    news: news.toSorted((a, b) => (a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date < b.date ? 1 : -1)),
  }
}

/** A file that `isAvailable` rejects is not offered. */
export function selectPublished(
  catalogue: Catalogue,
  now: number,
  isAvailable: (file: PublishedFile) => boolean = () => true,
): Published {
  const time = new Date(now).toISOString()
  const isDue = ({ date }: { date: string }) => date <= time
  const news = catalogue.news.filter(isDue)
  return {
    releases: forEachApplication((name) =>
      toReleaseList(
        catalogue.releases[name]
          .filter((release) => isDue(release) && !release.withdrawn)
          .map((release) => (release.ramp ? { ...release, rollout: getRollout(release, now) } : release)),
        isAvailable,
      ),
    ),
    resources: catalogue.resources.filter((resources) => isDue(resources) && !resources.withdrawn),
    tiers: catalogue.tiers,
    news,
    newsLanguages: indexLanguages(news.flatMap(listLanguages)),
    notesLanguages: indexLanguages(
      Object.values(catalogue.releases).flatMap((list) =>
        list.flatMap((release) => Object.keys(release.notesByLanguage ?? {})),
      ),
    ),
    ...computeValidity(now, catalogue),
  }
}

function toReleaseList(all: readonly Release[], isAvailable: (file: PublishedFile) => boolean): ReleaseList {
  const releases = all
    .map((release) =>
      release.assets.every(isAvailable) ? release : { ...release, assets: release.assets.filter(isAvailable) },
    )
    .filter(({ assets }) => assets.length > 0)
  return {
    releases,
    staged: releases.filter(({ rollout }) => rollout < 100),
    byVersion: new Map(all.map((release) => [release.parsedVersion.key, release])),
    offers: new Map(),
  }
}

function computeValidity(now: number, { releases, resources, news }: Catalogue) {
  let validFrom = Number.NEGATIVE_INFINITY
  let validUntil = Number.POSITIVE_INFINITY
  const all = Object.values(releases).flat()
  const times = [...all, ...resources, ...news].map(({ date }) => Date.parse(date))
  const stepTimes = all.flatMap(({ ramp }) => (ramp ? listSteps(ramp).map(({ time }) => time) : []))
  for (const time of [...times, ...stepTimes]) {
    if (time <= now) validFrom = Math.max(validFrom, time)
    else validUntil = Math.min(validUntil, time)
  }
  return { validFrom, validUntil }
}

/** A version such as 2.1.0-beta.1 is a beta, unless its record says otherwise. */
export const isBeta = ({ version, beta }: Pick<schemas.ReleaseRecord, 'version' | 'beta'>) =>
  beta ?? (parseVersion(version)?.prerelease.length ?? 0) > 0

// The schema has validated the records: versions and dates are valid, and each file has either a name or a URL.

function toRelease(application: Application, record: schemas.ReleaseRecord): Release {
  const { rollout = 100, withdrawn = false, ramp } = record
  return {
    ...toPublication(record),
    application,
    beta: isBeta(record),
    ...toNotes(record.notes),
    rollout: ramp?.steps[0] ?? rollout,
    ramp: ramp && { ...ramp, start: parseDate(ramp.start ?? record.date)! },
    withdrawn,
    minimum: parseVersion(record.minimum ?? ''),
    autoUpdateFrom: parseVersion(record.autoUpdateFrom ?? ''),
    assets: listAssets(record),
  }
}

function toNotes(notes: schemas.Notes = '') {
  if (typeof notes === 'string') return { notes }
  const entries = Object.entries(notes).map(([tag, text]) => [parseLanguage(tag)!, text] as const)
  return { notes: entries[0]![1], notesByLanguage: Object.fromEntries(entries) }
}

/** A record without `assets` is its only asset. */
export const listAssets = (record: schemas.ReleaseRecord): Asset[] =>
  (record.assets ?? [record as schemas.AssetRecord]).map(toAsset)

function toAsset(record: schemas.AssetRecord): Asset {
  const file = toFile(record)
  const guess = guessTraits(file.name)
  const { platform = guess.platform, arch = guess.arch, kind = guess.kind } = record
  const { sha1, sha512, blockMapSize, signature } = record
  const date = parseDate(record.date ?? '')
  return { ...file, platform, arch, kind, date, sha1, sha512, blockMapSize, signature }
}

const toResources = (record: schemas.ResourcesRecord): Resources => ({
  ...toPublication(record),
  ...toFile(record),
  withdrawn: record.withdrawn ?? false,
})

const toPublication = ({ version, date }: Pick<schemas.ResourcesRecord, 'version' | 'date'>): Publication => ({
  version,
  parsedVersion: parseVersion(version)!,
  date: parseDate(date)!,
})

type FileFields = Pick<schemas.ResourcesRecord, 'file' | 'url' | 'bytes' | 'sha256'>

function toFile({ file, url, bytes, sha256 }: FileFields): PublishedFile {
  // `href` percent-encodes letters that a Location header cannot contain.
  const source: DownloadSource = file === undefined ? { url: new URL(url!).href } : { file }
  return { source, name: getFileName(source), bytes, sha256: sha256.toLowerCase() }
}

export function getFileName({ file, url }: DownloadSource): string {
  if (file !== undefined) return file
  const lastSegment = basename(new URL(url).pathname)
  try {
    return decodeURIComponent(lastSegment) || 'download'
  } catch {
    return lastSegment
  }
}

const compareNewestFirst = (a: Publication, b: Publication) => compareVersions(b.parsedVersion, a.parsedVersion)

const forEachApplication = <T>(create: (name: Application) => T) =>
  Object.fromEntries(applications.map((name) => [name, create(name)])) as Record<Application, T>
