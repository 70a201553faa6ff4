import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildClientApi, CLIENT_API } from '../../../scripts/client-api.ts'
import { formatType } from '../../../scripts/schema-type.ts'
import { listAllErrors } from '../../../src/http/api/api-description.ts'
import type { ApiDocument } from '../../../src/http/kernel/openapi.ts'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('the types of the client match the served OpenAPI document (npm run docs)', async (t) => {
  const { fetchJson } = await startTestService(t)
  const { body } = await fetchJson<ApiDocument>('/openapi.json')
  assert.equal(buildClientApi(body), read(CLIENT_API))
})

test('a new field, parameter or endpoint changes the types', async (t) => {
  const { fetchJson } = await startTestService(t)
  const { body } = await fetchJson<ApiDocument>('/openapi.json')
  const { paths, components }: Record<string, any> = structuredClone(body)
  components.schemas.GetV1VersionReply.properties.codename = { type: 'string' }
  paths['/api/v1/uptime'].get.parameters.push({ name: 'unit', in: 'query', schema: { enum: ['s', 'ms'] } })
  paths['/api/v9/tea'] = { get: { summary: 'Tea', parameters: [], responses: { 200: {} } } }
  const changed = buildClientApi({ ...body, paths, components })
  assert.match(changed, /readonly codename\?: string/)
  assert.match(changed, /readonly unit\?: 's' \| 'ms'/)
  assert.match(changed, /'GET \/api\/v9\/tea'/)
})

test('a schema is translated to a TypeScript type', () => {
  assert.equal(formatType({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), 'number | null')
  assert.equal(formatType({ type: 'array', items: { enum: [2, 3] } }), 'readonly (2 | 3)[]')
  assert.equal(
    formatType({ type: 'object', properties: { a: { const: true } }, required: ['a'] }),
    '{\nreadonly "a": true\n}',
  )
  assert.equal(
    formatType({ type: 'object', additionalProperties: { type: 'number' } }),
    'Readonly<Record<string, number>>',
  )
})

test('error codes of the client differ from those of the service', () => {
  const own = [...read('packages/client/src/error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code)
  assert.equal(own.length, 3)
  const codes = listAllErrors().map(({ code }) => code)
  assert.deepEqual(
    own.filter((code) => codes.includes(code ?? '')),
    [],
  )
})

test('the client has the version of the service and no dependencies', () => {
  const { version, dependencies, peerDependencies } = JSON.parse(read('packages/client/package.json'))
  assert.equal(version, JSON.parse(read('package.json')).version)
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
})
