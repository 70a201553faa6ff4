// Rate limits, bans, operator tokens, client keys, and the store behind them.
import { defineError, quote } from './define.ts'

export const RateLimited = defineError('RATE_LIMITED', 429, {
  summary: 'The client sent more requests than its rate limit allows.',
  example: [600, 60, 2],
  describe: (requests: number, seconds: number, retryAfter: number, scope = 'address') => ({
    message: `The limit is ${requests} requests in ${seconds} s per ${scope}. Retry in ${retryAfter} s.`,
    retryAfter,
  }),
})

export const StoreUnavailable = defineError('STORE_UNAVAILABLE', 503, {
  summary: 'The store of keys, tokens, bans and counts is unavailable.',
  example: [5],
  describe: (retryAfter: number) => ({
    message: `The store that this endpoint needs is unavailable. Retry in ${retryAfter} s.`,
    retryAfter,
  }),
})

export const TokenRequired = defineError('TOKEN_REQUIRED', 401, {
  summary: 'The request has no operator token.',
  describe: () => 'This endpoint requires an operator token. Send the header "Authorization: Bearer <token>".',
})

export const TokenInvalid = defineError('TOKEN_INVALID', 401, {
  summary: 'The operator token is unknown, expired or revoked.',
  describe: () => 'The operator token is unknown, expired or revoked. The command "token create" creates a new one.',
})

export const TokenScopeMissing = defineError('TOKEN_SCOPE_MISSING', 403, {
  summary: 'The operator token is valid, but does not have the required scope.',
  example: ['publish'],
  describe: (scope: string) => ({
    message: `The operator token does not have the scope "${scope}". Use a token that was created with --scope ${scope}.`,
    scope,
  }),
})

export const SignInRefused = defineError('SIGN_IN_REFUSED', 403, {
  summary: 'The sign-in link of the dashboard cannot be used.',
  example: ['it has expired'],
  describe: (reason: string) =>
    `This sign-in link cannot be used: ${reason}. Sign in with a token, or restart the service on a terminal, which ` +
    'prints a new link.',
})

export const Banned = defineError('BANNED', 403, {
  summary: 'The address of the client is banned.',
  example: ['2026-12-02T09:30:00.000Z'],
  describe: (until: string) => ({
    message: `This address is banned until ${until}. Contact the operator if this is a mistake.`,
    until,
  }),
})

export const MetricsNotAllowed = defineError('METRICS_NOT_ALLOWED', 403, {
  summary: 'Only the addresses in METRICS_ALLOW may read the metrics.',
  example: ['this address is not among them'],
  describe: (reason: string) => `Only the addresses in METRICS_ALLOW may read the metrics, and ${reason}.`,
})

export const NotBanned = defineError('NOT_BANNED', 404, {
  summary: 'The address is not banned.',
  example: ['203.0.113.7'],
  describe: (address: string) => `${quote(address)} is not banned. The command "ban list" shows all bans.`,
})

export const ClientKeyRequired = defineError('CLIENT_KEY_REQUIRED', 401, {
  summary: 'Only registered clients may use this endpoint, and the request has no client key.',
  example: ['https://menagerie.example/v5-access'],
  describe: (keyRequestUrl: string) => ({
    message: `This endpoint requires the header X-Client-Key. Request a key at ${keyRequestUrl} .`,
    keyRequestUrl,
  }),
})

export const ClientKeyInvalid = defineError('CLIENT_KEY_INVALID', 401, {
  summary: 'The client key is unknown or revoked.',
  example: ['https://menagerie.example/v5-access'],
  describe: (keyRequestUrl: string) => ({
    message: `The key in X-Client-Key is unknown or revoked. Request a new key at ${keyRequestUrl} .`,
    keyRequestUrl,
  }),
})

export const TooManyKeyRequests = defineError('TOO_MANY_REQUESTS_OPEN', 503, {
  summary: 'Too many key requests are pending.',
  example: [200, 3600],
  describe: (max: number, retryAfter: number) => ({
    message: `${max} key requests are pending. Retry in ${retryAfter} s.`,
    max,
    retryAfter,
  }),
})

export const UnknownClient = defineError('UNKNOWN_CLIENT', 404, {
  summary: 'No client or key request has this id.',
  example: ['8a7c9226-b593-46f3-bd26-a2af075c0380'],
  describe: (id: string) => `There is no client ${quote(id)}. The command "clients list" shows all clients.`,
})

export const ClientDecided = defineError('CLIENT_DECIDED', 409, {
  summary:
    'The client cannot be changed in this way: only a pending client can be refused, only a granted one revoked, and a ' +
    'granted one gets no second key.',
  example: ['revoked', 'pending', ['granted']],
  describe: (target: string, state: string, allowed: string[]) => ({
    message:
      state === target
        ? `This client is already ${state}.${state === 'granted' ? ' To issue a new key, revoke the current one first.' : ''}`
        : `The client is in state "${state}". To become "${target}", it must be in state "${allowed.join('" or "')}".`,
    state,
    allowed,
  }),
})
