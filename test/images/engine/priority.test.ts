import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

test('threads that work on pixels step back for the one that answers requests', {
  skip: process.platform === 'linux' ? false : 'only Linux keeps a priority a thread',
}, async () => {
  const program = join(import.meta.dirname, 'programs', 'priorities.ts')
  const { stdout } = await run(process.execPath, [program])
  const threads = JSON.parse(stdout) as { name: string; nice: number }[]
  const niceOf = (name: string) => threads.filter((thread) => thread.name === name).map(({ nice }) => nice)
  assert.ok(niceOf('libuv-worker').length > 0)
  for (const nice of [...niceOf('libuv-worker'), ...niceOf('libvips worker')]) assert.equal(nice, 10)
  assert.deepEqual(niceOf('node-MainThread'), [0])
})
