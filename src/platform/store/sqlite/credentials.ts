// Client keys and operator tokens.
import type { ClientRecord, Clients, Scope, TokenRecord, Tokens } from '../store.ts'
import { createRevision, type OpenDatabase, runInTransaction, type Sync } from './database.ts'

export function createSqliteClients(opened: OpenDatabase): Sync<Clients> {
  const { db } = opened
  const pending = db.prepare(`SELECT count(*) AS count FROM clients WHERE state = 'pending'`)
  const find = db.prepare('SELECT * FROM clients WHERE id = ?')
  const list = db.prepare('SELECT * FROM clients ORDER BY createdAt, id')
  const put = db.prepare(
    `INSERT OR REPLACE INTO clients (id, name, contact, reason, state, createdAt, decidedAt, keyHash)
     VALUES (:id, :name, :contact, :reason, :state, :createdAt, :decidedAt, :keyHash)`,
  )
  const revision = createRevision(opened, 'clients')

  const read = (id: string) => find.get(id) as ClientRecord | undefined
  const write = (record: ClientRecord) => put.run({ ...record })

  return {
    addRequest: (record, maxPending) =>
      runInTransaction(db, () => {
        if (Number(pending.get()?.count) >= maxPending) return false
        write(record)
        revision.raise()
        return true
      }),
    decide: (id, from, decision) =>
      runInTransaction(db, () => {
        const record = read(id)
        if (!record || !from.includes(record.state)) return undefined
        write({ ...record, ...decision })
        revision.raise()
        return { ...record, ...decision }
      }),
    find: read,
    list: () => list.all() as unknown as ClientRecord[],
    put: (records) =>
      runInTransaction(db, () => {
        records.forEach(write)
        revision.raise()
      }),
    revision: () => revision.toPublic(revision.read()),
  }
}

export function createSqliteTokens(opened: OpenDatabase): Sync<Tokens> {
  const { db } = opened
  const put = db.prepare(
    `INSERT OR REPLACE INTO tokens (id, label, hash, scopes, createdAt, expiresAt, lastUsedAt)
     VALUES (:id, :label, :hash, :scopes, :createdAt, :expiresAt, :lastUsedAt)`,
  )
  const remove = db.prepare('DELETE FROM tokens WHERE id = ?')
  const list = db.prepare('SELECT * FROM tokens ORDER BY createdAt, id')
  const markUsed = db.prepare('UPDATE tokens SET lastUsedAt = ? WHERE id = ?')
  const revision = createRevision(opened, 'tokens')

  return {
    put: (records) =>
      runInTransaction(db, () => {
        for (const record of records) put.run({ ...record, scopes: record.scopes.join(' ') })
        revision.raise()
      }),
    remove: (id) =>
      runInTransaction(db, () => {
        if (remove.run(id).changes === 0) return false
        revision.raise()
        return true
      }),
    list: () =>
      list.all().map((row) => ({ ...row, scopes: String(row.scopes).split(' ') as Scope[] }) as unknown as TokenRecord),
    markUsed: (id, at) => void markUsed.run(at, id),
    revision: () => revision.toPublic(revision.read()),
  }
}
