// The files that releases offer: finding them on disk, resolving downloads, verifying digests.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileGone } from '../../errors/index.ts'
import { resolveInside } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import type { PublishedFile } from './asset.ts'
import type { Catalogue } from './catalogue.ts'
import { computeDigest } from './publish/source.ts'
import type { Publication } from './release.ts'

export type Download = ReturnType<typeof toDownload>

/** Real paths of the existing files in `files/`, by name. */
export type AvailableFiles = ReadonlyMap<string, string>

/** `path` existed at the last check. If it cannot be opened, the answer is FileGone. */
export function toDownload({ version, date }: Publication, file: PublishedFile, availableFiles: AvailableFiles) {
  const { bytes, sha256, source, name } = file
  if (source.url !== undefined) return { kind: 'redirect' as const, version, name, url: source.url, bytes }
  const path = availableFiles.get(source.file)
  if (!path) throw new FileGone(version)
  return { kind: 'file' as const, version, path, name, bytes, sha256, date }
}

/** Finds the published files on disk. A file of another size is not the published one, so it is not served. */
export async function findFiles(dir: string, catalogue: Catalogue) {
  const availableFiles = new Map<string, string>()
  const problems: Problem[] = []
  const folder = join(dir, 'files')
  for (const { version, bytes, source } of listFiles(catalogue)) {
    if (source.file === undefined) continue
    const path = await resolveInside(folder, source.file)
    const size = path && (await getFileSize(path))
    if (size === bytes) {
      availableFiles.set(source.file, path!)
      continue
    }
    const state = size === undefined ? 'is missing' : `has ${size} bytes instead of ${bytes}`
    const message = `The file of version ${version} ${state}; restore it, or withdraw the release`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'file-gone', message })
  }
  return { availableFiles, problems }
}

/** The files of all releases that are not withdrawn, and of the resources, with their versions. */
const listFiles = ({ releases, resources }: Catalogue): (PublishedFile & { readonly version: string })[] => [
  ...Object.values(releases)
    .flat()
    .filter(({ withdrawn }) => !withdrawn)
    .flatMap(({ version, assets }) => assets.map((asset) => ({ ...asset, version }))),
  ...resources,
]

async function getFileSize(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? found.size : undefined
}

/** Reads every published file, and reports those that are missing or have another digest. */
export async function verifyFiles(dir: string, catalogue: Catalogue, signal?: AbortSignal) {
  const { availableFiles, problems } = await findFiles(dir, catalogue)
  const entries = listFiles(catalogue).flatMap((entry) => {
    const path = availableFiles.get(entry.source.file ?? '')
    return path === undefined ? [] : [{ ...entry, path }]
  })
  for (const { version, sha256, source, path } of entries) {
    const digest = await computeDigest(createReadStream(path, { signal }))
    if (digest.sha256 === sha256) continue
    const message = `The file of version ${version} is not the published one: its SHA-256 is ${digest.sha256}`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'digest', message })
  }
  return { files: availableFiles.size, problems }
}
