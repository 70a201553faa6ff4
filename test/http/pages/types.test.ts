import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

// The scripts of the pages know a browser and no Node, so they are checked apart from the rest.
test('the scripts of the pages have no type error', () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const { status, stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'src/http/pages'], {
    cwd: root,
  })
  assert.equal(status, 0, String(stdout))
})
