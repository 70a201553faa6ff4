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

export const RangeNotSatisfiable = defineError(
  'RANGE_NOT_SATISFIABLE',
  416,
  'Nothing of the range that the Range header asks for lies within the file.',
  (size: number) => ({ message: `The file has ${size} bytes; ask for a range within them.`, size }),
)

// Random content

export const UnknownKind = defineError(
  'UNKNOWN_KIND',
  404,
  'The path names a kind or a filter that does not exist.',
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

export const MediaNotFound = defineError('MEDIA_NOT_FOUND', 404, 'There is no such picture.', () => ({
  message: 'There is no such picture, or it was replaced; ask the random endpoint of its kind for another.',
}))

// Image filters

export const ImageMissing = defineError('IMAGE_MISSING', 400, 'The parameter "image" is mandatory.', () => ({
  message: 'The parameter "image" is missing; give the URL of a picture, percent-encoded.',
}))

export const ImageUrlInvalid = defineError(
  'IMAGE_URL_INVALID',
  400,
  'The image is not an absolute http(s) URL, is too long, or holds credentials.',
  (why: string) => ({ message: `The image URL ${why}; give an absolute http or https URL without credentials.` }),
)

export const StrengthNotANumber = defineError(
  'STRENGTH_NOT_A_NUMBER',
  400,
  'The strength is not a finite decimal number.',
  (min: number, max: number) => ({
    message: `The strength must be a decimal number from ${min} to ${max}, such as ${max}.`,
    min,
    max,
  }),
)

export const StrengthOutOfRange = defineError(
  'STRENGTH_OUT_OF_RANGE',
  400,
  'The strength is below or above what this filter takes.',
  (min: number, max: number) => ({ message: `The strength must be from ${min} to ${max}.`, min, max }),
)

export const ImageHostBlocked = defineError(
  'IMAGE_HOST_BLOCKED',
  403,
  'The host of the image, or a parent domain of it, is on the blocking list.',
  (host: string) => ({ message: `Pictures of "${host.slice(0, 253)}" are blocked here; use another source.`, host }),
)

/** Says no address: what a name resolved to inside the network is not for strangers. */
export const ImageAddressForbidden = defineError(
  'IMAGE_ADDRESS_FORBIDDEN',
  403,
  'The image is not on the public internet, by whatever spelling, DNS answer or redirect.',
  (why = 'is not on the public internet') => ({
    message: `The address of the image ${why}; use a picture that anyone can reach.`,
  }),
)

export const ImageTooLarge = defineError(
  'IMAGE_TOO_LARGE',
  413,
  'The image has more bytes than the service reads.',
  (max: number) => ({ message: `The image is larger than ${max} bytes.`, max }),
)

export const ImageTooManyPixels = defineError(
  'IMAGE_TOO_MANY_PIXELS',
  413,
  'The image has more pixels or frames than the service decodes.',
  (what: 'pixels over all frames' | 'frames' | 'pixels a side', max: number) => ({
    message: `The image has more than ${max} ${what}; choose a smaller one.`,
    max,
  }),
)

export const ImageTypeUnsupported = defineError(
  'IMAGE_TYPE_UNSUPPORTED',
  415,
  'The source is of a type that the service does not read, such as SVG, PDF or HTML.',
  (type: string, allowed: string[]) => ({ message: `The source is ${type}; ${oneOf(allowed)}.`, allowed }),
)

export const ImageUnreadable = defineError(
  'IMAGE_UNREADABLE',
  422,
  'The source is not an image, or a broken one.',
  (why: string) => ({ message: `The image cannot be read: ${why}.` }),
)

export const ImageUnreachable = defineError(
  'IMAGE_UNREACHABLE',
  502,
  'The source cannot be reached, or answers with anything but a picture.',
  (sourceStatus: number | null, why = `answered with status ${sourceStatus}`) => ({
    message: `The source of the image ${why}; check the URL, or try again later.`,
    sourceStatus,
  }),
)

export const Busy = defineError('BUSY', 503, 'More images are waiting than can be queued.', (retryAfter: number) => ({
  message: `Too much is waiting; try again in ${retryAfter} s.`,
  retryAfter,
}))

export const ImageTimeout = defineError(
  'IMAGE_TIMEOUT',
  504,
  'The source of the image was too slow.',
  (max: number) => ({ message: `The source of the image took longer than ${max} ms.`, max }),
)

// The dedicated application

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
  (id: string) => ({ message: `There is no client "${id.slice(0, 64)}"; the list of clients has those there are.` }),
)

export const ClientDecided = defineError(
  'CLIENT_DECIDED',
  409,
  'The client is in a state from which this is not possible.',
  (wish: string, state: string, allowed: string[]) => ({
    message: `A client that is ${state} cannot be ${wish}; it must be ${allowed.join(' or ')}.`,
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

// Access and bans

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
  message: `There is no token "${id.slice(0, 64)}"; the list of tokens has those there are.`,
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

export const NotBanned = defineError('NOT_BANNED', 404, 'The address is not banned.', (address: string) => ({
  message: `"${address.slice(0, 64)}" is not banned; the list of bans has those that are.`,
}))
