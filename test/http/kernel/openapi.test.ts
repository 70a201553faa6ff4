import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describeApi, resolveReference } from '../../../src/http/kernel/openapi.ts'
import { success } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { CurrentEnum, SuccessReply } from '../../../src/http/kernel/schemas.ts'
import { createCompiler } from '../../kit/openapi.ts'
import { startTestService } from '../../kit/service.ts'

/** Images, fonts, files, pages, scripts and styles. */
const WITHOUT_EXAMPLE = /^(?:image|font|multipart)\/|^application\/octet-stream$|^text\/(?:html|javascript|css)$/

test('an OpenAPI linter finds nothing', async (t) => {
  const { fetchPath } = await startTestService(t)
  const source = await (await fetchPath('/openapi.json')).text()
  assert.equal(JSON.parse(source).openapi, '3.1.0')
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

test('the document is small: operations share schemas, errors and parameters', async (t) => {
  const { fetchPath } = await startTestService(t)
  const source = await (await fetchPath('/openapi.json')).text()
  assert.ok(source.length < 400_000, `${source.length} bytes`)
  const { components } = JSON.parse(source)
  for (const section of ['schemas', 'responses', 'parameters', 'examples'])
    for (const name of Object.keys(components[section]))
      assert.ok(source.includes(`"#/components/${section}/${name}"`), `nothing refers to ${section}/${name}`)
})

test('operation ids do not depend on APP_NAME, and are unique names', async (t) => {
  const readIds = async (settings: Record<string, string>) => {
    const { body } = await (await startTestService(t, settings)).fetchJson('/openapi.json')
    return Object.values<any>(body.paths).flatMap((methods) =>
      Object.values<any>(methods).map(({ operationId }) => operationId),
    )
  }
  const ids = await readIds({})
  assert.deepEqual(await readIds({ APP_NAME: 'api' }), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^(?:get|head|post|put|delete)[A-Z][A-Za-z0-9]*$/)
})

test('every operation and every tag has a description, and SECURITY_CONTACT is the contact', async (t) => {
  const settings = { SECURITY_CONTACT: 'security@example.org,https://example.org/security' }
  const { body } = await (await startTestService(t, settings)).fetchJson('/openapi.json')
  assert.equal(body.info.contact.email, 'security@example.org')
  const operations = Object.values<any>(body.paths).flatMap((methods) => Object.values<any>(methods))
  for (const { operationId, description } of operations) assert.match(description, /\.$/, operationId)
  for (const { name, description } of body.tags) assert.match(description ?? '', /\.$/, name)
})

test('generators find types: of enums, of maps, and of bytes', async (t) => {
  const { fetchPath } = await startTestService(t)
  const source = await (await fetchPath('/openapi.json')).text()
  const body = JSON.parse(source)
  assert.doesNotMatch(source, /"patternProperties"|"component":|"readAs"|"isRequired"|\{"enum":/)
  const filter = body.paths['/api/v2/filter/{kind}'].get
  const { content } = filter.responses[200]
  assert.deepEqual(content['image/png'], { schema: { type: 'string', format: 'binary' } })
  const strength = filter.parameters
    .map((parameter: any) => resolveReference<any>(body, parameter))
    .find(({ name }: any) => name === 'strength')
  assert.deepEqual(strength.schema.anyOf, [
    { title: 'blur', type: 'number', minimum: 1, maximum: 256, default: 5 },
    { title: 'contrast', type: 'number', minimum: -1, maximum: 1, default: 0.1 },
  ])
})

test('the document names 304 for the paths whose replies have an ETag, and only for them', async (t) => {
  const { url, fetchJson } = await startTestService(t)
  const { body } = await fetchJson('/openapi.json')
  const paths = Object.keys(body.paths).filter((path) => body.paths[path].get && !path.includes('{'))
  const replies = await Promise.all(paths.map((path) => fetch(url + path, { method: 'HEAD', redirect: 'manual' })))
  const found = replies.flatMap(({ status, headers }, i) => (status === 200 ? [[paths[i], headers.has('etag')]] : []))
  assert.ok(found.length > 20, String(found.length))
  assert.deepEqual(
    found,
    found.map(([path]) => [path, body.paths[`${path}`].get.responses[304] !== undefined]),
  )
})

for (const [access, security] of [
  ['open', [{}, { clientKey: [] }]],
  ['registered', [{ clientKey: [] }]],
] as const) {
  test(`the document describes the client key as V5_ACCESS=${access} requires it`, async (t) => {
    const { fetchJson } = await startTestService(t, { V5_ACCESS: access })
    const { body } = await fetchJson('/openapi.json')
    const { name, in: where } = body.components.securitySchemes.clientKey
    assert.deepEqual([name, where], ['X-Client-Key', 'header'])
    const securityOf = (path: string, method = 'get') => body.paths[path][method].security
    assert.deepEqual(securityOf('/api/v5/app/launcher/updates'), security)
    assert.deepEqual(securityOf('/api/v5/app/download/{application}'), security)
    assert.deepEqual(securityOf('/api/v5/app/operator/overview'), [{ operator: [] }])
    assert.deepEqual(securityOf('/api/v5/app/clients', 'post'), [], 'who asks for a key has none yet')
    assert.deepEqual(securityOf('/api/v1/version'), [])
  })
}

test('only filters and oEmbed have a required query parameter', async (t) => {
  const { body } = await (await startTestService(t)).fetchJson('/openapi.json')
  const required = Object.entries<any>(body.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .map((parameter: any) => resolveReference<any>(body as any, parameter))
      .filter((parameter: any) => parameter.in === 'query' && parameter.required)
      .map(({ name }: any) => `${path} ${name}`),
  )
  assert.deepEqual(required, ['/api/v2/filter/{kind} image', '/api/v1/filter/{kind} image', '/oembed url'])
})

test('paths with queues and large replies name BUSY', async (t) => {
  const { body } = await (await startTestService(t)).fetchJson('/openapi.json')
  const isBusy = ({ get }: any) =>
    resolveReference<any>(body as any, get?.responses[503] ?? {}).description?.includes('BUSY')
  const named = Object.entries<any>(body.paths).filter(
    ([path, methods]) => !path.includes('/operator/') && isBusy(methods),
  )
  assert.ok(isBusy(body.paths['/api/v5/app/operator/releases']))
  assert.deepEqual(named.map(([path]) => path).sort(), [
    '/api/v1/animals/{kind}',
    '/api/v1/filter/{kind}',
    '/api/v1/static/generated',
    '/api/v1/static/generated/{path}',
    '/api/v1/static/logs/{fileName}',
    '/api/v2/filter/{kind}',
    '/api/v2/random/animal/{kind}',
    '/media/animals/{kind}/{file}',
    '/openapi.json',
  ])
})

test('every reply has an example that matches its schema', async (t) => {
  const { body } = await (await startTestService(t)).fetchJson('/openapi.json')
  const compile = createCompiler(body as any)
  const faults: string[] = []
  let checked = 0
  for (const [path, methods] of Object.entries<any>(body.paths)) {
    for (const [method, { responses }] of Object.entries<any>(methods)) {
      for (const [status, response] of Object.entries<any>(responses)) {
        const { content = {} } = resolveReference<any>(body as any, response)
        for (const [type, { schema, example, examples }] of Object.entries<any>(content)) {
          if (WITHOUT_EXAMPLE.test(type)) continue
          const values = examples
            ? Object.keys(examples).map((code) => body.components.examples[code]?.value)
            : [example]
          const validate = compile(schema)
          const name = `${method} ${path} ${status} ${type}`
          if (values.length === 0 || values.includes(undefined)) faults.push(`${name} has no example`)
          for (const value of values) if (!validate(value)) faults.push(`${name}: ${JSON.stringify(validate.errors)}`)
          checked += values.length
        }
      }
    }
  }
  assert.deepEqual(faults, [])
  assert.ok(checked > 1000, String(checked))
})

test('v2 comes before v1, and a kind has one name in all paths', async (t) => {
  const { body } = await (await startTestService(t)).fetchJson('/openapi.json')
  const paths = Object.keys(body.paths)
  const tags = body.tags.map(({ name }: any) => name)
  for (const group of ['Random content', 'Image filters'])
    assert.ok(tags.indexOf(`${group}, v2`) < tags.indexOf(`${group}, v1`), group)
  const kinds = paths.filter((path) => /^\/api\/v[12]\/(?:random|animals|string|kaomoji|filter)\//.test(path))
  assert.ok(kinds.length >= 9)
  for (const path of kinds) assert.match(path, /\/\{kind\}$/)
  for (const [path, methods] of Object.entries<any>(body.paths)) {
    for (const { parameters = [] } of Object.values<any>(methods)) {
      const names = parameters.map((parameter: any) => resolveReference<any>(body as any, parameter).name.toLowerCase())
      assert.equal(new Set(names).size, names.length, `${path}: two parameters with one name`)
    }
  }
})

test('the headers that the document names are sent, with the documented type', async (t) => {
  const { fetchPath, fetchJson } = await startTestService(t, { RATE_LIMIT: '4/60' })
  // Two of the four: the test kit reads the document, too.
  const { body: document } = await fetchJson('/openapi.json')
  const path = '/api/v1/version'
  const replies = [await fetchPath(path), await fetchPath(path, { method: 'DELETE' }), await fetchPath(path)]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 405, 429],
  )
  for (const { status, headers } of replies) {
    const response = resolveReference<any>(document as any, document.paths[path].get.responses[status])
    const named = Object.keys(response.headers)
    assert.ok(named.length >= 2)
    for (const name of named) {
      const { schema } = document.components.headers[name]
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
