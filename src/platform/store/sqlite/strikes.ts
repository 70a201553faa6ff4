import type { Strike, Strikes } from '../store.ts'
import { limitRows, type OpenDatabase, runInTransaction, type Sync } from './database.ts'

export function createSqliteStrikes({ db, clock }: OpenDatabase, maxStrikes: number): Sync<Strikes> {
  const deleteExpired = db.prepare('DELETE FROM strikes WHERE expiresAt <= ?')
  const add = db.prepare(
    `INSERT INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET score = score + excluded.score, expiresAt = excluded.expiresAt RETURNING score`,
  )
  const put = db.prepare('INSERT OR REPLACE INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)')
  const clear = db.prepare('DELETE FROM strikes WHERE key = ?')
  const list = db.prepare('SELECT key, score, expiresAt FROM strikes WHERE expiresAt > ? ORDER BY key')
  const evict = db.prepare('DELETE FROM strikes WHERE key IN (SELECT key FROM strikes ORDER BY expiresAt LIMIT ?)')
  const limitStrikes = limitRows(db, 'strikes', maxStrikes, () => void evict.run(maxStrikes / 10))

  return {
    add: (key, points, expiresAt) =>
      runInTransaction(db, () => {
        deleteExpired.run(clock())
        const score = Number(add.get(key, points, expiresAt)?.score)
        limitStrikes(1)
        return score
      }),
    clear: (key) => void clear.run(key),
    list: () => list.all(clock()) as unknown as Strike[],
    put: (strikes) =>
      runInTransaction(db, () => {
        for (const { key, score, expiresAt } of strikes) put.run(key, score, expiresAt)
      }),
  }
}
