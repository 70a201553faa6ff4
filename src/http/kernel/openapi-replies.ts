// The replies of operations in the OpenAPI document.
import type { TSchema } from 'typebox'
import * as errors from '../../errors/index.ts'
import { buildErrorBody } from './error-replies.ts'
import type { ParameterSchema } from './input.ts'
import { type Components, type Reference, toPascalCase } from './openapi-components.ts'
import type { ErrorDefinition, Route } from './route.ts'
import { composeExample, ErrorReply } from './schemas.ts'

const count = { type: 'integer', minimum: 0 }

export const REPLY_HEADERS = {
  'X-Request-Id': { description: 'Identifies this request in the logs.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Maximum number of requests per period and client address.', schema: count },
  'RateLimit-Remaining': { description: 'Number of requests left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds after which at least one more request is available.', schema: count },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: count },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
  Allow: { description: 'The methods that this path supports.', schema: { type: 'string' } },
  Location: { description: 'The URL that the reply redirects to.', schema: { type: 'string' } },
  'Content-Range': { description: 'The range, and the size of the whole file.', schema: { type: 'string' } },
  ETag: { description: 'Identifies this version of the reply.', schema: { type: 'string' } },
}

type HeaderName = keyof typeof REPLY_HEADERS

const LIMIT_HEADERS: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const HEADER_OF_STATUS: Readonly<Record<number, HeaderName>> = {
  302: 'Location',
  303: 'Location',
  304: 'ETag',
  401: 'WWW-Authenticate',
  405: 'Allow',
  416: 'Content-Range',
  429: 'Retry-After',
  503: 'Retry-After',
}

/**
 * The headers of replies with this status, as references into `components`. The limits are in all replies, but only named
 * where clients read them: they would be a twentieth of the document.
 */
function listHeaders({ bucket }: Route, status: number) {
  const extra = HEADER_OF_STATUS[status]
  const hasLimits = bucket !== 'none' && (status < 300 || status === 429)
  const names = ['X-Request-Id', ...(hasLimits ? LIMIT_HEADERS : []), ...(extra ? [extra] : [])]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function describeSuccess(route: Route, operationId: string, components: Components) {
  const { status = 200, reply, otherTypes = [], textExamples = {} } = route
  const content: Record<string, unknown> = {}
  if (reply) {
    const schema = components.addSchema(reply, `${toPascalCase(operationId)}Reply`)
    content['application/json'] = { schema, example: describeExample(route, reply) }
  }
  for (const type of otherTypes) content[type] = { schema: describeType(type), example: textExamples[type] }
  const own = Object.entries(route.replyHeaders ?? {}).map(([name, field]) => {
    const { description, ...schema } = field as ParameterSchema
    return [name, { description, schema: components.describeSchema(schema) }]
  })
  const headers = { ...listHeaders(route, status), ...Object.fromEntries(own) }
  const response = { description: 'Success.', headers, content }
  const { component } = (reply ?? {}) as { component?: string }
  const isShared = component !== undefined && otherTypes.length === 0 && own.length === 0
  return isShared ? components.addResponse(component, response) : response
}

const TEXT_TYPE = /^text\/|[+/](?:json|xml|yaml)$/

/** OpenAPI 3.1 would describe bytes without a schema, but generators only know the format of 3.0. */
export const describeType = (type: string) =>
  TEXT_TYPE.test(type) && type !== 'image/svg+xml' ? { type: 'string' } : { type: 'string', format: 'binary' }

function describeExample({ example }: Route, reply: TSchema): unknown {
  const composed = composeExample(reply)
  return example ? { ...(composed as object), ...example() } : composed
}

export function describeOtherReplies(route: Route, components: Components) {
  const { method, hasEtag = method === 'GET', otherReplies = {}, otherTypes = [] } = route
  const describe = (status: number, description: string) => ({ description, headers: listHeaders(route, status) })
  const types = [...otherTypes, 'multipart/byteranges']
  const parts = { content: Object.fromEntries(types.map((type) => [type, { schema: describeType(type) }])) }
  const others = Object.entries(otherReplies).map(([status, description]) => [
    status,
    { ...describe(Number(status), description), ...(status === '206' && parts) },
  ])
  const notModified = describe(304, 'The client has this version already.')
  return { ...Object.fromEntries(others), ...(hasEtag && { 304: components.addResponse('NotModified', notModified) }) }
}

const COMMON_ERRORS: readonly ErrorDefinition[] = [
  errors.BadRequest,
  errors.Banned,
  errors.MethodNotAllowed,
  errors.UriTooLong,
  errors.InternalError,
]
const QUERY_ERRORS: readonly ErrorDefinition[] = [errors.InvalidParameter, errors.RepeatedParameter]

export const listErrors = ({ bucket, method, query, errors: own = [] }: Route): readonly ErrorDefinition[] => [
  ...new Set([
    ...COMMON_ERRORS,
    ...(bucket === 'none' ? [] : [errors.RateLimited]),
    ...(query ? QUERY_ERRORS : []),
    ...(method === 'GET' ? [] : [errors.UnknownParameter]),
    ...own,
  ]),
]

/** Errors with the same status are one response, named after the codes that not all operations have. */
export function describeErrors(route: Route, components: Components) {
  const responses: Record<string, Reference> = {}
  for (const [status, found = []] of Object.entries(Object.groupBy(listErrors(route), (error) => error.status))) {
    const codes = found.map(({ code }) => code)
    const headers = listHeaders(route, Number(status))
    responses[status] = components.buildResponse(`${codes} ${Object.keys(headers)}`, () => {
      const schema = {
        allOf: [
          components.addSchema(ErrorReply, 'ErrorReply'),
          {
            type: 'object',
            properties: { status: { type: 'integer', const: Number(status) }, code: { type: 'string', enum: codes } },
            required: ['status', 'code'],
          },
        ],
      }
      const own = found.filter((error) => !COMMON_ERRORS.includes(error))
      const name = (own.length > 0 ? own : found).map(({ code }) => toPascalCase(code.toLowerCase())).join('Or')
      const description = found.map(({ code, summary }) => `\`${code}\`: ${summary}`).join('\n\n')
      const examples = Object.fromEntries(found.map(referToExample))
      return { name, response: { description, headers, content: { 'application/json': { schema, examples } } } }
    })
  }
  return responses
}

/** Shared: each of these errors belongs to many operations. */
const referToExample = ({ code }: ErrorDefinition) => [code, { $ref: `#/components/examples/${code}` }]

const EXAMPLE_REQUEST_ID = '5e0a1c9f3b27-418'

export const describeErrorExamples = (routes: readonly Route[]) =>
  Object.fromEntries(
    [...new Set(routes.flatMap(listErrors))].map((error) => [
      error.code,
      { summary: error.summary, value: buildErrorBody(error.buildExample(), EXAMPLE_REQUEST_ID) },
    ]),
  )
