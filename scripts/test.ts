// `npm test`: lint, types, then every test file.
// `npm test -- test/cli/ban.test.ts` runs only the named files or folders. `npm test -- --changed` runs the test files
// that depend on a file that differs from the last commit (`--changed=main`: from a branch).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { listMissingPrograms } from '../test/kit/external-programs.ts'
import { bundleLibraries } from './bundle-libraries.ts'
import { findTestsOfChange } from './changed-tests.ts'

const ROOT = join(import.meta.dirname, '..')
/** Most tests wait for processes and timers more than they compute. */
const CONCURRENCY = 5
/** Many times what a file needs, because the machine may be busy. */
const FILE_TIMEOUT_MS = 480_000
/** Of files that share a process. Each process needs a second of CPU time to load the service and to start the first one. */
const MAX_BATCH_SIZE = 12
/** Of files that start processes: they take longest. */
const MAX_PROCESS_BATCH_SIZE = 3
/** Of the files that run last: a long batch would run alone at the end, on one processor. */
const MAX_LAST_BATCH_SIZE = 5
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

/** Test files that share a process. */
interface Batch {
  readonly files: readonly string[]
  /** Loaded outside the suites of the files, so that its `after` runs when the last of them has ended. */
  readonly sharedKit?: string
}

/** Writes a program that runs each of the files as a suite with its name. */
function writeBatch(folder: string, { files, sharedKit }: Batch, index: number): string {
  const toUrl = (file: string) => pathToFileURL(join(ROOT, file))
  const suites = files.map(
    (file) => `describe('${file}', { timeout: ${FILE_TIMEOUT_MS} }, async () => { await import('${toUrl(file)}') })\n`,
  )
  const kit = sharedKit ? `import '${toUrl(sharedKit)}'\n` : ''
  const path = join(folder, `${index}.mjs`)
  writeFileSync(path, `import { describe } from 'node:test'\n${kit}${suites.join('')}`)
  return path
}

async function runTests(title: string, batches: readonly Batch[], concurrency: number): Promise<FileResult[]> {
  console.log(`\n# ${title}`)
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-tests-'))
  const programs = batches.map((batch, index) => writeBatch(folder, batch, index))
  const results = new Map<string, FileResult>()
  const events = run({
    files: programs,
    cwd: ROOT,
    concurrency,
    timeout: FILE_TIMEOUT_MS * MAX_BATCH_SIZE,
    execArgv: ['--import', await bundleLibraries()],
  })
  const record = (event: { name: string; file?: string; details: { duration_ms: number } }, success: boolean) => {
    const batch = batches[programs.indexOf(event.file ?? '')]?.files ?? []
    // Another name is that of the program: it ended with an error that belongs to none of its files.
    const files = batch.includes(event.name) ? [event.name] : success ? [] : batch
    for (const file of files) results.set(file, { file, seconds: event.details.duration_ms / 1000, success })
  }
  events.on('test:pass', (event) => event.nesting === 0 && record(event, true))
  events.on('test:fail', (event) => event.nesting === 0 && record(event, false))
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  rmSync(folder, { recursive: true })
  // A program that ended early has no result for its files.
  return batches.flatMap(({ files }) => files).map((file) => results.get(file) ?? { file, seconds: 0, success: false })
}

/** Tests that measure or change their process. */
const NEEDS_OWN_PROCESS =
  /process\.(?:memoryUsage|cpuUsage|on|exit)\b|monitorEventLoopDelay|setFlagsFromString|\bmock\./

/**
 * Files that start browsers and processes take longest, so they run first: no long file runs alone at the end. Files with a
 * browser share it and run one after the other, because two browsers would keep all processors of a small machine busy.
 */
function composeBatches(files: readonly string[]): Batch[] {
  const sharedKit = 'test/kit/browser.ts'
  const dependOn = (...kits: string[]) => new Set(findTestsOfChange(ROOT, files, kits))
  const ownProcess = new Set(files.filter((file) => NEEDS_OWN_PROCESS.test(readFileSync(join(ROOT, file), 'utf8'))))
  const withBrowser = dependOn(sharedKit).difference(ownProcess)
  const shared = new Set(files).difference(ownProcess).difference(withBrowser)
  const processKits = ['test/kit/service-process.ts', 'test/platform/net/network-namespace.ts']
  const withProcesses = dependOn(...processKits).intersection(shared)
  const withService = dependOn('test/kit/service.ts').intersection(shared).difference(withProcesses)
  const others = shared.difference(withProcesses).difference(withService)
  return [
    ...(withBrowser.size > 0 ? [{ files: [...withBrowser], sharedKit }] : []),
    ...divideEvenly(withProcesses, MAX_PROCESS_BATCH_SIZE),
    ...divideEvenly(ownProcess, 1),
    ...divideEvenly(withService, MAX_BATCH_SIZE),
    ...divideEvenly(others, MAX_LAST_BATCH_SIZE),
  ]
}

function divideEvenly(files: ReadonlySet<string>, maxSize: number): Batch[] {
  const count = Math.ceil(files.size / maxSize)
  const batches: string[][] = Array.from({ length: count }, () => [])
  for (const [index, file] of [...files].entries()) batches[index % count]?.push(file)
  return batches.map((files) => ({ files }))
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
  const again = await runTests(
    `again, alone: ${failed.join(', ')}`,
    failed.map((file) => ({ files: [file] })),
    1,
  )
  if (again.some(({ success }) => !success)) fail(`tests failed twice: ${failed.join(', ')}.`)
  console.log(`\n!!! FLAKY: ${failed.join(', ')} failed above and passed alone. This is a bug: please fix it.`)
  if (isStrict) fail('CI_STRICT is set, so a flaky test is a failure.')
}

function chooseFiles(args: readonly string[]): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: ROOT }).sort()
  const changed = args.find((arg) => /^--changed(=|$)/.test(arg))
  if (args.length === 0) return all
  if (changed === undefined) {
    return args.flatMap((arg) => {
      const path = relative(ROOT, resolve(arg))
      const files = all.filter((file) => file === path || file.startsWith(`${path}/`))
      return files.length > 0 ? files : fail(`there is no test in ${arg}.`)
    })
  }
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

const results = await runTests(`tests (${files.length} files)`, composeBatches(files), CONCURRENCY)
reportSlowest(results)
const failed = results.filter(({ success }) => !success).map(({ file }) => file)
if (failed.length > 0) await repeatFailed(failed)
