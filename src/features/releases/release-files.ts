// The files that releases offer: finding them on disk, resolving downloads, verifying digests.
import { createReadStream } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { FileGone } from '../../errors/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import {
  computeSha256,
  type FileState,
  isPlainName,
  type Pieces,
  resolveInside,
  statFile,
  statFiles,
  streamUnchanged,
  toFileState,
} from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import type { AssetKind, PublishedFile } from './asset.ts'
import type { Catalogue } from './catalogue.ts'
import type { Publication } from './release.ts'

export type Download = ReturnType<typeof toDownload>
export type FileDownload = Extract<Download, { kind: 'file' }>

/** A published file as it was at the last check: it had the published size, and no other digest is known. */
interface AvailableFile {
  /** The real path. */
  readonly path: string
  readonly state: FileState
  readonly sha256: string
}

/** By name in `files/`. */
export type AvailableFiles = ReadonlyMap<string, AvailableFile>

export function toDownload(
  { version, date }: Publication,
  file: PublishedFile & { readonly kind?: AssetKind; readonly date?: string | undefined },
  availableFiles: AvailableFiles,
) {
  const { bytes, sha256, source, name } = file
  // A blockmap only tells electron-updater which parts of a file to download.
  const download = { version, name, bytes, isCounted: file.kind !== 'blockmap' }
  if (source.url !== undefined) return { ...download, kind: 'redirect' as const, url: source.url }
  const available = availableFiles.get(source.file)
  if (!available) throw new FileGone(version)
  // A client that only compares dates must notice that the file was replaced.
  const modifiedAt = file.date !== undefined && file.date > date ? file.date : date
  return { ...download, kind: 'file' as const, path: available.path, sha256, modifiedAt }
}

/** Digests of files. A file is read once, and again after each change. */
type Digests = ReturnType<typeof createDigests>

const MAX_DIGESTS = 50_000
/** Files that are read at a time: a digest takes time of the main thread, in which other clients wait. */
const MAX_READING = 2
const VERIFICATION = ['verification']
/** In place of a digest. */
const UNREADABLE = 'unreadable'

/** Who downloads a file. */
export interface Downloader {
  readonly client: string
  readonly signal: AbortSignal
}

interface Digest {
  readonly version: string
  readonly computing: Promise<string>
  sha256?: string
}

export function createDigests() {
  const digests = new LRUCache<string, Digest>({
    // With `max`, the cache would allocate all of its places at once.
    maxSize: MAX_DIGESTS,
    sizeCalculation: () => 1,
  })
  /** Clients take turns, so that none can delay the downloads of others by requesting all files. */
  const turns = createFairSemaphore({ maxRunning: MAX_READING, maxRunningPerGroup: 1 })

  return {
    /** Undefined if this state of the file has not been read yet. */
    find: (path: string, state: FileState): string | undefined => findDigest(path, state)?.sha256,
    /** A file on a network disk may become readable without another state. */
    retry: (path: string, state: FileState) => complete(path, begin(path, state)),
    /** The state must be settled. Undefined if the file changes meanwhile or cannot be read. */
    async compute(path: string, state: FileState, downloader?: Downloader): Promise<string | undefined> {
      const known = findDigest(path, state)
      if (known) return complete(path, known)
      const networks = downloader ? listNetworks(downloader.client) : VERIFICATION
      using _turn = await turns.acquire(networks, downloader?.signal)
      // Another request may have begun to read it.
      return await complete(path, findDigest(path, state) ?? begin(path, state))
    },
  }

  function findDigest(path: string, { version }: FileState): Digest | undefined {
    const digest = digests.get(path)
    return digest?.version === version ? digest : undefined
  }

  function begin(path: string, state: FileState): Digest {
    const computing = computeSha256(streamState(path, state, [{ start: 0, end: state.size - 1 }]))
    const digest = { version: state.version, computing }
    digests.set(path, digest)
    return digest
  }

  async function complete(path: string, digest: Digest): Promise<string | undefined> {
    try {
      digest.sha256 = await digest.computing
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') digest.sha256 = UNREADABLE
      else if (digests.get(path) === digest) digests.delete(path)
    }
    return digest.sha256
  }
}

const streamState = (path: string, { version }: FileState, pieces: Pieces) =>
  streamUnchanged(path, (stats) => toFileState(stats).version === version, pieces, { reuseBuffer: true })

/** Returns a function that streams the file. Undefined if it is not the published one any more. */
export async function openFile(digests: Digests, { path, bytes, sha256 }: FileDownload, downloader: Downloader) {
  const state = await readSettledState(path)
  if (state?.size !== bytes || (await digests.compute(path, state, downloader)) !== sha256) return undefined
  return (pieces: Pieces) => streamState(path, state, pieces)
}

/**
 * Finds the published files on disk. A file of another size or digest is not the published one, so it is not served. The
 * problems of a running service, which has digests, are public: they do not name what is scheduled.
 */
export async function findFiles(dir: string, catalogue: Catalogue, digests?: Digests) {
  const availableFiles = new Map<string, AvailableFile>()
  const problems: Problem[] = []
  const files = listFiles(catalogue).flatMap(({ source, ...file }) =>
    source.file === undefined ? [] : [{ ...file, name: source.file }],
  )
  const found = await readStates(
    join(dir, 'files'),
    files.map(({ name }) => name),
  )
  const now = new Date().toISOString()
  for (const { version, date, bytes, sha256, name } of files) {
    const { path, state } = found.get(name) ?? {}
    let digest = state && digests?.find(path!, state)
    if (digest === UNREADABLE) digest = await digests!.retry(path!, state!)
    if (state?.size === bytes && (digest ?? sha256) === sha256) {
      availableFiles.set(name, { path: path!, state, sha256 })
      continue
    }
    const difference = !state
      ? 'is missing'
      : digest === UNREADABLE
        ? 'is not readable for the user of the service'
        : state.size === bytes
          ? 'was changed: it has another SHA-256'
          : `has ${state.size} bytes instead of ${bytes}`
    const isSecret = digests !== undefined && date > now
    const subject = isSecret ? 'A file of a scheduled version, which "doctor" names,' : `The file of version ${version}`
    const message = `${subject} ${difference}; restore it from a backup or another node, or withdraw the release`
    problems.push({ file: isSecret ? 'files' : `files/${name}`, line: 1, rule: 'file-gone', message })
  }
  return { availableFiles, problems }
}

/** By name. A long history has many files: those of the folder itself are examined together. */
async function readStates(folder: string, names: readonly string[]) {
  const states = new Map<string, { readonly path: string; readonly state: FileState }>()
  const root = names.length > 0 ? await realpath(folder).catch(() => undefined) : undefined
  if (root === undefined) return states
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const own = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
  const isOwn = (name: string) => own.has(name) && isPlainName(name)
  for (const [name, state] of await statFiles(root, names.filter(isOwn), toFileState)) {
    if (state.isFile) states.set(name, { path: join(root, name), state })
  }
  for (const name of names) {
    const path = isOwn(name) ? undefined : await resolveInside(root, name)
    const state = path === undefined ? undefined : await readState(path)
    if (state) states.set(name, { path: path!, state })
  }
  return states
}

async function readState(path: string): Promise<FileState | undefined> {
  const stats = await statFile(path)
  return !stats || stats instanceof Error || !stats.isFile() ? undefined : toFileState(stats)
}

/**
 * Clocks of file systems tick every few milliseconds: right after a change, another one may not change the state. Waits
 * once. Undefined if there is no such file, or if it still changes.
 */
async function readSettledState(path: string): Promise<FileState | undefined> {
  let state = await readState(path)
  if (state && state.settleMs > 0) {
    await setTimeout(state.settleMs)
    state = await readState(path)
  }
  return state?.settleMs === 0 ? state : undefined
}

/** Reads the files that were added or changed. Returns whether one of them is not the published one. */
export async function verifyChanges(digests: Digests, before: AvailableFiles, after: AvailableFiles): Promise<boolean> {
  let isWrong = false
  for (const [name, { path, state, sha256 }] of after) {
    if (before.get(name)?.state.version === state.version) continue
    const settled = await readSettledState(path)
    // If it gets no turn, it is read at its first download.
    const digest = settled && (await digests.compute(path, settled).catch(() => undefined))
    isWrong ||= digest !== undefined && digest !== sha256
  }
  return isWrong
}

/** The files of all releases and resources that are not withdrawn, with their versions and dates. */
const listFiles = ({ releases, resources }: Catalogue): (PublishedFile & Pick<Publication, 'version' | 'date'>)[] => [
  ...Object.values(releases)
    .flat()
    .filter(({ withdrawn }) => !withdrawn)
    .flatMap(({ version, date, assets }) => assets.map((asset) => ({ ...asset, version, date }))),
  ...resources.filter(({ withdrawn }) => !withdrawn),
]

/** Reads every published file, and reports those that are missing or have another digest. */
export async function verifyFiles(dir: string, catalogue: Catalogue, signal?: AbortSignal) {
  const { availableFiles, problems } = await findFiles(dir, catalogue)
  const entries = listFiles(catalogue).flatMap((entry) => {
    const available = availableFiles.get(entry.source.file ?? '')
    return available ? [{ ...entry, path: available.path }] : []
  })
  for (const { version, sha256, source, path } of entries) {
    const digest = await computeSha256(createReadStream(path, { signal }))
    if (digest === sha256) continue
    const message = `The file of version ${version} is not the published one: its SHA-256 is ${digest}`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'digest', message })
  }
  return { files: availableFiles.size, problems }
}
