export { type BanOptions, Bans } from './bans.ts'
export { type Client, ClientRequest, type Clients, createClients } from './clients.ts'
export { detectAttack } from './detect-attack.ts'
export { createRateLimiter, type RateLimit, type RateLimiter, type RateLimitResult } from './rate-limiter.ts'
export {
  computeCredit,
  createSharedRateLimiter,
  type SharedLimiterStatus,
  type SharedRateLimiter,
} from './shared-rate-limiter.ts'
export { createTokens, parseBearerToken, scopes, type Token, type Tokens } from './tokens.ts'
