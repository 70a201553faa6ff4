// Rate limits, bans, operator tokens and the store behind them.
import { defineError, quote } from './define.ts'

export const RateLimited = defineError(
  'RATE_LIMITED',
  429,
  'The client sent more requests than its rate limit allows.',
  (requests: number, seconds: number, retryAfter: number, scope = 'address') => ({
    message: `The limit is ${requests} requests in ${seconds} s per ${scope}. Retry in ${retryAfter} s.`,
    retryAfter,
  }),
  120,
  60,
  2,
)

export const StoreUnavailable = defineError(
  'STORE_UNAVAILABLE',
  503,
  'The store of keys, tokens, bans and counts is unavailable.',
  (retryAfter: number) => ({
    message: `The store that this endpoint needs is unavailable. Retry in ${retryAfter} s.`,
    retryAfter,
  }),
  5,
)

export const TokenRequired = defineError('TOKEN_REQUIRED', 401, 'The request has no operator token.', () => ({
  message: 'This endpoint requires an operator token. Send the header "Authorization: Bearer <token>".',
}))

export const TokenInvalid = defineError(
  'TOKEN_INVALID',
  401,
  'The operator token is unknown, expired or revoked.',
  () => ({
    message: 'The operator token is unknown, expired or revoked. The command "token create" creates a new one.',
  }),
)

export const TokenScopeMissing = defineError(
  'TOKEN_SCOPE_MISSING',
  403,
  'The operator token is valid, but does not have the required scope.',
  (scope: string) => ({
    message: `The operator token does not have the scope "${scope}". Use a token that was created with --scope ${scope}.`,
    scope,
  }),
  'publish',
)

export const SignInRefused = defineError(
  'SIGN_IN_REFUSED',
  403,
  'The sign-in link of the dashboard cannot be used.',
  (reason: string) => ({
    message:
      `This sign-in link cannot be used: ${reason}. Sign in with a token, or restart the service on a terminal, which ` +
      'prints a new link.',
  }),
  'it has expired',
)

export const Banned = defineError(
  'BANNED',
  403,
  'The address of the client is banned.',
  (until: string) => ({
    message: `This address is banned until ${until}. Contact the operator if this is a mistake.`,
    until,
  }),
  '2026-12-02T09:30:00.000Z',
)

export const MetricsNotAllowed = defineError(
  'METRICS_NOT_ALLOWED',
  403,
  'Only the addresses in METRICS_ALLOW may read the metrics.',
  (reason: string) => ({ message: `Only the addresses in METRICS_ALLOW may read the metrics, and ${reason}.` }),
  'this address is not among them',
)

export const NotBanned = defineError(
  'NOT_BANNED',
  404,
  'The address is not banned.',
  (address: string) => ({
    message: `${quote(address)} is not banned. The command "ban list" shows all bans.`,
  }),
  '203.0.113.7',
)
