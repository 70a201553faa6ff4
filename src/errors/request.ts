// The request itself.
import { defineError, type Facts, oneOf } from './define.ts'

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
  'A parameter has a value outside what it may be.',
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
  (suggestion?: string, allowed?: readonly string[]) => ({
    message: `There is nothing under this path; ${
      suggestion ? `did you mean ${suggestion} ?` : allowed ? `${oneOf(allowed)}.` : '/docs lists all there are.'
    }`,
    ...(suggestion && { suggestion }),
    ...(allowed && { allowed }),
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
