import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomically } from '../files/index.ts'
import type { Log } from '../logging/index.ts'
import type { DownloadBatch, DownloadRow, Downloads } from './store.ts'
import { Tally } from './tally.ts'

const NAME = /^downloads-([0-9a-f-]{36})\.json$/

type Batch = Omit<DownloadBatch, 'writer'>

/** Where the counts of one writer wait on the disk while the store is away. Its size follows the keys, not the time. */
export interface Journal {
  /** On the disk when it resolves; replaces what was there. */
  write(batches: readonly Batch[]): Promise<void>
  remove(): Promise<void>
}

export function openJournal(folder: string, writer: string): Journal {
  const file = join(folder, `downloads-${writer}.json`)
  return {
    write: (batches) => writeAtomically(file, JSON.stringify(batches)),
    remove: () => rm(file, { force: true }),
  }
}

/**
 * Hands in what other writers left when they were killed. A living one renews its file all the time, so a file that
 * is `quietMs` old has no owner. Two who take in the same file count it once: it keeps its writer and numbers.
 */
export async function takeInJournals(
  downloads: Downloads,
  { folders, ...options }: TakeIn & { folders: readonly string[] },
): Promise<void> {
  for (const folder of folders) await takeInFolder(downloads, folder, options)
}

interface TakeIn {
  readonly ownWriter: string
  readonly quietMs: number
  readonly log: Log
}

async function takeInFolder(downloads: Downloads, folder: string, { ownWriter, quietMs, log }: TakeIn): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const writer = NAME.exec(name)?.[1]
    const file = join(folder, name)
    if (!writer || writer === ownWriter || (await ageOf(file)) < quietMs) continue
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const batches = parse(text)
    if (!batches) {
      await setAside(folder, name, log)
      continue
    }
    const last = await downloads.lastNumber(writer)
    const number = Math.max(...batches.map((batch) => batch.number))
    const tally = new Tally()
    for (const batch of batches) if (batch.number > last) tally.addAll(batch.rows)
    // A last batch of the killed process may still arrive from some buffer: then the next look sees its number.
    if (number > last && !(await downloads.add({ writer, number, after: last, rows: tally.rows() }))) continue
    await rm(file, { force: true })
    log.info({ downloads: tally.total }, 'took in the downloads that a stopped process had counted')
  }
}

/** A file that is gone is as young as can be: somebody else took it in. */
const ageOf = (file: string) =>
  stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )

async function setAside(folder: string, name: string, log: Log) {
  const aside = join(folder, 'unreadable')
  await mkdir(aside, { recursive: true })
  try {
    await rename(join(folder, name), join(aside, name))
    log.error({ name }, 'a journal of downloads cannot be read; it was moved to the folder "unreadable" beside it')
  } catch (error) {
    // Somebody else was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function parse(text: string): Batch[] | undefined {
  try {
    const batches = JSON.parse(text) as Batch[]
    return batches.length > 0 && batches.every(isBatch) ? batches : undefined
  } catch {
    return undefined
  }
}

const isBatch = ({ number, rows }: Batch) => Number.isSafeInteger(number) && rows.every(isRow)
const isRow = ({ application, version, day, count }: DownloadRow) =>
  [application, version, day].every((text) => typeof text === 'string') && Number.isSafeInteger(count)
