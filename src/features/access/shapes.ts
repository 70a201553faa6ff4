// Bans, clients and tokens as replies and `--json` show them: times are text.
import type { Ban } from '../../platform/store/index.ts'
import type { Client } from './clients.ts'
import type { Token } from './tokens.ts'

const toTime = (at: number) => new Date(at).toISOString()
const toTimeOrNull = (at: number | null) => (at === null ? null : toTime(at))

export const shapeBan = ({ at, until, ...ban }: Ban) => ({ ...ban, at: toTime(at), until: toTime(until) })

export const shapeClient = ({ createdAt, decidedAt, ...client }: Client) => ({
  ...client,
  createdAt: toTime(createdAt),
  decidedAt: toTimeOrNull(decidedAt),
})

export const shapeToken = ({ createdAt, expiresAt, lastUsedAt, ...token }: Token) => ({
  ...token,
  createdAt: toTime(createdAt),
  expiresAt: toTimeOrNull(expiresAt),
  lastUsedAt: toTimeOrNull(lastUsedAt),
})

export type ShapedBan = ReturnType<typeof shapeBan>
export type ShapedClient = ReturnType<typeof shapeClient>
export type ShapedToken = ReturnType<typeof shapeToken>
