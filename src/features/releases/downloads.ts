// The files that releases offer: finding them on disk, resolving downloads, verifying digests.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileGone } from '../../errors/index.ts'
import { resolveInside } from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import type { Catalogue } from './catalogue.ts'
import { computeDigest } from './publish/source.ts'
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
      /** Absolute path of a file that existed at the last check. If it cannot be opened, the answer is FileGone. */
      readonly path: string
      readonly name: string
      readonly bytes: number
      readonly sha256: string
      /** ISO 8601, UTC. */
      readonly date: string
    }

/** Real paths of the existing files in `files/`, by name. */
export type AvailableFiles = ReadonlyMap<string, string>

export function toDownload(entry: Downloadable, availableFiles: AvailableFiles): Download {
  const { version, date, bytes, sha256, source, name } = entry
  if (source.url !== undefined) return { kind: 'redirect', version, name, url: source.url, bytes }
  const path = availableFiles.get(source.file)
  if (!path) throw new FileGone(version)
  return { kind: 'file', version, path, name, bytes, sha256, date }
}

/** Finds the published files on disk. A file of another size is not the published one, so it is not served. */
export async function findFiles(dir: string, { releases, resources }: Catalogue) {
  const availableFiles = new Map<string, string>()
  const problems: Problem[] = []
  const folder = join(dir, 'files')
  const entries = [...Object.values(releases).flat(), ...resources].filter((entry) => !isWithdrawn(entry))
  for (const { version, bytes, source } of entries) {
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

const isWithdrawn = (entry: Downloadable | Release) => 'withdrawn' in entry && entry.withdrawn

async function getFileSize(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? found.size : undefined
}

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined
}

export interface VerifyResult {
  readonly files: number
  readonly bytes: number
  readonly problems: readonly Problem[]
}

/** Reads every published file, and reports those that are missing or have another digest. */
export async function verifyFiles(
  dir: string,
  catalogue: Catalogue,
  { signal, onProgress }: VerifyOptions = {},
): Promise<VerifyResult> {
  const { availableFiles, problems } = await findFiles(dir, catalogue)
  const entries = [...Object.values(catalogue.releases).flat(), ...catalogue.resources].flatMap((entry) => {
    const path = availableFiles.get(entry.source.file ?? '')
    return path === undefined ? [] : [{ ...entry, path }]
  })
  const totalBytes = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  let doneBytes = 0
  for (const { version, bytes, sha256, source, path } of entries) {
    const digest = await computeDigest(createReadStream(path, { signal }), {
      onProgress: (partBytes) => onProgress?.(doneBytes + partBytes, totalBytes),
    })
    doneBytes += bytes
    if (digest.sha256 === sha256) continue
    const message = `The file of version ${version} is not the published one: its SHA-256 is ${digest.sha256}`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'digest', message })
  }
  return { files: availableFiles.size, bytes: totalBytes, problems }
}
