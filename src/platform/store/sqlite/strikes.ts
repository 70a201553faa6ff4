import { DROPPED_AT_ONCE, MAX_KEPT, type Strike, type Strikes } from '../store.ts'
import { atOnce, type Opened, type Sync, whenOver } from './part.ts'

export function strikesIn({ db, clock }: Opened): Sync<Strikes> {
  const forget = db.prepare('DELETE FROM strikes WHERE expiresAt <= ?')
  const add = db.prepare(
    `INSERT INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET score = score + excluded.score, expiresAt = excluded.expiresAt RETURNING score`,
  )
  const put = db.prepare('INSERT OR REPLACE INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)')
  const clear = db.prepare('DELETE FROM strikes WHERE key = ?')
  const list = db.prepare('SELECT key, score, expiresAt FROM strikes WHERE expiresAt > ? ORDER BY key')
  const drop = db.prepare('DELETE FROM strikes WHERE key IN (SELECT key FROM strikes ORDER BY expiresAt LIMIT ?)')
  const makeRoom = whenOver(db, 'strikes', MAX_KEPT, () => void drop.run(DROPPED_AT_ONCE))

  return {
    add: (key, points, expiresAt) =>
      atOnce(db, () => {
        forget.run(clock())
        const score = Number(add.get(key, points, expiresAt)?.score)
        makeRoom(1)
        return score
      }),
    clear: (key) => void clear.run(key),
    list: () => list.all(clock()) as unknown as Strike[],
    put: (strikes) =>
      atOnce(db, () => {
        for (const { key, score, expiresAt } of strikes) put.run(key, score, expiresAt)
      }),
  }
}
