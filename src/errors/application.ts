// v5, the API of one product (`APP_NAME`): client keys, releases and tiers.
import { defineError, quote, useOneOf } from './define.ts'

export const ClientKeyRequired = defineError(
  'CLIENT_KEY_REQUIRED',
  401,
  'Only registered clients may use this endpoint, and the request has no client key.',
  (askAt: string) => ({
    message: `This endpoint requires the header X-Client-Key. Request a key at ${askAt} .`,
    askAt,
  }),
  'https://menagerie.example/v5-access',
)

export const ClientKeyInvalid = defineError(
  'CLIENT_KEY_INVALID',
  401,
  'The client key is unknown or revoked.',
  (askAt: string) => ({
    message: `The key in X-Client-Key is unknown or revoked. Request a new key at ${askAt} .`,
    askAt,
  }),
  'https://menagerie.example/v5-access',
)

export const TooManyKeyRequests = defineError(
  'TOO_MANY_REQUESTS_OPEN',
  503,
  'Too many key requests wait for the decision of the operator.',
  (max: number, retryAfter: number) => ({
    message: `${max} key requests wait for the decision of the operator. Retry in ${retryAfter} s.`,
    max,
    retryAfter,
  }),
  1000,
  3600,
)

export const UnknownClient = defineError(
  'UNKNOWN_CLIENT',
  404,
  'No client or key request has this id.',
  (id: string) => ({ message: `There is no client ${quote(id)}. The command "clients list" shows all clients.` }),
  'k7f3q9',
)

export const ClientDecided = defineError(
  'CLIENT_DECIDED',
  409,
  'The client cannot be changed in this way: only a pending client can be refused, only a granted one revoked, and a ' +
    'granted one gets no second key.',
  (target: string, state: string, allowed: string[]) => ({
    message:
      state === target
        ? `This client is already ${state}.${state === 'granted' ? ' To issue a new key, revoke the current one first.' : ''}`
        : `The client is in state "${state}". To become "${target}", it must be in state "${allowed.join('" or "')}".`,
    state,
    allowed,
  }),
  'revoked',
  'pending',
  ['granted'],
)

export const UnknownApplication = defineError(
  'UNKNOWN_APPLICATION',
  404,
  'The application in the path does not exist.',
  (application: string, allowed: string[]) => ({
    message: `There is no application ${quote(application)}. ${useOneOf(allowed)}`,
    allowed,
  }),
  'game',
  ['launcher', 'reshade', 'fpsUnlocker'],
)

export const UnknownTier = defineError(
  'UNKNOWN_TIER',
  404,
  'The tier in the path does not exist.',
  (tier: string, allowed: string[]) => ({
    message: `There is no tier ${quote(tier)}. ${useOneOf(allowed)}`,
    allowed,
  }),
  '9',
  ['1', '2', '3'],
)

export const NotPublished = defineError(
  'NOT_PUBLISHED',
  404,
  'The path is valid, but nothing is published under it.',
  (subject: string) => ({ message: `Not published: ${subject}. Retry later.` }),
  'a release of reshade for linux',
)

export const FileGone = defineError(
  'FILE_GONE',
  404,
  'The release is published, but its file is missing or was changed.',
  (version: string) => ({
    message: `The file of version ${version} is missing or was changed. The operator must restore it.`,
    version,
  }),
  '2.1.0',
)

export const InvalidVersion = defineError(
  'INVALID_VERSION',
  400,
  'A version in the path or query is not valid.',
  (parameter: string) => ({
    message: `The parameter "${parameter}" must be a version of one to four numbers such as 8.7.3.1 or 2.1.0-beta.1: at most 100 characters, 15 digits per number, and no leading zeros.`,
    parameter,
  }),
  'current',
)
