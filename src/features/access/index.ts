import type { Ban } from '../../platform/store/index.ts'
import type { Client } from './clients.ts'
import type { Token } from './tokens.ts'

export { detectAttack, detectAttackInHeaders, detectAttackInText } from './attack-patterns.ts'
export { BAN_HOURS, readBanOptions } from './ban-index.ts'
export { type BanOptions, type Bans, createBans } from './bans.ts'
export { type Client, ClientRequest, type Clients, createClients } from './clients.ts'
export { createRateLimiter, type RateLimit, type RateLimitResult } from './rate-limiter.ts'
export { computeAllowance, createSharedRateLimiter, type SharedRateLimiter } from './shared-rate-limiter.ts'
export * from './tokens.ts'

// Converts bans, clients and tokens to the JSON of replies and of `--json`, in which times are text.
const toTime = (at: number) => new Date(at).toISOString()
const toTimeOrNull = (at: number | null) => (at === null ? null : toTime(at))

export const toBanJson = ({ at, until, ...ban }: Ban) => ({ ...ban, at: toTime(at), until: toTime(until) })

export const toClientJson = ({ createdAt, decidedAt, ...client }: Client) => ({
  ...client,
  createdAt: toTime(createdAt),
  decidedAt: toTimeOrNull(decidedAt),
})

export const toTokenJson = ({ createdAt, expiresAt, lastUsedAt, ...token }: Token) => ({
  ...token,
  createdAt: toTime(createdAt),
  expiresAt: toTimeOrNull(expiresAt),
  lastUsedAt: toTimeOrNull(lastUsedAt),
})

export type BanJson = ReturnType<typeof toBanJson>
export type ClientJson = ReturnType<typeof toClientJson>
export type TokenJson = ReturnType<typeof toTokenJson>
