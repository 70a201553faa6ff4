import { type DownloadRow, type Downloads, FORGET_WRITER_MS } from '../store.ts'
import { lastDays, summarize, type VersionTotal } from '../summary.ts'
import { atOnce, type Opened, type Sync } from './part.ts'

export function downloadsIn({ db, clock }: Opened): Sync<Downloads> {
  const lastNumber = db.prepare('SELECT number FROM writers WHERE writer = ?')
  const remember = db.prepare('INSERT OR REPLACE INTO writers (writer, number, seenAt) VALUES (?, ?, ?)')
  const forget = db.prepare('DELETE FROM writers WHERE seenAt < ?')
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
  const numberOf = (writer: string) => Number(lastNumber.get(writer)?.number ?? 0)

  return {
    add: (batch) =>
      atOnce(db, () => {
        const last = numberOf(batch.writer)
        if (batch.number <= last || (batch.after ?? last) !== last) return false
        if (last === 0) forget.run(clock() - FORGET_WRITER_MS)
        remember.run(batch.writer, batch.number, clock())
        for (const row of batch.rows) add.run(row.application, row.version, row.day, row.count)
        return true
      }),
    lastNumber: numberOf,
    summary(days) {
      const wanted = lastDays(clock(), days)
      const counts = new Map(daily.all(wanted[0] ?? '').map(({ day, count }) => [String(day), Number(count)]))
      return summarize(totals.all() as unknown as VersionTotal[], wanted, (day) => counts.get(day))
    },
    rows: () => rows.all() as unknown as DownloadRow[],
    writers: () => writers.all() as unknown as { writer: string; number: number }[],
  }
}
