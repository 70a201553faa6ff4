import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const skip = process.platform === 'linux' ? false : 'only Linux has priorities per thread'
const own = getPriority()

/** Runs a process with this niceness and reads the priorities of its threads. */
async function readPriorities(niceness: number) {
  const program = join(import.meta.dirname, 'programs', 'print-priorities.ts')
  const { stdout } = await run('nice', ['-n', String(niceness), process.execPath, program])
  const threads = JSON.parse(stdout) as { name: string; nice: number }[]
  const niceOf = (name: string) => threads.filter((thread) => thread.name === name).map(({ nice }) => nice)
  assert.ok(niceOf('libuv-worker').length > 0)
  return { decoders: [...niceOf('libuv-worker'), ...niceOf('libvips worker')], main: niceOf('node-MainThread') }
}

test('image threads have a lower priority than the main thread', { skip }, async () => {
  const { decoders, main } = await readPriorities(0)
  assert.deepEqual(new Set(decoders), new Set([Math.max(own, 10)]))
  assert.deepEqual(main, [own])
})

test('a service with an even lower priority keeps it for all threads', { skip }, async () => {
  const { decoders, main } = await readPriorities(15)
  assert.deepEqual(new Set([...decoders, ...main]), new Set([Math.min(own + 15, 19)]))
})
