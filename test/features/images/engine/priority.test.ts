import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const skip = process.platform === 'linux' ? false : 'only Linux keeps a priority a thread'
const own = getPriority()

/** The priorities of the threads of a process that steps back by so much itself. */
async function priorities(by: number) {
  const program = join(import.meta.dirname, 'programs', 'priorities.ts')
  const { stdout } = await run('nice', ['-n', String(by), process.execPath, program])
  const threads = JSON.parse(stdout) as { name: string; nice: number }[]
  const niceOf = (name: string) => threads.filter((thread) => thread.name === name).map(({ nice }) => nice)
  assert.ok(niceOf('libuv-worker').length > 0)
  return { decoders: [...niceOf('libuv-worker'), ...niceOf('libvips worker')], main: niceOf('node-MainThread') }
}

test('threads that work on pixels step back for the one that answers requests', { skip }, async () => {
  const { decoders, main } = await priorities(0)
  assert.deepEqual(new Set(decoders), new Set([Math.max(own, 10)]))
  assert.deepEqual(main, [own])
})

test('in a service that steps back further itself they stay where it is', { skip }, async () => {
  const { decoders, main } = await priorities(15)
  assert.deepEqual(new Set([...decoders, ...main]), new Set([Math.min(own + 15, 19)]))
})
