import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type ApiDocument, describeApi, resolveReference } from '../../../src/http/kernel/openapi.ts'
import type { Operation, Reference } from '../../../src/http/kernel/openapi-components.ts'
import { success } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { CurrentEnum, SuccessReply } from '../../../src/http/kernel/schemas.ts'
import { createCompiler } from '../../kit/openapi.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService, type TestService } from '../../kit/service.ts'

/** Images, fonts, files, pages, scripts and styles. */
const WITHOUT_EXAMPLE = /^(?:image|font|multipart)\/|^application\/octet-stream$|^text\/(?:html|javascript|css)$/

interface Response {
  readonly description: string
  readonly headers: Record<string, unknown>
  readonly content?: Record<string, { schema: object; example?: unknown; examples?: object }>
}

interface ServedOperation extends Operation {
  readonly security: object[]
  readonly responses: Record<string, Response | Reference>
}

/** The parts of a served document that tests read. */
interface ServedDocument extends ApiDocument {
  readonly info: { contact: { email: string } }
  readonly tags: { name: string; description: string }[]
  readonly paths: Record<string, Record<string, ServedOperation>>
  readonly components: {
    examples: Record<string, { value: unknown }>
    headers: Record<string, { schema: { type: string } }>
    securitySchemes: Record<string, { name: string; in: string }>
    [section: string]: Record<string, unknown>
  }
}

async function readDocument({ fetchPath }: TestService) {
  const source = await (await fetchPath('/openapi.json')).text()
  const document: ServedDocument = JSON.parse(source)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return { source, document, operations }
}

/** The parameters of an operation, without references. */
const listParameters = (document: ServedDocument, { parameters }: Operation) =>
  parameters.map((parameter) => resolveReference(document, parameter))

const findResponse = (document: ServedDocument, operation: ServedOperation | undefined, status: number | string) =>
  operation?.responses[status] && resolveReference(document, operation.responses[status])

test('an OpenAPI linter finds nothing', async (t) => {
  const { source, document } = await readDocument(await startTestService(t))
  assert.equal(document.openapi, '3.1.0')
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  assert.deepEqual(
    found.map(({ message, location }) => `${location[0]?.pointer} ${message}`),
    [],
  )
})

test('the linter would find a fault', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/a': { get: {} } } })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  assert.ok(found.some(({ severity }) => severity === 'error'))
})

describe('the document', () => {
  const service = forSuite((scope) => startTestService(scope))

  it('is small: operations share schemas, errors and parameters', async () => {
    const { source, document } = await readDocument(service())
    assert.ok(source.length < 400_000, `${source.length} bytes`)
    for (const section of ['schemas', 'responses', 'parameters', 'examples'])
      for (const name of Object.keys(document.components[section] ?? {}))
        assert.ok(source.includes(`"#/components/${section}/${name}"`), `nothing refers to ${section}/${name}`)
  })

  it('has types for generators: of enums, of maps, and of bytes', async () => {
    const { source, document } = await readDocument(service())
    assert.doesNotMatch(source, /"patternProperties"|"component":|"readAs"|"isRequired"|\{"enum":/)
    const filter = document.paths['/api/v2/filter/{kind}']!.get!
    const { content } = findResponse(document, filter, 200)!
    assert.deepEqual(content?.['image/png'], { schema: { type: 'string', format: 'binary' } })
    const strength = listParameters(document, filter).find(({ name }) => name === 'strength')
    assert.deepEqual(strength?.schema.anyOf, [
      { title: 'blur', type: 'number', minimum: 1, maximum: 256, default: 5 },
      { title: 'contrast', type: 'number', minimum: -1, maximum: 1, default: 0.1 },
    ])
  })

  it('names 304 for the paths whose replies have an ETag, and only for them', async () => {
    const { paths } = (await readDocument(service())).document
    const plain = Object.keys(paths).filter((path) => paths[path]?.get && !path.includes('{'))
    const request = (path: string) => fetch(service().url + path, { method: 'HEAD', redirect: 'manual' })
    const replies = await Promise.all(plain.map(request))
    const found = replies.flatMap(({ status, headers }, i) => (status === 200 ? [[plain[i], headers.has('etag')]] : []))
    assert.ok(found.length > 20, String(found.length))
    assert.deepEqual(
      found,
      found.map(([path]) => [path, paths[`${path}`]?.get?.responses[304] !== undefined]),
    )
  })

  it('requires a query parameter only of filters and oEmbed', async () => {
    const { document, operations } = await readDocument(service())
    const required = operations
      .filter(({ method }) => method === 'get')
      .flatMap(({ path, operation }) =>
        listParameters(document, operation)
          .filter((parameter) => parameter.in === 'query' && parameter.required)
          .map(({ name }) => `${path} ${name}`),
      )
    assert.deepEqual(required, ['/api/v2/filter/{kind} image', '/api/v1/filter/{kind} image', '/oembed url'])
  })

  it('names BUSY for paths with queues and large replies', async () => {
    const { document } = await readDocument(service())
    const isBusy = (path: string) =>
      Boolean(findResponse(document, document.paths[path]?.get, 503)?.description.includes('BUSY'))
    assert.ok(isBusy('/api/v5/app/operator/releases'))
    const named = Object.keys(document.paths).filter((path) => !path.includes('/operator/') && isBusy(path))
    assert.deepEqual(named.sort(), [
      '/api/v1/animals/{kind}',
      '/api/v1/filter/{kind}',
      '/api/v1/static/generated',
      '/api/v1/static/generated/{path}',
      '/api/v1/static/logs',
      '/api/v1/static/logs/{fileName}',
      '/api/v2/filter/{kind}',
      '/api/v2/random/animal/{kind}',
      '/api/v5/app/download/launcher/resources',
      '/api/v5/app/download/{application}',
      '/api/v5/app/download/{application}/{version}/{name}',
      '/media/animals/{kind}/{file}',
      '/openapi.json',
    ])
  })

  it('has an example of every reply that matches its schema', async () => {
    const { document, operations } = await readDocument(service())
    const compile = createCompiler(document)
    const faults: string[] = []
    let checked = 0
    for (const { path, method, operation } of operations) {
      for (const status of Object.keys(operation.responses)) {
        const { content = {} } = findResponse(document, operation, status)!
        for (const [type, { schema, example, examples }] of Object.entries(content)) {
          if (WITHOUT_EXAMPLE.test(type)) continue
          const values = examples
            ? Object.keys(examples).map((code) => document.components.examples[code]?.value)
            : [example]
          const validate = compile(schema)
          const name = `${method} ${path} ${status} ${type}`
          if (values.length === 0 || values.includes(undefined)) faults.push(`${name} has no example`)
          for (const value of values) if (!validate(value)) faults.push(`${name}: ${JSON.stringify(validate.errors)}`)
          checked += values.length
        }
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(checked > 1000, String(checked))
  })

  it('has v2 before v1, and one name for a kind in all paths', async () => {
    const { document, operations } = await readDocument(service())
    const tags = document.tags.map(({ name }) => name)
    for (const group of ['Random content', 'Image filters'])
      assert.ok(tags.indexOf(`${group}, v2`) < tags.indexOf(`${group}, v1`), group)
    const kinds = Object.keys(document.paths).filter((path) =>
      /^\/api\/v[12]\/(?:random|animals|string|kaomoji|filter)\//.test(path),
    )
    assert.ok(kinds.length >= 9)
    for (const path of kinds) assert.match(path, /\/\{kind\}$/)
    for (const { path, operation } of operations) {
      const names = listParameters(document, operation).map(({ name }) => name.toLowerCase())
      assert.equal(new Set(names).size, names.length, `${path}: two parameters with one name`)
    }
  })
})

test('operation ids do not depend on APP_NAME, and are unique names', async (t) => {
  const readIds = async (settings: Record<string, string>) => {
    const { operations } = await readDocument(await startTestService(t, settings))
    return operations.map(({ operation }) => operation.operationId)
  }
  const ids = await readIds({})
  assert.deepEqual(await readIds({ APP_NAME: 'api' }), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^(?:get|head|post|put|delete)[A-Z][A-Za-z0-9]*$/)
})

test('every operation, parameter and tag has a description, and SECURITY_CONTACT is the contact', async (t) => {
  const settings = { SECURITY_CONTACT: 'security@example.org,https://example.org/security' }
  const { document, operations } = await readDocument(await startTestService(t, settings))
  assert.equal(document.info.contact.email, 'security@example.org')
  for (const { operation } of operations) {
    assert.match(operation.description, /\.$/, operation.operationId)
    for (const { name, description } of listParameters(document, operation))
      assert.match(description ?? '', /\.$/, `${operation.operationId} ${name}`)
  }
  for (const { name, description } of document.tags) assert.match(description ?? '', /\.$/, name)
})

for (const [access, security] of [
  ['open', [{}, { clientKey: [] }]],
  ['registered', [{ clientKey: [] }]],
] as const) {
  test(`the document describes the client key as V5_ACCESS=${access} requires it`, async (t) => {
    const { document } = await readDocument(await startTestService(t, { V5_ACCESS: access }))
    const { name, in: where } = document.components.securitySchemes.clientKey!
    assert.deepEqual([name, where], ['X-Client-Key', 'header'])
    const securityOf = (path: string, method = 'get') => document.paths[path]?.[method]?.security
    assert.deepEqual(securityOf('/api/v5/app/launcher/updates'), security)
    assert.deepEqual(securityOf('/api/v5/app/download/{application}'), security)
    assert.deepEqual(securityOf('/api/v5/app/operator/overview'), [{ operator: [] }])
    assert.deepEqual(securityOf('/api/v5/app/clients', 'post'), [], 'who asks for a key has none yet')
    assert.deepEqual(securityOf('/api/v1/version'), [])
  })
}

test('the headers that the document names are sent, with the documented type', async (t) => {
  const service = await startTestService(t, { RATE_LIMIT: '4/60' })
  // Two of the four: the test kit reads the document, too.
  const { document } = await readDocument(service)
  const { fetchPath } = service
  const path = '/api/v1/version'
  const replies = [await fetchPath(path), await fetchPath(path, { method: 'DELETE' }), await fetchPath(path)]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 405, 429],
  )
  for (const { status, headers } of replies) {
    const named = Object.keys(findResponse(document, document.paths[path]?.get, status)?.headers ?? {})
    assert.ok(named.length >= 2)
    for (const name of named) {
      const { schema } = document.components.headers[name]!
      assert.match(headers.get(name) ?? '', schema.type === 'integer' ? /^\d+$/ : /./, `${status} ${name}`)
    }
  }
})

test('an enum that changes while the service runs is read again for each document', () => {
  let kinds = ['cat']
  const Kind = CurrentEnum(() => kinds, 'Kind.')
  const spec = { tag: '', summary: '', params: { kind: Kind }, reply: SuccessReply({ kind: Kind }) }
  const routes = [get('/:kind', { ...spec, handle: () => success({}) })]
  const read = () => JSON.stringify(describeApi(routes, { version: '1.0.0', publicUrl: '', tags: {} }))
  assert.equal(read().split('"enum":["cat"]').length, 3)
  kinds = ['cat', 'dog']
  assert.equal(read().split('"enum":["cat","dog"]').length, 3)
})
