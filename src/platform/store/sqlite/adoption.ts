import { readFileSync, writeFileSync } from 'node:fs'
import { HyperLogLog } from '../hyper-log-log.ts'
import { type Adoption, type AdoptionBatch, MAX_ADOPTION_DAYS } from '../store.ts'
import { type OpenDatabase, OWNER_ONLY_FILE, type Sync } from './database.ts'
import { createBatchAdder } from './downloads.ts'

/** The salt has a file of its own, so that it is not in copies of the database and is overwritten at the end of the day. */
export function createSqliteAdoption(opened: OpenDatabase, saltFile: string): Sync<Adoption> {
  const { db } = opened
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
  let held: ReturnType<typeof readSalt> = {}

  return {
    salt(day, proposal) {
      if (held.day !== day) held = readSalt(saltFile)
      if (held.day === day) return held.salt
      if (findSketch(day)) return undefined
      held = { day, salt: proposal }
      try {
        writeFileSync(saltFile, `${day} ${proposal}`, { mode: OWNER_ONLY_FILE })
      } catch {
        // It is in memory only: after a restart, no more installations of this day are counted.
      }
      return proposal
    },
    add: createBatchAdder<AdoptionBatch>(opened, ({ day, versions, sketch }) => {
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

/** A file that is missing or not ours is like that of another day. */
function readSalt(file: string): { day?: string; salt?: string } {
  try {
    const [day, salt] = readFileSync(file, 'latin1').split(' ')
    return day && salt ? { day, salt } : {}
  } catch {
    return {}
  }
}
