import type { ParameterSchema } from './input.ts'
import type { Components, Operation, Parameter, Reference } from './openapi-components.ts'
import { createComponents, shareParameters, toPascalCase } from './openapi-components.ts'
import {
  describeErrorExamples,
  describeErrors,
  describeOtherReplies,
  describeSuccess,
  describeType,
  REPLY_HEADERS,
} from './openapi-replies.ts'
import type { Fields, Route } from './route.ts'
import { composeExample } from './schemas.ts'

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: Record<string, Record<string, unknown>>
  readonly [key: string]: unknown
}

export interface ApiOptions {
  readonly version: string
  readonly publicUrl: string
  /** The URI of the first contact in SECURITY_CONTACT. */
  readonly contact?: string | undefined
  /** Descriptions of tags. */
  readonly tags: Readonly<Record<string, string>>
}

const DESCRIPTION = `Random animals, kaomoji, 8ball answers and videos; image filters by URL; developer information (version,
uptime, logs, generated files); and the API of one product (v5), with the applications launcher, reshade and
fpsUnlocker. Pictures of animals are files of the operator, or drawings that the service generates from a seed.

Every successful JSON reply contains \`success: true\` and \`status\`, except third-party formats (OpenAPI, JSON Schema,
JSON Feed, Tauri, Velopack). Every error is JSON with a stable \`code\` and a \`message\` that says how to fix the request;
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

/** Builds the OpenAPI 3.1 document from the routes and schemas that also validate requests. */
export function describeApi(routes: readonly Route[], { version, publicUrl, contact, tags }: ApiOptions): ApiDocument {
  const components = createComponents()
  const listed = routes.filter(({ isListed }) => isListed !== false)
  const operations = listed.flatMap((route) => {
    const path = toPathTemplate(route)
    const operation = describeOperation(route, path, components)
    const method = route.method.toLowerCase()
    const entries = [{ path, method, operation }]
    if (method === 'get' && route.replyHeaders)
      entries.push({ path, method: 'head', operation: toHead(operation, path) })
    return entries
  })
  const { parameters, share } = shareParameters(operations.map(({ operation }) => operation))
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { path, method, operation } of operations) paths[path] = { ...paths[path], [method]: share(operation) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Menagerie',
      version,
      description: DESCRIPTION,
      ...(contact && { contact: describeContact(contact) }),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Behind a proxy that adds a path prefix, a relative URL would be wrong.
    servers: [{ url: publicUrl || '/' }],
    security: [],
    tags: [...new Set(listed.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      ...components.sections,
      parameters,
      headers: REPLY_HEADERS,
      examples: describeErrorExamples(listed),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const describeContact = (uri: string) => ({
  name: 'For reports of vulnerabilities',
  ...(uri.startsWith('mailto:') ? { email: uri.slice('mailto:'.length) } : { url: uri }),
})

/** The part of the document that a reference names; other values are returned as they are. */
export function resolveReference<Value extends object>(document: ApiDocument, value: Value | Reference): Value {
  if (!('$ref' in value)) return value
  const [, section = '', name = ''] = /^#\/components\/(\w+)\/([^/]+)$/.exec(value.$ref) ?? []
  return document.components[section]?.[name] as Value
}

/** Converts the router's `:name` and `*` to OpenAPI's `{name}` and `{path}`. */
export const toPathTemplate = ({ path }: Pick<Route, 'path'>) =>
  path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')

function describeOperation(route: Route, path: string, components: Components): Operation {
  const { summary, tag, params = {}, query = {}, headers = {}, status = 200 } = route
  const operationId = buildOperationId(route.method, path)
  return {
    operationId,
    summary,
    description: describeUse(route),
    tags: [tag],
    parameters: [
      ...describeParameters(params, 'path', components),
      ...describeParameters(query, 'query', components),
      ...describeParameters(headers, 'header', components),
    ],
    ...describeBody(route, operationId, components),
    ...describeSecurity(route),
    responses: {
      [status]: describeSuccess(route, operationId, components),
      ...describeOtherReplies(route, components),
      ...describeErrors(route, components),
    },
  }
}

const describeUse = ({ description, operatorScope }: Route) =>
  [description, operatorScope && `Requires an operator token with the scope \`${operatorScope}\`.`]
    .filter((text) => text !== undefined)
    .join(' ')

/** As GET. The success has no body; the errors have none either, but refer to those that all operations share. */
function toHead(operation: Operation, path: string): Operation {
  const { 200: success, ...others } = operation.responses as Record<string, object>
  const responses = { 200: { ...success, content: undefined }, ...others }
  return { ...operation, operationId: buildOperationId('HEAD', path), responses }
}

function describeBody({ body, receivesFile }: Route, operationId: string, components: Components) {
  if (receivesFile) {
    const content = { 'application/octet-stream': { schema: describeType('application/octet-stream') } }
    return { requestBody: { required: true, content } }
  }
  const schema = body && components.addSchema(body, `${toPascalCase(operationId)}Body`)
  return schema && { requestBody: { required: true, content: { 'application/json': { schema } } } }
}

function describeSecurity({ operatorScope, clientKey }: Route) {
  if (operatorScope) return { security: [{ operator: [] }] }
  if (clientKey === 'required') return { security: [{ clientKey: [] }] }
  // The empty entry makes the key optional.
  return { security: clientKey ? [{}, { clientKey: [] }] : [] }
}

/** Does not depend on APP_NAME, so that clients made from any service call the same functions. */
function buildOperationId(method: string, path: string): string {
  const words = path.replace(/^\/api\/v5\/[^/]+/, 'v5/app').split(/[^A-Za-z0-9]+/)
  const name = path === '/' ? 'page' : path === '/api' ? 'api' : words.filter((word) => word !== 'api').join(' ')
  return method.toLowerCase() + toPascalCase(name)
}

function describeParameters(fields: Fields, where: Parameter['in'], components: Components): Parameter[] {
  return Object.entries(fields).map(([name, field]) => {
    const { description, isRequired, ...schema } = field as ParameterSchema
    return {
      name: name === '*' ? 'path' : name,
      in: where,
      required: where === 'path' || isRequired === true,
      ...(description !== undefined && { description }),
      schema: components.describeSchema(schema) as Parameter['schema'],
      ...(where !== 'path' && isRequired !== true && describeOptionalExample(schema)),
    }
  })
}

/** Scalar would send every optional parameter that has an example or a list of values. `x-disabled` leaves it out. */
function describeOptionalExample(schema: ParameterSchema) {
  const value = composeExample(schema)
  return value !== undefined && { examples: { default: { value, 'x-disabled': true } } }
}
