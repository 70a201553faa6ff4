// The request itself, and the state of the service.
import { defineError, type ErrorDetails, quote, useOneOf } from './define.ts'

export const BadRequest = defineError(
  'BAD_REQUEST',
  400,
  'The request is not valid HTTP, or its Host header is missing, repeated or invalid.',
  (message: string) => ({ message }),
  'The request is not valid HTTP/1.1.',
)

export const BadPath = defineError('BAD_PATH', 400, 'The path contains an invalid percent escape.', () => ({
  message: 'The path is not valid percent-encoded UTF-8. Write a literal percent sign as %25.',
}))

export const InvalidParameter = defineError(
  'INVALID_PARAMETER',
  400,
  'A parameter has an invalid value.',
  (parameter: string, rule: string, details: ErrorDetails = {}) => ({
    message: `The parameter "${parameter}" must be ${rule}.`,
    parameter,
    ...details,
  }),
  'format',
  'one of: json, text',
  { allowed: ['json', 'text'] },
)

export const RepeatedParameter = defineError(
  'REPEATED_PARAMETER',
  400,
  'A query parameter is repeated.',
  (parameter: string) => ({ message: `The parameter "${parameter}" is repeated. Send it once.`, parameter }),
  'format',
)

export const UnknownParameter = defineError(
  'UNKNOWN_PARAMETER',
  400,
  'A request that changes something has an unknown query parameter.',
  (parameter: string, allowed: readonly string[]) => ({
    message: `There is no parameter ${quote(parameter)}. ${allowed.length > 0 ? useOneOf(allowed) : 'Leave it out.'}`,
    allowed,
  }),
  'dry',
  ['dryRun'],
)

export const InvalidBody = defineError(
  'INVALID_BODY',
  400,
  'The body is not JSON, or one of its fields is invalid.',
  (message: string, details: ErrorDetails = {}) => ({ message, ...details }),
  'The field "name" is missing.',
)

export const UnknownPath = defineError(
  'UNKNOWN_PATH',
  404,
  'The path does not exist.',
  (suggestion?: string, allowed?: readonly string[]) => ({
    message: `This path does not exist. ${
      suggestion ? `Did you mean ${suggestion} ?` : allowed ? useOneOf(allowed) : '/docs lists all endpoints.'
    }`,
    ...(suggestion && { suggestion }),
    ...(allowed && { allowed }),
  }),
  '/api/v2/random/animal/cat',
)

export const MethodNotAllowed = defineError(
  'METHOD_NOT_ALLOWED',
  405,
  'The path exists, but does not support this method.',
  (method: string, allowed: string[]) => ({
    message: `This path does not support ${method}. ${useOneOf(allowed)}`,
    allowed,
  }),
  'PATCH',
  ['GET', 'HEAD'],
)

export const RequestTimeout = defineError('REQUEST_TIMEOUT', 408, 'The request did not arrive in time.', () => ({
  message: 'The request took too long to arrive. Send it again.',
}))

export const PreconditionFailed = defineError(
  'PRECONDITION_FAILED',
  412,
  'The condition in If-Match, If-None-Match or If-Unmodified-Since is not met.',
  (message?: string) => ({
    message: message ?? 'The file has changed. Request it again without If-Match and If-Unmodified-Since.',
  }),
)

export const BodyTooLarge = defineError(
  'BODY_TOO_LARGE',
  413,
  'The body is longer than this endpoint accepts.',
  (max: number) => ({ message: `The body is longer than ${max} bytes. Send a shorter body.`, max }),
  65_536,
)

export const UriTooLong = defineError(
  'URI_TOO_LONG',
  414,
  'The URL is longer than the service accepts.',
  (max: number) => ({ message: `The URL is longer than ${max} characters. Send a shorter URL.`, max }),
  8192,
)

export const RangeNotSatisfiable = defineError(
  'RANGE_NOT_SATISFIABLE',
  416,
  'All ranges in the Range header are outside the file, or there are more than 1,000.',
  (size: number) => ({ message: `The file has ${size} bytes. Request up to 1,000 ranges within them.`, size }),
  11_680,
)

export const ExpectationFailed = defineError(
  'EXPECTATION_FAILED',
  417,
  'The Expect header has an unsupported value.',
  () => ({ message: 'Only "Expect: 100-continue" is supported. Leave the header out.' }),
)

export const HeadersTooLarge = defineError(
  'HEADERS_TOO_LARGE',
  431,
  'The headers are longer than the service accepts.',
  (max: number) => ({
    message: `The request line and headers are longer than ${max} bytes. Send shorter headers.`,
    max,
  }),
  32_768,
)

export const InternalError = defineError(
  'INTERNAL_ERROR',
  500,
  'Unexpected error in the service. The log entry with the same requestId has the details.',
  () => ({ message: 'Something went wrong in the service. Send the requestId to the operator.' }),
)

export const Busy = defineError(
  'BUSY',
  503,
  'The service is overloaded: a queue (filters, drawings or files) is full, the request took too long, or slow image ' +
    'sources or slow clients occupy the memory.',
  (retryAfter: number) => ({ message: `The service is busy. Retry in ${retryAfter} s.`, retryAfter }),
  2,
)

export const LoopDetected = defineError(
  'LOOP_DETECTED',
  508,
  'A filter request (header CDN-Loop) fetched a URL of this service that is not below /media.',
  () => ({ message: 'A filter can fetch from this service only below /media. Use the URL of a picture.' }),
)

export const MethodUnknown = defineError(
  'METHOD_UNKNOWN',
  501,
  'The service does not know the method, on any path.',
  (method: string) => ({ message: `The service does not know the method ${method}. Most endpoints need GET.` }),
  'BREW',
)

export const NotReady = defineError(
  'NOT_READY',
  503,
  'The service is shutting down.',
  (problems: unknown[]) => ({
    message: 'The service is shutting down. Retry later. "problems" lists all problems.',
    problems,
  }),
  [{ part: 'service', message: 'The service is shutting down.' }],
)
