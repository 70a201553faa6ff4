import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../kit/root.ts'

test('every promise in docs/security.md names a proof that exists', () => {
  const rows = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`test/'))
  assert.ok(rows.length > 30)
  for (const row of rows) {
    const [, file = '', title] = /`(test\/[^`]+)`(?: "([^"]+)")? \|$/.exec(row) ?? []
    assert.ok(existsSync(join(ROOT, file)), row)
    if (title) assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(`'${title}'`), row)
  }
})
