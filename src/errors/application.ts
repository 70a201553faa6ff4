// The dedicated application.
import { defineError, oneOf } from './define.ts'

export const ClientKeyRequired = defineError(
  'CLIENT_KEY_REQUIRED',
  401,
  'The operator serves this only to registered clients, and no key was sent.',
  (askAt: string) => ({
    message: `This needs a key in the header X-Client-Key; ask the operator for one at ${askAt} .`,
    askAt,
  }),
)

export const ClientKeyInvalid = defineError(
  'CLIENT_KEY_INVALID',
  401,
  'The client key is unknown, or was revoked.',
  (askAt: string) => ({
    message: `The key in X-Client-Key is not valid; check it, or ask the operator for one at ${askAt} .`,
    askAt,
  }),
)

export const TooManyRequestsOpen = defineError(
  'TOO_MANY_REQUESTS_OPEN',
  503,
  'So many requests for a client key wait for the operator that no further one is taken.',
  (max: number, retryAfter: number) => ({
    message: `${max} requests wait for the operator already; ask again later.`,
    max,
    retryAfter,
  }),
)

export const UnknownClient = defineError(
  'UNKNOWN_CLIENT',
  404,
  'There is no client or request of this id.',
  (id: string) => ({
    message: `There is no client "${id.slice(0, 64)}"; the command "clients list" names those there are.`,
  }),
)

export const ClientDecided = defineError(
  'CLIENT_DECIDED',
  409,
  'The client is in a state from which this is not possible.',
  (wish: string, state: string, allowed: string[]) => ({
    message:
      state === wish
        ? `This client is ${state} already${state === 'granted' ? '; revoke it first for a new key' : ''}.`
        : `A client that is ${state} cannot be ${wish}; it must be ${allowed.join(' or ')}.`,
    state,
    allowed,
  }),
)

export const UnknownApplication = defineError(
  'UNKNOWN_APPLICATION',
  404,
  'The path names an application that does not exist.',
  (application: string, allowed: string[]) => ({
    message: `There is no application "${application.slice(0, 64)}"; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const UnknownTier = defineError(
  'UNKNOWN_TIER',
  404,
  'The path names a tier that does not exist.',
  (tier: string, allowed: string[]) => ({
    message: `There is no tier "${tier.slice(0, 64)}"; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const NotPublished = defineError(
  'NOT_PUBLISHED',
  404,
  'The record may exist one day, but nothing is published under it now.',
  (what: string) => ({ message: `${what} is not published; ask again later, or for another one.` }),
)

export const FileGone = defineError(
  'FILE_GONE',
  404,
  'The release is published, but its file is missing or no longer the one that was published.',
  (version: string) => ({
    message: `The file of version ${version} is not there as it was published; the operator has to put it back.`,
    version,
  }),
)

export const InvalidVersion = defineError(
  'INVALID_VERSION',
  400,
  'A version in the query is not a semantic version.',
  (parameter: string) => ({
    message: `The parameter "${parameter}" must be a semantic version such as 2.1.0 or 2.1.0-beta.1.`,
    parameter,
  }),
)
