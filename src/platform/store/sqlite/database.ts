import { createHash } from 'node:crypto'
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreTrouble } from '../unavailable.ts'
import { atOnce } from './part.ts'
import { migrations } from './schema.ts'

/** How long a write waits for another process; an operator command takes milliseconds. Reads queue behind it. */
const BUSY_MS = 500
const FILE_FOR_OWNER = 0o600
const FOLDER_FOR_OWNER = 0o700

/** SQLite's primary result codes that an operator can do something about. */
const troubles: Record<number, (name: string) => string> = {
  5: (name) => `${name} is locked by another process`,
  6: (name) => `${name} is locked by another process`,
  8: (name) => `${name} or its folder cannot be written to`,
  10: (name) => `the disk failed while ${name} was read or written`,
  11: (name) => `${name} is damaged`,
  13: (name) => `the disk of ${name} is full`,
  14: (name) => `${name} cannot be opened: its folder is missing, or may not be read or written`,
  26: (name) => `${name} is not a database, or is damaged`,
}
const BUSY = 5
const DAMAGED = [11, 26]

/** The low byte is the primary code; the rest tells finer differences. */
const codeOf = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

export const isBusy = (error: unknown) => codeOf(error) === BUSY

/** Undefined where the error is a bug rather than trouble with the file. */
export function troubleWith(file: string, error: unknown): StoreTrouble | undefined {
  if (error instanceof StoreTrouble) return error
  if ((error as { syscall?: string }).syscall === 'mkdir') {
    return new StoreTrouble(`the folder of ${basename(file)} cannot be made`)
  }
  const words = troubles[codeOf(error)]
  if (!words) return undefined
  const kept = DAMAGED.includes(codeOf(error)) ? `; ${keepCopy(file)}` : ''
  return new StoreTrouble(words(basename(file)) + kept)
}

/**
 * A damaged file is never changed or deleted; a copy is kept for a rescue, under a name made from its bytes, so that
 * a hundred restarts make one copy.
 */
function keepCopy(file: string): string {
  const wayOut = 'nothing was deleted. Restore a backup in its place, or move it away to begin with an empty one'
  try {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)
    const copy = `${file}.damaged-${digest}`
    if (!existsSync(copy)) {
      for (const suffix of ['-wal', '']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
    }
    return `a copy is kept as ${basename(copy)}, and ${wayOut}`
  } catch {
    return wayOut
  }
}

/** Opens the file, brings its schema up to date, and changes nothing where it cannot. */
export function openDatabase(file: string, steps: readonly string[] = migrations): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_FOR_OWNER })
  makePrivate(file)
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    refuseNewer(db, file, steps.length)
    if (db.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok') throw damaged(file)
    // FULL: a commit survives a power cut too; the worker thread waits for the disk, no request does.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(db, file, steps)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Contacts, hashes of tokens and banned addresses are for the owner's eyes; SQLite gives `-wal` and `-shm` the same mode.
 * A file that is there keeps its mode and is not even opened: closing it again would end this process's locks on it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', FILE_FOR_OWNER))
  } catch {
    // It is there, or cannot be made, which SQLite tells in its own words.
  }
}

const versionOf = (db: DatabaseSync) => Number(db.prepare('PRAGMA user_version').get()?.user_version)

function refuseNewer(db: DatabaseSync, file: string, known: number) {
  const version = versionOf(db)
  if (version <= known) return
  throw new StoreTrouble(
    `${basename(file)} has schema ${version}, but this version of the service knows schema ${known} at most; ` +
      'nothing was changed. Run the newer version, or restore the backup from before the update',
  )
}

const damaged = (file: string) => new StoreTrouble(`${basename(file)} is damaged; ${keepCopy(file)}`)

function migrate(db: DatabaseSync, file: string, steps: readonly string[]) {
  const from = versionOf(db)
  if (from === steps.length) return
  const backup = `${file}.schema-${from}`
  if (from > 0 && !existsSync(backup)) {
    makePrivate(backup)
    db.prepare('VACUUM INTO ?').run(backup)
  }
  atOnce(db, () => {
    // Another process may have been quicker.
    for (const step of steps.slice(versionOf(db))) db.exec(step)
    db.exec(`PRAGMA user_version = ${steps.length}`)
  })
}
