import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../kit/root.ts'

// The scripts of the pages know a browser and no Node, so they are checked apart from the rest.
test('the scripts of the pages have no type error', () => {
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', 'src/http/pages'], {
    cwd: ROOT,
  })
  assert.equal(status, 0, String(stdout))
})
