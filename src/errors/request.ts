// The request itself, and the state of the service.
import { defineError, type ErrorDetails, quote, useOneOf } from './define.ts'

export const BadRequest = defineError('BAD_REQUEST', 400, {
  summary: 'The request is not valid HTTP, or its Host header is missing, repeated or invalid.',
  example: ['The request is not valid HTTP/1.1.'],
  describe: (message: string) => message,
})

export const BadPath = defineError('BAD_PATH', 400, {
  summary: 'The path contains an invalid percent escape.',
  describe: () => 'The path is not valid percent-encoded UTF-8. Write a literal percent sign as %25.',
})

export const InvalidParameter = defineError('INVALID_PARAMETER', 400, {
  summary: 'A parameter has an invalid value.',
  example: ['format', 'one of json, text', { allowed: ['json', 'text'] }],
  describe: (parameter: string, rule: string, details: ErrorDetails = {}) => ({
    message: `The parameter "${parameter}" must be ${rule}.`,
    parameter,
    ...details,
  }),
})

export const RepeatedParameter = defineError('REPEATED_PARAMETER', 400, {
  summary: 'A query parameter is repeated.',
  example: ['format'],
  describe: (parameter: string) => ({ message: `The parameter "${parameter}" is repeated. Send it once.`, parameter }),
})

export const UnknownParameter = defineError('UNKNOWN_PARAMETER', 400, {
  summary: 'A request that changes something has an unknown query parameter.',
  example: ['dry', ['dryRun']],
  describe: (parameter: string, allowed: readonly string[]) => ({
    message: `There is no parameter ${quote(parameter)}. ${allowed.length > 0 ? useOneOf(allowed) : 'Leave it out.'}`,
    allowed,
  }),
})

export const InvalidBody = defineError('INVALID_BODY', 400, {
  summary: 'The body is not JSON, or one of its fields is invalid.',
  example: ['The field "name" is missing.'],
  describe: (message: string, details: ErrorDetails = {}) => ({ message, ...details }),
})

export const UnknownPath = defineError('UNKNOWN_PATH', 404, {
  summary: 'The path does not exist.',
  example: ['/api/v2/random/animal/cat'],
  describe: (suggestion?: string, allowed?: readonly string[]) => ({
    message: `This path does not exist. ${
      suggestion ? `Did you mean ${suggestion} ?` : allowed ? useOneOf(allowed) : '/docs lists all endpoints.'
    }`,
    ...(suggestion && { suggestion }),
    ...(allowed && { allowed }),
  }),
})

export const MethodNotAllowed = defineError('METHOD_NOT_ALLOWED', 405, {
  summary: 'The path exists, but does not support this method.',
  example: ['PATCH', ['GET', 'HEAD']],
  describe: (method: string, allowed: string[]) => ({
    message: `This path does not support ${method}. ${useOneOf(allowed)}`,
    allowed,
  }),
})

export const RequestTimeout = defineError('REQUEST_TIMEOUT', 408, {
  summary: 'The request did not arrive in time.',
  describe: () => 'The request took too long to arrive. Send it again.',
})

export const PreconditionFailed = defineError('PRECONDITION_FAILED', 412, {
  summary: 'The condition in If-Match, If-None-Match or If-Unmodified-Since is not met.',
  describe: (message?: string) =>
    message ?? 'The file has changed. Request it again without If-Match and If-Unmodified-Since.',
})

export const BodyTooLarge = defineError('BODY_TOO_LARGE', 413, {
  summary: 'The body is longer than this endpoint accepts.',
  example: [65_536],
  describe: (max: number) => ({ message: `The body is longer than ${max} bytes. Send a shorter body.`, max }),
})

export const UriTooLong = defineError('URI_TOO_LONG', 414, {
  summary: 'The URL is longer than the service accepts.',
  example: [8192],
  describe: (max: number) => ({ message: `The URL is longer than ${max} characters. Send a shorter URL.`, max }),
})

export const RangeNotSatisfiable = defineError('RANGE_NOT_SATISFIABLE', 416, {
  summary: 'All ranges in the Range header are outside the file, or there are more than 1,000.',
  example: [11_680],
  describe: (size: number) => ({
    message: `The file has ${size} bytes. Request up to 1,000 ranges within them.`,
    size,
  }),
})

export const ExpectationFailed = defineError('EXPECTATION_FAILED', 417, {
  summary: 'The Expect header has an unsupported value.',
  describe: () => 'Only "Expect: 100-continue" is supported. Leave the header out.',
})

export const HeadersTooLarge = defineError('HEADERS_TOO_LARGE', 431, {
  summary: 'The request has longer headers, or more of them, than the service accepts.',
  example: [32_768, 128],
  describe: (max: number, maxCount: number) => ({
    message: `The request line and headers may have ${max} bytes and ${maxCount} headers. Send shorter or fewer headers.`,
    max,
  }),
})

export const InternalError = defineError('INTERNAL_ERROR', 500, {
  summary: 'Unexpected error in the service. The log entry with the same requestId has the details.',
  describe: () => 'Something went wrong in the service. Send the requestId to the operator.',
})

export const Busy = defineError('BUSY', 503, {
  summary:
    'The service is overloaded: a queue (filters, drawings or files) is full, the request took too long, or slow image ' +
    'sources or slow clients occupy the memory.',
  example: [2],
  describe: (retryAfter: number) => ({ message: `The service is busy. Retry in ${retryAfter} s.`, retryAfter }),
})

export const LoopDetected = defineError('LOOP_DETECTED', 508, {
  summary: 'A filter request (header CDN-Loop) fetched a URL of this service that is not below /media.',
  describe: () => 'A filter can fetch from this service only below /media. Use the URL of a picture.',
})

export const MethodUnknown = defineError('METHOD_UNKNOWN', 501, {
  summary: 'The service does not know the method, on any path.',
  example: ['BREW'],
  describe: (method: string) => `The service does not know the method ${method}. Most endpoints need GET.`,
})

export const NotReady = defineError('NOT_READY', 503, {
  summary: 'The service is shutting down.',
  example: [[{ part: 'service', message: 'the service is stopping' }]],
  describe: (problems: unknown[]) => ({
    message: 'The service is shutting down. Retry later. "problems" lists all problems.',
    problems,
  }),
})
