// `npm test`: format and lint, types, then every suite. `npm test -- test/config.test.ts` runs the named files only.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { skippedParts } from '../test/kit/parts.ts'

const root = join(import.meta.dirname, '..')
const files = process.argv.slice(2)
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

function step(title: string, command: string, args: string[]) {
  console.log(`\n# ${title}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`\nnpm test: ${title} failed.`)
    process.exit(status ?? 1)
  }
}

if (files.length === 0) {
  step('format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
  step('types', bin('tsc'), [])
}

const skipped = skippedParts()
for (const { name, why } of skipped) console.log(`\n!!! SKIPPED: the tests that need ${name} (${why})`)
if (skipped.length > 0 && process.env.CI_ALL_PARTS) {
  console.error('\nnpm test: CI_ALL_PARTS is set, so a missing part is a failure.')
  process.exit(1)
}

const suites = files.length > 0 ? files : globSync('test/**/*.test.ts', { cwd: root }).sort()
step('tests', process.execPath, [
  '--test',
  '--test-concurrency=2',
  '--test-timeout=120000',
  '--test-reporter=spec',
  ...suites,
])
