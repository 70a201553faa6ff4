import type { TSchema } from 'typebox'
import * as errors from '../../errors/index.ts'
import { buildErrorExample, composeExample } from './examples.ts'
import type { ParameterSchema } from './input.ts'
import type { ErrorDefinition, Fields, Route } from './route.ts'
import { ErrorReply } from './schemas.ts'

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Record<string, Record<string, unknown>>
  readonly [key: string]: unknown
}

const DESCRIPTION = `Random animals, kaomoji, 8ball answers and videos; image filters by URL; developer information (version,
uptime, logs, generated files); and the API of one product (v5), with the applications launcher, reshade and
fpsUnlocker. Pictures of animals are files of the operator, or drawings that the service generates from a seed.

Every successful JSON reply contains \`success: true\` and \`status\`, except third-party formats (OpenAPI, JSON Feed,
Tauri, Velopack). Every error is JSON with a stable \`code\` and a \`message\` that says how to fix the request;
only a browser that opens an unknown page gets HTML. GET endpoints also support HEAD.`

const SECURITY_SCHEMES = {
  operator: { type: 'http', scheme: 'bearer', description: 'An operator token.' },
  clientKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Client-Key',
    description: 'A client key. Request one at `/v5-access`.',
  },
}

const count = { type: 'integer', minimum: 0 }

const REPLY_HEADERS = {
  'X-Request-Id': { description: 'Identifies this request in the logs.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Maximum number of requests per period and client address.', schema: count },
  'RateLimit-Remaining': { description: 'Number of requests left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds after which at least one more request is available.', schema: count },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: count },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
  Allow: { description: 'The methods that this path supports.', schema: { type: 'string' } },
}

type HeaderName = keyof typeof REPLY_HEADERS

const LIMIT_HEADERS: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
const HEADER_OF_STATUS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
}

/** The headers of replies with this status, as references into `components`. */
function listHeaders({ bucket }: Route, status: number) {
  const extra = HEADER_OF_STATUS[status]
  const names = ['X-Request-Id', ...(bucket === 'none' ? [] : LIMIT_HEADERS), ...(extra ? [extra] : [])]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/**
 * Builds the OpenAPI 3.1 document from the routes and schemas that also validate requests. Enums of `CurrentEnum` are
 * read when the document is written as JSON.
 */
export function describeApi(routes: readonly Route[], version: string, publicUrl: string): ApiDocument {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = toPathTemplate(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, path) }
    if (route.method === 'GET' && route.replyHeaders) paths[path].head = describeHead(route, path)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Menagerie',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Behind a proxy that adds a path prefix, a relative URL would be wrong.
    servers: [{ url: publicUrl || '/' }],
    security: [],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorReply },
      headers: REPLY_HEADERS,
      examples: describeErrorExamples(routes),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** Converts the router's `:name` and `*` to OpenAPI's `{name}` and `{path}`. */
export const toPathTemplate = ({ path }: Pick<Route, 'path'>) =>
  path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')

function describeOperation(route: Route, path: string) {
  const { summary, description, tag, params = {}, query = {}, headers = {}, status = 200 } = route
  return {
    operationId: buildOperationId(route.method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    parameters: [
      ...describeParameters(params, 'path'),
      ...describeParameters(query, 'query'),
      ...describeParameters(headers, 'header'),
    ],
    ...describeBody(route),
    ...describeSecurity(route),
    responses: {
      [status]: describeSuccess(route, status),
      ...describeOtherReplies(route),
      ...describeErrors(route),
    } as Record<string, object>,
  }
}

/** As GET, without bodies. */
function describeHead(route: Route, path: string) {
  const operation = describeOperation(route, path)
  const withoutContent = ([status, reply]: [string, object]) => [status, { ...reply, content: undefined }]
  const responses = Object.fromEntries(Object.entries(operation.responses).map(withoutContent))
  return { ...operation, operationId: buildOperationId('HEAD', path), responses }
}

function describeBody({ body, receivesFile }: Route) {
  if (receivesFile) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
  return body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }
}

function describeSecurity({ operatorScope, clientKey }: Route) {
  if (operatorScope) return { security: [{ operator: [] }] }
  if (clientKey === 'required') return { security: [{ clientKey: [] }] }
  // The empty entry makes the key optional.
  return { security: clientKey ? [{}, { clientKey: [] }] : [] }
}

function buildOperationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const name = [method.toLowerCase(), ...(path === '/' ? ['page'] : words.filter((word) => word !== 'api'))]
  return name.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}

function describeParameters(fields: Fields, where: 'path' | 'query' | 'header') {
  return Object.entries(fields).map(([name, schema]) => {
    // `rule` and `readAs` are for `createQueryReader`.
    const { description, isRequired, rule: _, readAs: __, ...rest } = schema as ParameterSchema
    return {
      name: name === '*' ? 'path' : name,
      in: where,
      required: where === 'path' || isRequired === true,
      ...(description !== undefined && { description }),
      schema: rest,
      ...(where !== 'path' && isRequired !== true && describeOptionalExample(rest)),
    }
  })
}

/** Scalar would send every optional parameter that has an example or a list of values. `x-disabled` leaves it out. */
function describeOptionalExample(schema: ParameterSchema) {
  const value = composeExample(schema)
  return value !== undefined && { examples: { default: { value, 'x-disabled': true } } }
}

function describeSuccess(route: Route, status: number) {
  const { reply, otherTypes = [], textExamples = {} } = route
  const content: Record<string, unknown> = {}
  if (reply) content['application/json'] = { schema: reply, example: describeExample(route, reply) }
  for (const type of otherTypes) content[type] = { schema: { type: 'string' }, example: textExamples[type] }
  const own = Object.entries(route.replyHeaders ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schema as ParameterSchema
    return [name, { description, schema: rest }]
  })
  return { description: 'Success.', headers: { ...listHeaders(route, status), ...Object.fromEntries(own) }, content }
}

function describeExample({ example }: Route, reply: TSchema): unknown {
  const composed = composeExample(reply)
  return example ? { ...(composed as object), ...example() } : composed
}

const describeOtherReplies = (route: Route) =>
  Object.fromEntries(
    Object.entries(route.otherReplies ?? {}).map(([status, description]) => [
      status,
      { description, headers: listHeaders(route, Number(status)) },
    ]),
  )

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

function describeErrors(route: Route) {
  const responses: Record<string, unknown> = {}
  for (const [status, errors = []] of Object.entries(Object.groupBy(listErrors(route), (error) => error.status))) {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Error' }],
      properties: { status: { const: Number(status) }, code: { enum: errors.map(({ code }) => code) } },
    }
    responses[status] = {
      description: errors.map(({ code, summary }) => `\`${code}\`: ${summary}`).join('\n\n'),
      headers: listHeaders(route, Number(status)),
      content: { 'application/json': { schema, examples: Object.fromEntries(errors.map(referToExample)) } },
    }
  }
  return responses
}

/** Shared: each of these errors belongs to many operations. */
const referToExample = ({ code }: ErrorDefinition) => [code, { $ref: `#/components/examples/${code}` }]

const describeErrorExamples = (routes: readonly Route[]) =>
  Object.fromEntries(
    [...new Set(routes.flatMap(listErrors))].map((error) => [
      error.code,
      { summary: error.summary, value: buildErrorExample(error) },
    ]),
  )
