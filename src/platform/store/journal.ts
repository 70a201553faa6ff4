import { globSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../logging/index.ts'
import type { DownloadBatch, DownloadRow, Downloads } from './store.ts'

const FILE_NAME = /^downloads-([0-9a-f-]{36})\.json$/

/** A journal is a file with the counts of one writer while the store is unavailable. It holds totals, so it stays small. */
export type JournalBatch = Omit<DownloadBatch, 'writer'>

export const buildJournalPath = (folder: string, writer: string) => join(folder, `downloads-${writer}.json`)

/**
 * Chooses the journal folders of one of several processes. Each folder belongs to exactly one process, because only the
 * owner can tell an orphaned journal from one whose writer was delayed. A worker owns the folder with its number; the
 * first worker also owns all folders that have no worker.
 */
export function assignJournalFolders(root: string, { number, workerCount }: { number: number; workerCount: number }) {
  const isSingle = workerCount === 1
  const folder = isSingle ? root : join(root, `worker-${number}`)
  if (number !== 1) return { folder, orphanedFolders: [] }
  // Empty if the root does not exist yet.
  const folders = globSync('worker-*', { cwd: root })
  const unowned = folders.filter((name) => isSingle || Number(name.slice('worker-'.length)) > workerCount)
  return { folder, orphanedFolders: [...(isSingle ? [] : [root]), ...unowned.map((name) => join(root, name))] }
}

interface ImportOptions {
  readonly folders: readonly string[]
  readonly ownWriter: string
  readonly orphanedAfterMs: number
  readonly log: Log
}

/**
 * Adds the journals of killed processes to the store. A running process rewrites its journal all the time, so a file
 * that is `orphanedAfterMs` old has no owner. If two processes import the same file, it is counted once, because the
 * batch keeps its writer and number.
 */
export async function importOrphanedJournals(downloads: Downloads, options: ImportOptions): Promise<void> {
  const { folders, ownWriter, orphanedAfterMs, log } = options
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const writer = FILE_NAME.exec(name)?.[1]
      const file = join(folder, name)
      if (!writer || writer === ownWriter || (await readAgeMs(file)) < orphanedAfterMs) continue
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      const batches = parseBatches(text)
      if (!batches) await setAside(folder, name, log)
      else {
        await importBatches(downloads, writer, batches, log)
        await rm(file, { force: true })
      }
    }
  }
}

/** Adds the batches in ascending order. The store ignores those that it received before the process was killed. */
async function importBatches(downloads: Downloads, writer: string, batches: JournalBatch[], log: Log) {
  let imported = 0
  for (const { number, rows } of batches.toSorted((a, b) => a.number - b.number)) {
    if (await downloads.add({ writer, number, rows })) for (const { count } of rows) imported += count
  }
  log.info({ downloads: imported }, 'imported the downloads that a stopped process had counted')
}

/** 0 if the file is gone: another process imported it. */
const readAgeMs = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )

async function setAside(folder: string, name: string, log: Log) {
  const target = join(folder, 'unreadable')
  await mkdir(target, { recursive: true })
  try {
    await rename(join(folder, name), join(target, name))
    log.error({ name }, 'a download journal is unreadable; it was moved to the subfolder "unreadable"')
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function parseBatches(text: string): JournalBatch[] | undefined {
  try {
    const batches = JSON.parse(text) as JournalBatch[]
    return batches.length > 0 && batches.every(isBatch) ? batches : undefined
  } catch {
    return undefined
  }
}

const isBatch = ({ number, rows }: JournalBatch) => Number.isSafeInteger(number) && rows.every(isRow)
const isRow = ({ application, version, day, count }: DownloadRow) =>
  [application, version, day].every((text) => typeof text === 'string') && Number.isSafeInteger(count)
