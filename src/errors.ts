// Every error that a client can see, once. A code is public API: add one, never rename or reuse one.
// docs/errors.md, /openapi.json and generated/errors.json are made from this list.

export type Facts = Record<string, unknown>

/** What the one error handler turns into a reply. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly facts: Facts

  constructor(code: string, status: number, message: string, facts: Facts) {
    super(message)
    this.code = code
    this.status = status
    this.facts = facts
  }
}

export interface ErrorClass<Args extends unknown[] = never> {
  new (...args: Args): ApiError
  readonly code: string
  readonly status: number
  readonly summary: string
}

type Told = { message: string } & Facts

/** `tell` says what is wrong and what would be right; whatever else it returns are facts that the reply carries. */
function defineError<Args extends unknown[]>(
  code: string,
  status: number,
  summary: string,
  tell: (...args: Args) => Told,
): ErrorClass<Args> {
  return class extends ApiError {
    static readonly code = code
    static readonly status = status
    static readonly summary = summary

    constructor(...args: Args) {
      const { message, ...facts } = tell(...args)
      super(code, status, message, facts)
    }
  }
}

const oneOf = (allowed: readonly string[]) => `choose one of ${allowed.join(', ')}`

// The request itself

export const BadRequest = defineError(
  'BAD_REQUEST',
  400,
  'The request is not valid HTTP, or lacks what every request needs.',
  (why: string) => ({ message: why }),
)

export const BadPath = defineError(
  'BAD_PATH',
  400,
  'The path holds a percent sign that starts no valid escape.',
  () => ({ message: 'The path is not valid percent-encoded UTF-8; write a literal percent sign as %25.' }),
)

export const InvalidParameter = defineError(
  'INVALID_PARAMETER',
  400,
  'A query parameter has a value outside what it may be.',
  (parameter: string, rule: string, facts: Facts = {}) => ({
    message: `The parameter "${parameter}" must be ${rule}.`,
    parameter,
    ...facts,
  }),
)

export const RepeatedParameter = defineError(
  'REPEATED_PARAMETER',
  400,
  'A query parameter was given more than once.',
  (parameter: string) => ({
    message: `The parameter "${parameter}" was given more than once; give it once.`,
    parameter,
  }),
)

export const InvalidBody = defineError(
  'INVALID_BODY',
  400,
  'The body is not JSON, or a field of it is not what it must be.',
  (why: string, facts: Facts = {}) => ({ message: why, ...facts }),
)

export const UnknownPath = defineError(
  'UNKNOWN_PATH',
  404,
  'There is nothing under this path.',
  (suggestion?: string) => ({
    message: suggestion
      ? `There is nothing under this path; did you mean ${suggestion} ?`
      : 'There is nothing under this path; /docs lists all there are.',
    ...(suggestion && { suggestion }),
  }),
)

export const MethodNotAllowed = defineError(
  'METHOD_NOT_ALLOWED',
  405,
  'The path exists, but not for this method.',
  (method: string, allowed: string[]) => ({
    message: `${method} is not possible here; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const NotAcceptable = defineError(
  'NOT_ACCEPTABLE',
  406,
  'None of the types in the Accept header can be served.',
  (allowed: string[]) => ({
    message: `This endpoint cannot answer in a type that Accept asks for; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const RequestTimeout = defineError('REQUEST_TIMEOUT', 408, 'The request did not arrive whole in time.', () => ({
  message: 'The request did not arrive whole in time; send it again without pauses.',
}))

export const BodyTooLarge = defineError(
  'BODY_TOO_LARGE',
  413,
  'The body is longer than this endpoint takes.',
  (max: number) => ({ message: `The body is longer than ${max} bytes.`, max }),
)

export const UriTooLong = defineError(
  'URI_TOO_LONG',
  414,
  'The URL is longer than the service reads.',
  (max: number) => ({ message: `The URL is longer than ${max} characters.`, max }),
)

export const ExpectationFailed = defineError(
  'EXPECTATION_FAILED',
  417,
  'The Expect header asks for what the service does not do.',
  () => ({ message: 'Only "Expect: 100-continue" is understood; leave the header out.' }),
)

export const HeadersTooLarge = defineError(
  'HEADERS_TOO_LARGE',
  431,
  'The headers are longer than the service reads.',
  (max: number) => ({ message: `The request line and headers together are longer than ${max} bytes.`, max }),
)

export const InternalError = defineError(
  'INTERNAL_ERROR',
  500,
  'A bug of the service; the log has the rest under the requestId.',
  () => ({ message: 'Something broke on our side; tell the operator the requestId.' }),
)

export const ShuttingDown = defineError(
  'SHUTTING_DOWN',
  503,
  'The service is about to stop or restart.',
  (retryAfter: number) => ({ message: 'The service is restarting; try again in a moment.', retryAfter }),
)

export const NotReady = defineError(
  'NOT_READY',
  503,
  'A part that the service needs is not working.',
  (problems: unknown[]) => ({ message: 'The service is not ready; "problems" says why.', problems }),
)

// Developer information

export const UnknownFile = defineError(
  'UNKNOWN_FILE',
  404,
  'There is no such file or folder here.',
  (folder: string) => ({ message: `There is no such file here; ${folder} lists those there are.` }),
)

// Random content

export const UnknownKind = defineError(
  'UNKNOWN_KIND',
  404,
  'The path names a kind, filter, application or tier that does not exist.',
  (kind: string, allowed: string[]) => ({
    message: `There is no "${kind.slice(0, 64)}" here; ${oneOf(allowed)}.`,
    allowed,
  }),
)

export const NothingMatches = defineError(
  'NOTHING_MATCHES',
  404,
  'The kind exists, but no item is left after type and exclude.',
  (available: string[]) => ({
    message:
      available.length > 0
        ? `No item is left with these wishes; this kind has the types ${available.join(', ')}.`
        : 'This kind holds no item at the moment.',
    available,
  }),
)

// Image filters

// The dedicated application

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

// Access and bans
