import { listLastDays, summarizeDownloads, type VersionTotal } from '../download-counts.ts'
import { type DownloadBatch, type DownloadRow, type Downloads, WRITER_TTL_MS } from '../store.ts'
import { type OpenDatabase, runInTransaction, type Sync } from './database.ts'

type NumberedBatch = Pick<DownloadBatch, 'writer' | 'number'>

/**
 * Returns a function that applies a batch in a transaction. It returns false if the batch was applied before: then its
 * number is not higher than the last one of its writer.
 */
export function createBatchAdder<Batch extends NumberedBatch>(
  { db, clock }: OpenDatabase,
  apply: (batch: Batch) => void,
): (batch: Batch) => boolean {
  const lastNumber = db.prepare('SELECT number FROM writers WHERE writer = ?')
  const saveWriter = db.prepare('INSERT OR REPLACE INTO writers (writer, number, seenAt) VALUES (?, ?, ?)')
  const deleteWriters = db.prepare('DELETE FROM writers WHERE seenAt < ?')
  return (batch) =>
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
