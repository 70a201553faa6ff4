// From a wish for a download to the file or the place elsewhere.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileGone, NotPublished } from '../../errors/index.ts'
import { resolveInside } from '../../platform/files/index.ts'
import type { Application } from './applications.ts'
import { countNewer, type OfferOptions, offerTo, versionGiven } from './offers.ts'
import type { Catalogue, Published } from './published.ts'
import type { Problem } from './read/problem.ts'
import type { Downloadable, Release } from './release.ts'

export type Download =
  | {
      readonly kind: 'redirect'
      readonly version: string
      readonly name: string
      readonly url: string
      readonly bytes: number
    }
  | {
      readonly kind: 'file'
      readonly version: string
      /** Absolute; it was there at the last look. Where opening it fails, the answer is FileGone. */
      readonly path: string
      readonly name: string
      readonly bytes: number
      readonly sha256: string
      /** ISO 8601, UTC. */
      readonly date: string
    }

/** The real paths of the files that are there as published, by name. */
export type Present = ReadonlyMap<string, string>

export function findRelease(
  published: Published,
  application: Application,
  { client, channel }: OfferOptions,
  version?: string,
) {
  if (version === undefined) {
    const newest = offerTo(client, published.releases[application][channel]).newest()
    if (!newest) throw new NotPublished(`A ${channel} release of ${application}`)
    return newest
  }
  const wanted = versionGiven('version', version)
  // A version that is named is given to anybody: channel and rollout only decide what is offered.
  const all = published.releases[application].beta.releases
  const found = all[countNewer(all, wanted)]
  if (found?.order.compare(wanted) !== 0) throw new NotPublished(`Version ${wanted.version} of ${application}`)
  return found
}

export function downloadOf({ version, date, bytes, sha256, source, name }: Downloadable, present: Present): Download {
  if (source.url !== undefined) return { kind: 'redirect', version, name, url: source.url, bytes }
  const path = present.get(source.file)
  if (!path) throw new FileGone(version)
  return { kind: 'file', version, path, name, bytes, sha256, date }
}

/** Looks which files of ours are there. One of another size is not what was published, and is not handed out. */
export async function lookForFiles(dir: string, { releases, resources }: Catalogue) {
  const present = new Map<string, string>()
  const problems: Problem[] = []
  const folder = join(dir, 'files')
  const wanted = [...Object.values(releases).flat(), ...resources].filter((entry) => !isWithdrawn(entry))
  for (const { version, bytes, source } of wanted) {
    if (source.file === undefined) continue
    const path = await resolveInside(folder, source.file)
    const size = path && (await sizeOf(path))
    if (size === bytes) {
      present.set(source.file, path!)
      continue
    }
    const state = size === undefined ? 'is missing' : `has ${size} bytes instead of ${bytes}`
    const message = `The file of ${version} ${state}; put it back, or withdraw the release`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'file-gone', message })
  }
  return { present, problems }
}

const isWithdrawn = (entry: Downloadable | Release) => 'withdrawn' in entry && entry.withdrawn

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? found.size : undefined
}
