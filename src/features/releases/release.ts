import { basename } from 'node:path/posix'
import { parse, prerelease, type SemVer } from 'semver'
import type { Application } from './applications.ts'
import { parseDate } from './dates.ts'
import type { ReleaseRecord, ResourcesRecord } from './read/schema.ts'

/** A file of ours, or a place elsewhere. */
export type Source =
  | { readonly file: string; readonly url?: undefined }
  | { readonly url: string; readonly file?: undefined }

export interface Downloadable {
  readonly version: string
  /** For comparing without parsing again. */
  readonly order: SemVer
  /** ISO 8601, UTC. */
  readonly date: string
  readonly bytes: number
  readonly sha256: string
  readonly source: Source
  /** Of the file, wherever it is. */
  readonly name: string
}

export interface Release extends Downloadable {
  readonly application: Application
  readonly beta: boolean
  readonly notes: string
  readonly rollout: number
  readonly withdrawn: boolean
  readonly sha512?: string | undefined
  readonly signature?: string | undefined
}

export function releaseFrom(application: Application, record: ReleaseRecord): Release {
  const { version, notes = '', rollout = 100, withdrawn = false, sha512, signature } = record
  const beta = record.beta ?? prerelease(version) !== null
  return { ...downloadable(record), application, beta, notes, rollout, withdrawn, sha512, signature }
}

/** A record has passed its schema: the version and date are valid, and it has a file or a URL. */
export function downloadable({ version, date, bytes, sha256, file, url }: ResourcesRecord): Downloadable {
  // As it can stand in a header: a URL may be written with letters of any alphabet.
  const source: Source = file === undefined ? { url: new URL(url!).href } : { file }
  return {
    version,
    order: parse(version)!,
    date: parseDate(date)!,
    bytes,
    sha256: sha256.toLowerCase(),
    source,
    name: nameOf(source),
  }
}

function nameOf({ file, url }: Source): string {
  if (file !== undefined) return file
  const last = basename(new URL(url).pathname)
  try {
    return decodeURIComponent(last) || 'download'
  } catch {
    return last
  }
}

export const newestFirst = (a: Downloadable, b: Downloadable) => b.order.compare(a.order)
