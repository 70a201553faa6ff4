import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { explainMissingNamespace, runInNamespace } from '../platform/net/network-namespace.ts'

const skip = explainMissingNamespace() ?? false

test('nginx and Caddy with the shipped configurations', { skip }, async (t) => {
  const { code, output } = await runInNamespace(t, join(import.meta.dirname, 'namespace', 'proxies.ts'), {})
  assert.equal(code, 0, output)
  assert.doesNotMatch(output, /^ℹ pass 0$/m, output)
})
