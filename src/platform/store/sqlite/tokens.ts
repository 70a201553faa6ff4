import type { Scope, TokenRecord, Tokens } from '../store.ts'
import { atOnce, firstRevision, type Opened, revisionOf, type Sync } from './part.ts'

export function tokensIn(opened: Opened): Sync<Tokens> {
  const { db } = opened
  const put = db.prepare(
    `INSERT OR REPLACE INTO tokens (id, label, hash, scopes, createdAt, expiresAt, lastUsedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = db.prepare('DELETE FROM tokens WHERE id = ?')
  const list = db.prepare('SELECT * FROM tokens ORDER BY createdAt, id')
  const used = db.prepare('UPDATE tokens SET lastUsedAt = ? WHERE id = ?')
  const revision = revisionOf(db, 'tokens')

  return {
    put: (records) =>
      atOnce(db, () => {
        for (const { id, label, hash, scopes, createdAt, expiresAt, lastUsedAt } of records)
          put.run(id, label, hash, scopes.join(' '), createdAt, expiresAt, lastUsedAt)
        revision.raise()
      }),
    remove: (id) =>
      atOnce(db, () => {
        if (remove.run(id).changes === 0) return false
        revision.raise()
        return true
      }),
    list: () =>
      list.all().map((row) => ({ ...row, scopes: String(row.scopes).split(' ') as Scope[] }) as unknown as TokenRecord),
    used: (id, at) => void used.run(at, id),
    revision: () => firstRevision(opened) + revision.read(),
  }
}
