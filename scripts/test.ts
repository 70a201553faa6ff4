// `npm test`: format and lint, types, then every suite. `npm test -- test/config/config.test.ts` runs the named files only.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import process from 'node:process'
import { skippedParts } from '../test/kit/parts.ts'

const root = join(import.meta.dirname, '..')
const files = process.argv.slice(2)
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/** More than that is no accident of a busy machine. */
const MAX_TO_RUN_AGAIN = 3

function run(title: string, command: string, args: string[]): number {
  console.log(`\n# ${title}`)
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function fail(status: number, sentence: string): never {
  console.error(`\nnpm test: ${sentence}`)
  process.exit(status)
}

function step(title: string, command: string, args: string[]) {
  const status = run(title, command, args)
  if (status !== 0) fail(status, `${title} failed.`)
}

/** The files in which a test failed. */
function runTests(title: string, suites: string[], concurrency: number): { status: number; failed: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-test-'))
  const list = join(folder, 'failed')
  try {
    const status = run(title, process.execPath, [
      '--test',
      `--test-concurrency=${concurrency}`,
      '--test-timeout=120000',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(import.meta.dirname, 'failed-files.ts')}`,
      `--test-reporter-destination=${list}`,
      ...suites,
    ])
    const failed = readFileSync(list, 'utf8').split('\n').filter(Boolean)
    return { status, failed: failed.map((file) => relative(root, file)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (files.length === 0) {
  step('format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
  step('types', bin('tsc'), [])
}

const skipped = skippedParts()
for (const { name, why } of skipped) console.log(`\n!!! SKIPPED: the tests that need ${name} (${why})`)
if (skipped.length > 0 && process.env.CI_ALL_PARTS) fail(1, 'CI_ALL_PARTS is set, so a missing part is a failure.')

const suites = files.length > 0 ? files : globSync('test/**/*.test.ts', { cwd: root }).sort()
const { status, failed } = runTests('tests', suites, 2)
if (status !== 0) {
  const isFew = failed.length > 0 && failed.length <= MAX_TO_RUN_AGAIN && failed.length < suites.length
  if (!isFew || !failed.every((file) => suites.includes(file))) fail(status, 'tests failed.')
  // Hundreds of processes share the machine in a whole run; what fails alone, too, is broken.
  const again = runTests(`once more, alone: ${failed.join(', ')}`, failed, 1)
  if (again.status !== 0) fail(again.status, 'tests failed, twice.')
  console.log(
    `\n!!! UNSTEADY: ${failed.join(', ')} failed above and passed alone. That is a fault, too: please mend it.`,
  )
}
