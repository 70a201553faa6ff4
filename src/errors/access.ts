// Access and bans.
import { defineError } from './define.ts'

export const RateLimited = defineError(
  'RATE_LIMITED',
  429,
  'This address asked more often than it may.',
  (requests: number, seconds: number, retryAfter: number) => ({
    message: `An address may ask this ${requests} times in ${seconds} s; try again in ${retryAfter} s.`,
    retryAfter,
  }),
)

export const StoreUnavailable = defineError(
  'STORE_UNAVAILABLE',
  503,
  'The store that holds keys, tokens, bans and counts is away.',
  (retryAfter: number) => ({
    message: 'The store behind this endpoint does not work at the moment; try again in a few seconds.',
    retryAfter,
  }),
)

export const TokenRequired = defineError('TOKEN_REQUIRED', 401, 'No operator token was sent.', () => ({
  message: 'This needs an operator token: send the header "Authorization: Bearer <token>".',
}))

export const TokenInvalid = defineError('TOKEN_INVALID', 401, 'The operator token is not valid.', () => ({
  message: 'The token is not valid; an operator makes one with the command "token create".',
}))

export const TokenScopeMissing = defineError(
  'TOKEN_SCOPE_MISSING',
  403,
  'The operator token is valid, but not for this.',
  (scope: string) => ({ message: `The token lacks the scope "${scope}".`, scope }),
)

export const UnknownToken = defineError('UNKNOWN_TOKEN', 404, 'There is no token of this id.', (id: string) => ({
  message: `There is no token "${id.slice(0, 64)}"; the command "token list" names those there are.`,
}))

export const Banned = defineError(
  'BANNED',
  403,
  'The address of the caller is shut out for a time.',
  (until: string) => ({
    message: `This address is banned until ${until}; write to the operator if that is a mistake.`,
    until,
  }),
)

export const MetricsNotAllowed = defineError(
  'METRICS_NOT_ALLOWED',
  403,
  'The metrics are for the addresses in METRICS_ALLOW only.',
  (why: string) => ({ message: `The metrics are for the addresses in METRICS_ALLOW only, and ${why}.` }),
)

export const NotBanned = defineError('NOT_BANNED', 404, 'The address is not banned.', (address: string) => ({
  message: `"${address.slice(0, 64)}" is not banned; the command "ban list" names those that are.`,
}))
