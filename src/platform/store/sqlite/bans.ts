import type { Ban, Bans, Strike, Strikes } from '../store.ts'
import { BANNED_AUTOMATICALLY, ENDED_BAN_TTL_MS, LIFTED_BAN_TTL_MS } from '../store.ts'
import { createRevision, limitRows, type OpenDatabase, runInTransaction, type Sync } from './database.ts'

const FIELDS = 'address, reason, "by", at, until'
const AUTOMATIC_BANS = `bans WHERE "by" = '${BANNED_AUTOMATICALLY}' AND lifted = 0`

export function createSqliteBans(opened: OpenDatabase, maxAutomatic: number): Sync<Bans> {
  const { db, clock } = opened
  const put = db.prepare(`INSERT OR REPLACE INTO bans (${FIELDS}, revision, lifted) VALUES (?, ?, ?, ?, ?, ?, 0)`)
  const lift = db.prepare(
    'UPDATE bans SET lifted = 1, revision = ?, until = ? WHERE address = ? AND lifted = 0 AND until > ?',
  )
  const list = db.prepare(`SELECT ${FIELDS} FROM bans WHERE lifted = 0 AND until > ? ORDER BY at, address`)
  const lifted = db.prepare('SELECT address FROM bans WHERE lifted = 1')
  const since = db.prepare(`SELECT ${FIELDS}, lifted FROM bans WHERE revision > ? AND until > ?`)
  const deleteEnded = db.prepare(
    `DELETE FROM bans WHERE until <= ? - (1 - lifted) * ${ENDED_BAN_TTL_MS} RETURNING revision, lifted`,
  )
  const forgotten = db.prepare(`SELECT value FROM revisions WHERE name = 'bansForgotten'`)
  const forget = db.prepare(`UPDATE revisions SET value = max(value, ?) WHERE name = 'bansForgotten'`)
  const evict = db.prepare(
    `DELETE FROM bans WHERE address IN (SELECT address FROM ${AUTOMATIC_BANS} ORDER BY until LIMIT ?)`,
  )
  const revision = createRevision(opened, 'bans')
  const limitBans = limitRows(db, AUTOMATIC_BANS, maxAutomatic, () => {
    evict.run(maxAutomatic / 10)
    forget.run(revision.read())
  })

  const listActive = () => list.all(clock()) as unknown as Ban[]

  /** A node whose revision is older than a forgotten lift has to read the complete list. */
  const forgetEnded = () => {
    for (const ended of deleteEnded.all(clock())) if (ended.lifted === 1) forget.run(Number(ended.revision))
  }

  return {
    put: (bans) =>
      runInTransaction(db, () => {
        forgetEnded()
        const next = revision.raise()
        for (const { address, reason, by, at, until } of bans) put.run(address, reason, by, at, until, next)
        limitBans(bans.length)
      }),
    lift: (address) =>
      runInTransaction(db, () => {
        forgetEnded()
        const now = clock()
        return lift.run(revision.raise(), now + LIFTED_BAN_TTL_MS, address, now).changes > 0
      }),
    list: listActive,
    changes(from) {
      const last = revision.toStored(from)
      const current = revision.read()
      const complete = last < Math.max(1, Number(forgotten.get()?.value)) || last > current
      const reply = { revision: revision.toPublic(current), complete }
      if (complete) return { ...reply, put: listActive(), lifted: lifted.all().map(({ address }) => String(address)) }
      if (last === current) return { ...reply, put: [], lifted: [] }
      const rows = since.all(last, clock()) as unknown as (Ban & { lifted: number })[]
      return {
        ...reply,
        put: rows.filter((row) => row.lifted === 0).map(({ lifted: _, ...ban }) => ban),
        lifted: rows.filter((row) => row.lifted === 1).map(({ address }) => address),
      }
    },
  }
}

export function createSqliteStrikes({ db, clock }: OpenDatabase, maxStrikes: number): Sync<Strikes> {
  const deleteExpired = db.prepare('DELETE FROM strikes WHERE expiresAt <= ?')
  const add = db.prepare(
    `INSERT INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET score = score + excluded.score * (abs(excluded.expiresAt - expiresAt) >= ?),
     expiresAt = excluded.expiresAt RETURNING score`,
  )
  const put = db.prepare('INSERT OR REPLACE INTO strikes (key, score, expiresAt) VALUES (?, ?, ?)')
  const clear = db.prepare('DELETE FROM strikes WHERE key = ?')
  const list = db.prepare('SELECT key, score, expiresAt FROM strikes WHERE expiresAt > ? ORDER BY key')
  const evict = db.prepare('DELETE FROM strikes WHERE key IN (SELECT key FROM strikes ORDER BY expiresAt LIMIT ?)')
  const limitStrikes = limitRows(db, 'strikes', maxStrikes, () => void evict.run(maxStrikes / 10))

  return {
    add: (key, points, expiresAt, apartMs = 0) =>
      runInTransaction(db, () => {
        deleteExpired.run(clock())
        const score = Number(add.get(key, points, expiresAt, apartMs)?.score)
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
