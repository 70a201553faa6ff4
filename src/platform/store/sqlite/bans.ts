import { type Ban, type Bans, DROPPED_AT_ONCE, GUARD, KEEP_ENDED_MS, KEEP_LIFTED_MS, MAX_KEPT } from '../store.ts'
import { atOnce, firstRevision, type Opened, revisionOf, type Sync, whenOver } from './part.ts'

const FIELDS = 'address, reason, "by", at, until'
const OF_GUARD = `bans WHERE "by" = '${GUARD}' AND lifted = 0`

export function bansIn(opened: Opened): Sync<Bans> {
  const { db, clock } = opened
  const put = db.prepare(`INSERT OR REPLACE INTO bans (${FIELDS}, revision, lifted) VALUES (?, ?, ?, ?, ?, ?, 0)`)
  const lift = db.prepare(
    'UPDATE bans SET lifted = 1, revision = ?, until = ? WHERE address = ? AND lifted = 0 AND until > ?',
  )
  const list = db.prepare(`SELECT ${FIELDS} FROM bans WHERE lifted = 0 AND until > ? ORDER BY at, address`)
  const since = db.prepare(`SELECT ${FIELDS}, lifted FROM bans WHERE revision > ? AND until > ?`)
  // An ended ban stays for a while: a clock that had jumped ahead may be set back.
  const prune = db.prepare(
    `DELETE FROM bans WHERE until <= ? - (1 - lifted) * ${KEEP_ENDED_MS} RETURNING revision, lifted`,
  )
  const forgotten = db.prepare(`SELECT value FROM revisions WHERE name = 'bansForgotten'`)
  const forget = db.prepare(`UPDATE revisions SET value = max(value, ?) WHERE name = 'bansForgotten'`)
  const drop = db.prepare(`DELETE FROM bans WHERE address IN (SELECT address FROM ${OF_GUARD} ORDER BY until LIMIT ?)`)
  const revision = revisionOf(db, 'bans')
  const makeRoom = whenOver(db, OF_GUARD, MAX_KEPT, () => {
    drop.run(DROPPED_AT_ONCE)
    forget.run(revision.read())
  })

  const live = () => list.all(clock()) as unknown as Ban[]

  /** Whoever asks from before a forgotten lift has to be told everything. */
  const forgetEnded = () => {
    for (const ended of prune.all(clock())) if (ended.lifted === 1) forget.run(Number(ended.revision))
  }

  return {
    put: (bans) =>
      atOnce(db, () => {
        forgetEnded()
        const next = revision.raise()
        for (const { address, reason, by, at, until } of bans) put.run(address, reason, by, at, until, next)
        makeRoom(bans.length)
      }),
    lift: (address) =>
      atOnce(db, () => {
        forgetEnded()
        const now = clock()
        return lift.run(revision.raise(), now + KEEP_LIFTED_MS, address, now).changes > 0
      }),
    list: live,
    changes(from) {
      const asked = from - firstRevision(opened)
      const current = revision.read()
      const told = firstRevision(opened) + current
      const complete = asked < Math.max(1, Number(forgotten.get()?.value)) || asked > current
      if (complete) return { revision: told, complete, put: live(), lifted: [] }
      if (asked === current) return { revision: told, complete, put: [], lifted: [] }
      const rows = since.all(asked, clock()) as unknown as (Ban & { lifted: number })[]
      return {
        revision: told,
        complete,
        put: rows.filter((row) => row.lifted === 0).map(({ lifted: _, ...ban }) => ban),
        lifted: rows.filter((row) => row.lifted === 1).map(({ address }) => address),
      }
    },
  }
}
