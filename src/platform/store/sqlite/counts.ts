import { constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { NumberedBatch, Usage, UsageBatch, UsageRow, VersionTotal } from '../counts.ts'
import {
  createDayReader,
  listLastDays,
  MAX_USAGE_DAYS,
  MAX_USAGE_NAMES,
  OTHER_USAGE,
  summarizeDownloads,
} from '../counts.ts'
import { HyperLogLog } from '../hyper-log-log.ts'
import type { Adoption, AdoptionBatch, DownloadBatch, DownloadRow, Downloads } from '../store.ts'
import { MAX_ADOPTION_DAYS, WRITER_TTL_MS } from '../store.ts'
import { type OpenDatabase, OWNER_ONLY_FILE, runInTransaction, type Sync } from './database.ts'

/**
 * Returns a function that applies a batch in a transaction. It returns false if the batch was applied before: then its
 * number is not higher than the last one of its writer.
 */
function createBatchAdder<Batch extends NumberedBatch>({ db, clock }: OpenDatabase, apply: (batch: Batch) => void) {
  const lastNumber = db.prepare('SELECT number FROM writers WHERE writer = ?')
  const saveWriter = db.prepare('INSERT OR REPLACE INTO writers (writer, number, seenAt) VALUES (?, ?, ?)')
  const deleteWriters = db.prepare('DELETE FROM writers WHERE seenAt < ?')
  return (batch: Batch) =>
    runInTransaction(db, () => {
      const last = Number(lastNumber.get(batch.writer)?.number ?? 0)
      if (batch.number <= last) return false
      if (last === 0) deleteWriters.run(clock() - WRITER_TTL_MS)
      saveWriter.run(batch.writer, batch.number, clock())
      apply(batch)
      return true
    })
}

export function createSqliteDownloads(opened: OpenDatabase): Sync<Downloads> {
  const { db, clock } = opened
  const add = db.prepare(
    `INSERT INTO downloads (application, version, day, count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  )
  const totals = db.prepare(
    'SELECT application, version, sum(count) AS count FROM downloads GROUP BY application, version',
  )
  const daily = db.prepare('SELECT day, sum(count) AS count FROM downloads WHERE day >= ? GROUP BY day')
  const rows = db.prepare('SELECT application, version, day, count FROM downloads ORDER BY day, application, version')
  const writers = db.prepare('SELECT writer, number FROM writers')

  return {
    add: createBatchAdder<DownloadBatch>(opened, ({ rows }) => {
      for (const row of rows) add.run(row.application, row.version, row.day, row.count)
    }),
    summary(days) {
      const dates = listLastDays(clock(), days)
      const counts = new Map(daily.all(dates[0] ?? '').map(({ day, count }) => [String(day), Number(count)]))
      return summarizeDownloads(totals.all() as unknown as VersionTotal[], dates, (day) => counts.get(day))
    },
    rows: () => rows.all() as unknown as DownloadRow[],
    writers: () => writers.all() as unknown as { writer: string; number: number }[],
  }
}

/** The salt has a file of its own, so that it is not in copies of the database and is overwritten at the end of the day. */
export function createSaltFile(file: string) {
  let held: ReturnType<typeof readSalt> = {}
  const write = () => {
    try {
      // A pipe in the place of the file would block the thread of the database.
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) rmSync(file, { recursive: true })
      writeFileSync(file, `${held.day} ${held.salt}`, { mode: OWNER_ONLY_FILE })
    } catch {
      // It is in memory only: after a restart, no more installations of this day are counted.
    }
  }
  return {
    read(day: string): string | undefined {
      if (held.day !== day) held = readSalt(file)
      return held.day === day ? held.salt : undefined
    },
    write(day: string, salt: string): void {
      held = { day, salt }
      write()
    },
    /** Call it regularly: another program may have removed the file. */
    repair(day: string): void {
      if (held.day === day && !existsSync(file)) write()
    },
  }
}

export function createSqliteAdoption(
  opened: OpenDatabase,
  saltFile: ReturnType<typeof createSaltFile>,
): Sync<Adoption> {
  const { db, clock } = opened
  const readDay = createDayReader(clock)
  const addChecks = db.prepare(
    `INSERT INTO updateChecks (day, version, count) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  )
  const readSketch = db.prepare('SELECT sketch FROM adoptionDays WHERE day = ?')
  const saveSketch = db.prepare('INSERT OR REPLACE INTO adoptionDays (day, installations, sketch) VALUES (?, ?, ?)')
  const addDay = db.prepare('INSERT OR IGNORE INTO adoptionDays (day, installations, sketch) VALUES (?, 0, NULL)')
  const findOldDay = db.prepare('SELECT day FROM adoptionDays ORDER BY day DESC LIMIT 1 OFFSET ?')
  const deletions = ['adoptionDays', 'updateChecks'].map((table) => db.prepare(`DELETE FROM ${table} WHERE day <= ?`))
  const readDays = db.prepare('SELECT day, installations FROM adoptionDays WHERE day >= ? ORDER BY day')
  const readChecks = db.prepare('SELECT version, count FROM updateChecks WHERE day = ?')
  const findSketch = (day: string) => (readSketch.get(day)?.sketch ?? undefined) as Uint8Array | undefined

  return {
    salt(day, proposal) {
      const salt = saltFile.read(day)
      if (salt !== undefined || findSketch(day)) return salt
      saltFile.write(day, proposal)
      return proposal
    },
    add: createBatchAdder<AdoptionBatch>(opened, ({ day, versions, sketch }) => {
      saltFile.repair(readDay())
      for (const [version, count] of Object.entries(versions)) addChecks.run(day, version, count)
      if (sketch) {
        const merged = new HyperLogLog().merge(findSketch(day) ?? sketch).merge(sketch)
        saveSketch.run(day, merged.estimate(), merged.toBytes())
      } else addDay.run(day)
      const oldDay = findOldDay.get(MAX_ADOPTION_DAYS)?.day
      if (oldDay !== undefined) for (const deletion of deletions) deletion.run(oldDay)
    }),
    days: (first) =>
      readDays.all(first).map(({ day, installations }) => ({
        day: String(day),
        installations: Number(installations),
        versions: Object.fromEntries(readChecks.all(day!).map(({ version, count }) => [version, Number(count)])),
      })),
    sketch: findSketch,
  }
}

export function createSqliteUsage(opened: OpenDatabase): Sync<Usage> {
  const { db } = opened
  const update = db.prepare(
    `UPDATE usage SET served = served + ?, refused = refused + ?, sourceFailed = sourceFailed + ?, failed = failed + ?
     WHERE day = ? AND dimension = ? AND name = ?`,
  )
  const insert = db.prepare(
    `INSERT INTO usage (served, refused, sourceFailed, failed, day, dimension, name) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const countNames = db.prepare('SELECT count(*) AS names FROM usage WHERE day = ? AND dimension = ?')
  const hasDay = db.prepare('SELECT 1 FROM usage WHERE day = ? LIMIT 1')
  const readDays = db.prepare('SELECT DISTINCT day FROM usage ORDER BY day')
  const deleteDays = db.prepare('DELETE FROM usage WHERE day < ?')
  const readRows = db.prepare(
    'SELECT dimension, name, served, refused, sourceFailed, failed FROM usage WHERE day = ? ORDER BY dimension, name',
  )
  const listDays = () => readDays.all().map(({ day }) => String(day))

  const addRow = (day: string, { dimension, name, counts }: UsageRow) => {
    if (update.run(...counts, day, dimension, name).changes === 1) return
    const isFull = Number(countNames.get(day, dimension)?.names) >= MAX_USAGE_NAMES - 1
    if (isFull && name !== OTHER_USAGE) addRow(day, { dimension, name: OTHER_USAGE, counts })
    else insert.run(...counts, day, dimension, name)
  }

  return {
    add: createBatchAdder<UsageBatch>(opened, ({ day, rows }) => {
      const isNewDay = !hasDay.get(day)
      for (const row of rows) addRow(day, row)
      const oldest = isNewDay ? listDays().at(-MAX_USAGE_DAYS) : undefined
      if (oldest !== undefined) deleteDays.run(oldest)
    }),
    days: listDays,
    rows: (day) =>
      readRows.all(day).map(({ dimension, name, served, refused, sourceFailed, failed }) => ({
        dimension: String(dimension),
        name: String(name),
        counts: [Number(served), Number(refused), Number(sourceFailed), Number(failed)] as const,
      })),
  }
}

/** A file that is missing or not ours is like that of another day. */
function readSalt(file: string): { day?: string; salt?: string } {
  try {
    const [day, salt] = readFileSync(file, { encoding: 'latin1', flag: constants.O_NONBLOCK }).split(' ')
    return day && salt ? { day, salt } : {}
  } catch {
    return {}
  }
}
