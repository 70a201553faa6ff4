import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startTestService } from '../kit/service.ts'

test('a linter for OpenAPI finds no error', async (t) => {
  const { ask } = await startTestService(t)
  const source = await (await ask('/openapi.json')).text()
  assert.equal(JSON.parse(source).openapi, '3.1.0')
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  const errors = found.filter(({ severity }) => severity === 'error')
  assert.deepEqual(
    errors.map(({ message, location }) => `${location[0]?.pointer} ${message}`),
    [],
  )
})

test('the linter would find a fault', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/a': { get: {} } } })
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  assert.ok(found.some(({ severity }) => severity === 'error'))
})
