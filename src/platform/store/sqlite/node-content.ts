// What this node has of the shared content: its position and files, and an installation in progress. Several processes
// of the node use it.
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mayChangeUnnoticed } from '../../files/index.ts'
import type { ContentFile, ContentPosition } from '../shared-content.ts'
import { runInTransaction } from './database.ts'

const BUSY_TIMEOUT_MS = 10_000

const SCHEMA = `
  PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
  CREATE TABLE IF NOT EXISTS positions (name TEXT PRIMARY KEY, lineage TEXT, sequence INTEGER, head TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS files (file TEXT PRIMARY KEY, version TEXT, size INTEGER, mtime REAL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS steps (file TEXT PRIMARY KEY, version TEXT) STRICT, WITHOUT ROWID;`

/** A file in CONTENT_DIR as it was when its version was computed. */
export interface KnownFile extends ContentFile {
  /** Its time of modification in milliseconds. 0: it was not read yet, or may change without another time. */
  readonly mtime: number
}

/** A version of null removes the file. */
export type InstallStep = { readonly file: string; readonly version: string | null }

export type NodeContent = ReturnType<typeof openNodeContent>

export function openNodeContent(path: string) {
  mkdirSync(dirname(path), { recursive: true })
  const db = open(path)
  const putFile = db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)')
  const findFile = db.prepare('SELECT * FROM files WHERE file = ?')
  const read = (name: string) =>
    db.prepare('SELECT lineage, sequence, head FROM positions WHERE name = ?').get(name) as ContentPosition | undefined
  const write = (name: string, { lineage, sequence, head }: ContentPosition) =>
    db.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?)').run(name, lineage, sequence, head)
  const put = ({ file, version, size, mtime }: KnownFile) =>
    putFile.run(file, version, size, mayChangeUnnoticed(mtime) ? 0 : mtime)
  const remove = (file: string) => db.prepare('DELETE FROM files WHERE file = ?').run(file)

  /** Other processes see all of it or nothing. */
  const transaction = <T>(work: () => T): T => runInTransaction(db, work)

  return {
    /** Undefined: this node has not joined yet. */
    position: () => read('current'),
    /** The id of this node until its next start. */
    id: () => read('node')?.lineage,
    renewId: () => void write('node', { lineage: randomUUID(), sequence: 0, head: '' }),
    /** Kept here, because the process that notices it may be a command, and the service reports it. */
    recordIncident: (name: string) => void write(name, { lineage: '', sequence: Date.now(), head: '' }),
    /** 0: it has not happened. */
    timeOfIncident: (name: string) => read(name)?.sequence ?? 0,
    /** The position that the installation in progress leads to. */
    target: () => read('target'),
    file: (file: string) => findFile.get(file) as KnownFile | undefined,
    /** Those of these versions that no file has. */
    listUnused: (versions: readonly string[]) =>
      db
        .prepare('SELECT value FROM json_each(?) WHERE value NOT IN (SELECT version FROM files)')
        .all(JSON.stringify(versions))
        .map(({ value }) => String(value)),
    /** Sorted by name. */
    files: () => db.prepare('SELECT * FROM files ORDER BY file').iterate() as Iterable<KnownFile>,
    steps: () => db.prepare('SELECT * FROM steps').all() as unknown as InstallStep[],
    put: (files: readonly KnownFile[]) => transaction(() => files.forEach(put)),
    /** Removes everything: this node joins again. */
    clear: () =>
      transaction(() =>
        db.exec(`DELETE FROM positions WHERE name IN ('current', 'target'); DELETE FROM files; DELETE FROM steps`),
      ),
    setPosition: (position: ContentPosition) => void write('current', position),

    beginInstall: (target: ContentPosition, steps: readonly InstallStep[]) =>
      transaction(() => {
        write('target', target)
        const insert = db.prepare('INSERT OR REPLACE INTO steps VALUES (?, ?)')
        for (const { file, version } of steps) insert.run(file, version)
      }),
    /** `installed`: all files of the steps that exist now. */
    endInstall: (installed: readonly KnownFile[]) =>
      transaction(() => {
        db.exec('DELETE FROM files WHERE file IN (SELECT file FROM steps)')
        installed.forEach(put)
        write('current', read('target')!)
        db.exec(`DELETE FROM steps; DELETE FROM positions WHERE name = 'target'`)
      }),
    cancelInstall: () => transaction(() => db.exec(`DELETE FROM steps; DELETE FROM positions WHERE name = 'target'`)),

    /** After a change of this node. Does nothing if another process has recorded it already. */
    advance: (to: ContentPosition, changed: readonly KnownFile[], removed: readonly string[]) =>
      transaction(() => {
        const current = read('current')
        if (current?.lineage !== to.lineage || current.sequence !== to.sequence - 1) return
        changed.forEach(put)
        removed.forEach(remove)
        write('current', to)
      }),
    close: () => db.close(),
  }
}

/** A damaged file is replaced: the node joins again. */
function open(path: string): DatabaseSync {
  try {
    return openOnce(path)
  } catch (error) {
    if (!/malformed|not a database/.test((error as Error).message)) throw error
    for (const suffix of ['', '-journal']) rmSync(path + suffix, { force: true })
    return openOnce(path)
  }
}

function openOnce(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec(SCHEMA)
  return db
}
