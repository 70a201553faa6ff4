import {
  BadRequest,
  Banned,
  InternalError,
  InvalidParameter,
  MethodNotAllowed,
  RateLimited,
  RepeatedParameter,
  UriTooLong,
} from '../../errors/index.ts'
import { headersAt, REPLY_HEADERS } from './reply-headers.ts'
import type { ErrorDefinition, Fields, Route } from './route.ts'
import { ErrorReply } from './schemas.ts'

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Record<string, Record<string, unknown>>
  readonly [key: string]: unknown
}

const DESCRIPTION = `Random animals, kaomoji, answers and videos; image filters by URL; developer information; and the
API of one dedicated application.

Every success carries \`success: true\` and \`status\`; every error is JSON with a stable \`code\` and a \`message\` that says
what would be right. GET endpoints answer HEAD, too.`

const SECURITY_SCHEMES = {
  operator: { type: 'http', scheme: 'bearer', description: 'A token of the operator.' },
  clientKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Client-Key',
    description: 'A key that the operator granted; `/v5-access` is where to ask for one.',
  },
}

/** The OpenAPI 3.1 document, from the very tables and schemas that answer and validate. */
export function describeApi(routes: readonly Route[], version: string, publicUrl: string): ApiDocument {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = toPathTemplate(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Menagerie',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Where a proxy serves us below a path, no relative URL would lead back to us.
    servers: [{ url: publicUrl || '/' }],
    security: [],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: ErrorReply },
      headers: REPLY_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** The router's `:name` and `*` as OpenAPI writes them. */
export const toPathTemplate = ({ path }: Pick<Route, 'path'>) =>
  path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')

function operation(route: Route, path: string) {
  const { summary, description, tag, params = {}, query = {}, headers = {}, status = 200 } = route
  return {
    operationId: operationId(route.method, path),
    summary,
    ...(description && { description }),
    tags: [tag],
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query'), ...parameters(headers, 'header')],
    ...(route.body && { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    ...securityOf(route),
    responses: { [status]: successResponse(route, status), ...otherReplies(route), ...errorResponses(route) },
  }
}

function securityOf({ operatorScope, clientKey }: Route) {
  if (operatorScope) return { security: [{ operator: [] }] }
  if (clientKey === 'required') return { security: [{ clientKey: [] }] }
  // The empty one says that it also goes without.
  return clientKey && { security: [{}, { clientKey: [] }] }
}

function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const name = [method.toLowerCase(), ...(path === '/' ? ['page'] : words.filter((word) => word !== 'api'))]
  return name.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}

function parameters(fields: Fields, where: 'path' | 'query' | 'header') {
  return Object.entries(fields).map(([name, schema]) => {
    // `rule` and `readAs` are for our own reader of parameters.
    const { description, rule: _, readAs: __, ...rest } = schema as Record<string, unknown>
    return {
      name: name === '*' ? 'path' : name,
      in: where,
      required: where === 'path',
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

function successResponse({ reply, otherTypes = [] }: Route, status: number) {
  const content: Record<string, unknown> = {}
  if (reply) content['application/json'] = { schema: reply }
  for (const type of otherTypes) content[type] = { schema: { type: 'string' } }
  return { description: 'As asked.', headers: headersAt(status), content }
}

const otherReplies = ({ otherReplies = {} }: Route) =>
  Object.fromEntries(
    Object.entries(otherReplies).map(([status, description]) => [
      status,
      { description, headers: headersAt(Number(status)) },
    ]),
  )

const ALWAYS: readonly ErrorDefinition[] = [
  BadRequest,
  Banned,
  MethodNotAllowed,
  UriTooLong,
  RateLimited,
  InternalError,
]
const WITH_QUERY: readonly ErrorDefinition[] = [InvalidParameter, RepeatedParameter]

/** Every error that a route can answer with. */
export const listErrors = (route: Route): readonly ErrorDefinition[] => [
  ...new Set([...ALWAYS, ...(route.query ? WITH_QUERY : []), ...(route.errors ?? [])]),
]

function errorResponses(route: Route) {
  const responses: Record<string, unknown> = {}
  for (const [status, errors = []] of Object.entries(Object.groupBy(listErrors(route), (error) => error.status))) {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Error' }],
      properties: { status: { const: Number(status) }, code: { enum: errors.map(({ code }) => code) } },
    }
    responses[status] = {
      description: errors.map(({ code, summary }) => `\`${code}\`: ${summary}`).join('\n\n'),
      headers: headersAt(Number(status)),
      content: { 'application/json': { schema } },
    }
  }
  return responses
}
