import type { Scope, TokenRecord, Tokens } from '../store.ts'
import { createRevision, type OpenDatabase, runInTransaction, type Sync } from './database.ts'

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
