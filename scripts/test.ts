// `npm test`: lint, types, then every test file.
// `npm test -- test/cli/ban.test.ts` runs only the named files. `npm test -- --changed` runs the test files that depend on
// a file that differs from the last commit (`--changed=main`: from a branch).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { listMissingPrograms } from '../test/kit/external-programs.ts'
import { bundleLibraries } from './bundle-libraries.ts'
import { findTestsOfChange } from './changed-tests.ts'

const ROOT = join(import.meta.dirname, '..')
/** Most tests wait for processes and timers more than they compute. */
const CONCURRENCY = 4
const TEST_TIMEOUT_MS = 240_000
/** A busy machine does not cause more failures than this. */
const MAX_FILES_TO_REPEAT = 3
const SLOWEST_FILES_SHOWN = 10

/** In CI a missing program or a flaky test file is a failure. */
const isStrict = Boolean(process.env.CI_STRICT)

function fail(message: string): never {
  console.error(`\nnpm test: ${message}`)
  process.exit(1)
}

async function runTool(name: string, ...args: string[]): Promise<boolean> {
  const program = join(ROOT, 'node_modules', '.bin', name)
  const [code] = await once(spawn(program, args, { cwd: ROOT, stdio: 'inherit' }), 'exit')
  return code === 0
}

async function checkSources(): Promise<void> {
  console.log('\n# lint and types')
  const [lint, types] = await Promise.all([runTool('biome', 'check', '--error-on-warnings', '.'), runTool('tsc')])
  if (!lint || !types) fail(`${lint ? 'types' : 'lint'} failed.`)
}

interface FileResult {
  readonly file: string
  readonly seconds: number
  readonly success: boolean
}

async function runTests(title: string, files: readonly string[], concurrency: number): Promise<FileResult[]> {
  console.log(`\n# ${title}`)
  const results = new Map<string, FileResult>()
  const paths = files.map((file) => resolve(ROOT, file))
  const execArgv = ['--import', await bundleLibraries()]
  const events = run({ files: paths, cwd: ROOT, concurrency, timeout: TEST_TIMEOUT_MS, execArgv })
  events.on('test:summary', ({ file, duration_ms, success }) => {
    // The summary of the whole run has no file.
    if (file) results.set(file, { file: relative(ROOT, file), seconds: duration_ms / 1000, success })
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  // A file that could not be loaded has no summary.
  return paths.map((path) => results.get(path) ?? { file: relative(ROOT, path), seconds: 0, success: false })
}

/** Files that start browsers and processes take longest. They run first, so that no long file runs alone at the end. */
function sortSlowestFirst(files: readonly string[]): string[] {
  const slow = ['test/kit/browser.ts', 'test/kit/service-process.ts', 'test/kit/service.ts']
  return [...new Set([...slow.flatMap((kit) => findTestsOfChange(ROOT, files, [kit])), ...files])]
}

function reportSlowest(results: readonly FileResult[]): void {
  if (results.length <= SLOWEST_FILES_SHOWN) return
  console.log('\n# slowest files')
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_FILES_SHOWN)
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}`)
}

/** Runs failed files again, alone, to tell a broken test from a flaky one. */
async function repeatFailed(failed: readonly string[]): Promise<void> {
  if (failed.length > MAX_FILES_TO_REPEAT) fail(`tests failed in ${failed.length} files: ${failed.join(', ')}.`)
  const again = await runTests(`again, alone: ${failed.join(', ')}`, failed, 1)
  if (again.some(({ success }) => !success)) fail(`tests failed twice: ${failed.join(', ')}.`)
  console.log(`\n!!! FLAKY: ${failed.join(', ')} failed above and passed alone. This is a bug: please fix it.`)
  if (isStrict) fail('CI_STRICT is set, so a flaky test is a failure.')
}

function chooseFiles(args: readonly string[]): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: ROOT }).sort()
  const changed = args.find((arg) => /^--changed(=|$)/.test(arg))
  if (changed === undefined) return args.length > 0 ? [...args] : all
  const base = changed.split('=')[1] ?? 'HEAD'
  const list = (...words: string[]) => {
    const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) fail(`git ${words.join(' ')} failed.`)
    return stdout.split('\n').filter(Boolean)
  }
  const changes = [...list('diff', '--name-only', base), ...list('ls-files', '--others', '--exclude-standard')]
  return findTestsOfChange(ROOT, all, changes)
}

const args = process.argv.slice(2)
const files = chooseFiles(args)
if (args.length === 0) await checkSources()
if (files.length === 0) {
  console.log('No test file depends on the change.')
  process.exit(0)
}

const skipped = listMissingPrograms()
for (const { name, why } of skipped) console.log(`\n!!! SKIPPED: the tests that need ${name} (${why})`)
if (skipped.length > 0 && isStrict) fail('CI_STRICT is set, so a missing program is a failure.')

const results = await runTests(`tests (${files.length} files)`, sortSlowestFirst(files), CONCURRENCY)
reportSlowest(results)
const failed = results.filter(({ success }) => !success).map(({ file }) => file)
if (failed.length > 0) await repeatFailed(failed)
