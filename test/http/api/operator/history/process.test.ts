import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const MEASURES = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  '..',
  'src',
  'http',
  'api',
  'operator',
  'history',
  'process.ts',
)

/** Measures, opens files until no more can be opened, and measures again. */
const program = `
  const { watchProcess } = await import(${JSON.stringify(MEASURES)})
  const { openSync, writeSync } = await import('node:fs')
  const watching = watchProcess()
  const before = watching.read()
  try { for (;;) openSync('/dev/null') } catch {}
  writeSync(1, JSON.stringify([before.memory, watching.read().memory]))
  process.exit()
`

// The measures are taken by a timer: an error there ends the process, for a flood of connections.
test('a process without a file to spare is measured all the same', () => {
  const few = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { status, stdout, stderr } = spawnSync('sh', few, { timeout: 20_000, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const [before, after] = JSON.parse(stdout) as [number, number]
  assert.ok(before > 0 && after > 0, stdout)
})
