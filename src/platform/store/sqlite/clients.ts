import type { ClientRecord, Clients } from '../store.ts'
import { atOnce, firstRevision, type Opened, revisionOf, type Sync } from './part.ts'

export function clientsIn(opened: Opened): Sync<Clients> {
  const { db } = opened
  const open = db.prepare(`SELECT count(*) AS count FROM clients WHERE state = 'asked'`)
  const find = db.prepare('SELECT * FROM clients WHERE id = ?')
  const list = db.prepare('SELECT * FROM clients ORDER BY createdAt, id')
  const put = db.prepare(
    `INSERT OR REPLACE INTO clients (id, name, contact, reason, state, createdAt, decidedAt, keyHash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const revision = revisionOf(db, 'clients')

  const read = (id: string) => find.get(id) as ClientRecord | undefined
  const write = (record: ClientRecord) => {
    const { id, name, contact, reason, state, createdAt, decidedAt, keyHash } = record
    put.run(id, name, contact, reason, state, createdAt, decidedAt, keyHash)
  }

  return {
    ask: (record, mostOpen) =>
      atOnce(db, () => {
        if (Number(open.get()?.count) >= mostOpen) return false
        write(record)
        revision.raise()
        return true
      }),
    decide: (id, from, decision) =>
      atOnce(db, () => {
        const record = read(id)
        if (!record || !from.includes(record.state)) return undefined
        write({ ...record, ...decision })
        revision.raise()
        return { ...record, ...decision }
      }),
    find: read,
    list: () => list.all() as unknown as ClientRecord[],
    put: (records) =>
      atOnce(db, () => {
        records.forEach(write)
        revision.raise()
      }),
    revision: () => firstRevision(opened) + revision.read(),
  }
}
