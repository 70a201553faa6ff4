// The folder of a backup: store.sqlite, content/ and manifest.json, which is written last and lists all files.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, mkdir, readdir, realpath, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  computeSha256,
  describeWithoutPath,
  giveTo,
  hasSpace,
  makeFolder,
  mayChangeUnnoticed,
  writeAtomically,
} from '../../platform/files/index.ts'
import {
  type BackedUpFile,
  CONTENT,
  describeKept,
  findKept,
  listBackups,
  lockBackups,
  MANIFEST,
  nameBackup,
  orderByAge,
  STORE_FILE,
} from './list-backups.ts'

const UNFINISHED = '.unfinished-'

/**
 * The files of the content folder, without the folders `excluded`. Names that start with a dot belong to changes in
 * progress. `onUnnamed` gets what has a name that is not UTF-8: Node replaces its characters, and cannot read it.
 */
export async function listContent(
  contentDir: string,
  excluded: readonly string[],
  onUnnamed: (path: string) => void = () => {},
): Promise<string[]> {
  const files: string[] = []
  // One of them may be reached through a link.
  const skipped = await Promise.all(excluded.map((folder) => realpath(folder).catch(() => folder)))
  if (skipped.includes(await realpath(contentDir)))
    throw new Error('CONTENT_DIR is also DATA_DIR or BACKUP_DIR: use different folders')
  const addFolder = async (folder: string, above: readonly string[]): Promise<void> => {
    // A link may lead to a folder above it.
    const real = await realpath(folder)
    if (skipped.includes(real) || above.includes(real)) return
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      if (entry.name.includes('\ufffd') && !existsSync(path)) {
        onUnnamed(path.slice(contentDir.length + 1))
        continue
      }
      // Links to files and folders are followed; they may also lead nowhere.
      const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry
      if (found?.isDirectory()) await addFolder(path, [...above, real])
      else if (found?.isFile()) files.push(path.slice(contentDir.length + 1))
    }
  }
  await addFolder(contentDir, [])
  return files.sort()
}

/** A file of the content folder. */
type Source = Required<Omit<BackedUpFile, 'sha256'>>

const isSame = (a: Omit<BackedUpFile, 'sha256'> | undefined, b: Source) =>
  a?.bytes === b.bytes && a.modified === b.modified && a.changed === b.changed

/** Changes take seconds, and later passes copy only what was changed. */
const MAX_PASSES = 10

export interface BackupOptions {
  readonly dir: string
  readonly contentDir: string
  /** It may be below the content folder. */
  readonly dataDir: string
  /** Records the folder of the last backup. */
  readonly lastFolderFile?: string
  /** How many backups are kept. */
  readonly keep: number
  /** Estimated size of the store. */
  readonly storeBytes: number
  /** Writes the store into a new file and verifies it. */
  readonly writeStore: (file: string) => Promise<unknown>
  /** The total of the counts in the store. */
  readonly countDownloads: () => Promise<number>
  readonly now?: number
  readonly signal?: AbortSignal
}

/** Makes a backup, verifies it, and only then removes old ones. Throws and leaves no backup otherwise. */
export async function createBackup(options: BackupOptions) {
  await makeFolder(options.dir, 0o700)
  using _lock = await lockBackups(options.dir)
  return await writeBackup(options)
}

async function writeBackup(options: BackupOptions) {
  const { dir, contentDir, dataDir, lastFolderFile, keep, storeBytes, writeStore, countDownloads, signal } = options
  const unfinished = (await readdir(dir)).filter((other) => other.startsWith(UNFINISHED))
  for (const other of unfinished) await rm(join(dir, other), { recursive: true, force: true })
  // Another backup may have been made in the same second.
  let { now = Date.now() } = options
  while (existsSync(join(dir, nameBackup(now)))) now += 1000
  const backups = orderByAge(await listBackups(dir), now)
  const previous = new Map(backups.at(-1)?.files.map((file) => [file.path, file]))
  const previousDir = join(dir, backups.at(-1)?.name ?? '')
  const name = nameBackup(now)
  const folder = join(dir, `${UNFINISHED}${name}`)

  /** What is wrong with this backup, or with earlier ones. */
  let problem: string | undefined
  const reportUnnamed = (path: string) => {
    problem ??= `the backup lacks a file or folder whose name is not UTF-8: rename ${path}`
  }
  const findSources = async (): Promise<readonly Source[]> => {
    const sources: Source[] = []
    for (const path of await listContent(contentDir, [dir, dataDir], reportUnnamed)) {
      const found = await stat(join(contentDir, path)).catch(() => undefined)
      if (!found?.isFile()) continue
      // With 0, this backup and the next one read the file.
      const changed = mayChangeUnnoticed(found.ctimeMs) ? 0 : found.ctimeMs
      sources.push({ path, bytes: found.size, modified: Math.floor(found.mtimeMs), changed })
    }
    return sources
  }
  const findPrevious = (source: Source) => {
    const old = previous.get(join(CONTENT, source.path))
    return source.changed > 0 && isSame(old, source) ? old : undefined
  }
  const first = await findSources()
  const needed = first.reduce((sum, source) => sum + (findPrevious(source) ? 0 : source.bytes), storeBytes)
  if (!(await hasSpace(dir, needed))) throw new Error(`the disk has no space for ${needed} bytes`)

  /** Undefined if the file was removed meanwhile. */
  const backUpFile = async (source: Source): Promise<BackedUpFile | undefined> => {
    const path = join(CONTENT, source.path)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await rm(join(folder, path), { force: true })
    // Unchanged files take no space again.
    const old = findPrevious(source)
    if (old && (await canLink(join(previousDir, path), join(folder, path)))) {
      signal?.throwIfAborted()
      if ((await computeSha256(join(folder, path)).catch(() => undefined)) === old.sha256) return old
      problem = 'earlier backups are damaged: check the disk, and run "backup check"'
      await rm(join(folder, path))
    }
    try {
      return await copyFile(join(contentDir, source.path), folder, { ...source, path, signal })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await rm(join(folder, path), { force: true })
      return undefined
    }
  }

  /** Copies what was changed since the last pass, until a pass finds nothing: a release and its file belong together. */
  const backUpContent = async (): Promise<BackedUpFile[]> => {
    const done = new Map<string, { source: Source; file: BackedUpFile }>()
    let sources = first
    for (let pass = 1; pass <= MAX_PASSES; pass++) {
      for (const source of sources) {
        if (isSame(done.get(source.path)?.source, source)) continue
        const file = await backUpFile(source)
        if (file) done.set(source.path, { source, file })
      }
      const names = new Set(sources.map(({ path }) => path))
      for (const path of done.keys()) {
        if (names.has(path)) continue
        done.delete(path)
        await rm(join(folder, CONTENT, path), { force: true })
      }
      sources = await findSources()
      if (sources.length === done.size && sources.every((source) => isSame(done.get(source.path)?.source, source)))
        return [...done.values()].map(({ file }) => file)
    }
    throw new Error('the content kept changing while it was copied')
  }

  try {
    await mkdir(folder, { mode: 0o700 })
    // First: counts that arrive meanwhile must not make this backup look larger than it is.
    const downloads = await countDownloads()
    await writeStore(join(folder, STORE_FILE))
    const files = [await describeFile(folder, STORE_FILE), ...(await backUpContent())]
    const faults = await findFaults(folder, files, signal)
    if (faults.length > 0) throw new Error('the copy differs from the original')
    await writeAtomically(join(folder, MANIFEST), JSON.stringify({ files, downloads }))
    const written = process.getuid?.() === 0 ? ['', ...(await readdir(folder, { recursive: true }))] : []
    for (const path of written) await giveTo(dir, join(folder, path))
    await rename(folder, join(dir, name))
    if (lastFolderFile)
      await writeAtomically(lastFolderFile, dir)
        .then(() => giveTo(dataDir, lastFolderFile))
        .catch(() => {})
    const backup = { name, files, downloads }
    const kept = findKept(backups, backup)
    for (const old of [...backups, backup].slice(0, -keep).filter((old) => !kept.has(old))) {
      await rm(join(dir, old.name), { recursive: true, force: true }).catch((error) => {
        problem ??= `the old backup ${old.name} cannot be removed: ${describeWithoutPath(error)}`
      })
    }
    problem ??= describeKept([...backups, backup], keep)
    return { name, files, problem }
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

const canLink = async (from: string, to: string) => (await link(from, to).catch(() => false)) === undefined

async function copyFile(
  from: string,
  folder: string,
  { path, modified, changed, signal }: Source & { signal: AbortSignal | undefined },
): Promise<BackedUpFile> {
  const hash = createHash('sha256')
  const reading = createReadStream(from).on('data', (chunk) => hash.update(chunk))
  const target = join(folder, path)
  await pipeline(reading, createWriteStream(target, { mode: 0o600 }), { ...(signal && { signal }) })
  await utimes(target, modified / 1000, modified / 1000)
  return { path, bytes: (await stat(target)).size, modified, changed, sha256: hash.digest('hex') }
}

async function describeFile(folder: string, path: string): Promise<BackedUpFile> {
  const { size, mtimeMs } = await stat(join(folder, path))
  return { path, bytes: size, modified: Math.floor(mtimeMs), sha256: await computeSha256(join(folder, path)) }
}

/** The files that are missing or were changed. */
export async function findFaults(folder: string, files: readonly BackedUpFile[], signal?: AbortSignal) {
  const faults: string[] = []
  for (const { path, bytes, sha256 } of files) {
    signal?.throwIfAborted()
    const found = await stat(join(folder, path)).catch(() => undefined)
    if (!found) faults.push(`${path} is missing`)
    else if (found.size !== bytes || (await computeSha256(join(folder, path))) !== sha256)
      faults.push(`${path} was changed`)
  }
  return faults
}
