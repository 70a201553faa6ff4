// Runs the fault tests with real processes, one after the other, and prints a table of what they measured.
import { join, relative } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const SUITES = [
  'many-nodes/faults',
  'platform/store/failover',
  'faults/kill',
  'platform/store/kill',
  'app/rolling-restart',
  'faults/node',
  'faults/port',
  'faults/disk',
  'faults/clock',
]

const rows: { suite: string; name: string; ok: boolean; measured: string[] }[] = []

const tests = run({
  files: SUITES.map((suite) => join(ROOT, 'test', `${suite}.test.ts`)),
  concurrency: 1,
  timeout: 180_000,
})
const recordTest = (name: string, ok: boolean, file = '', isSuite = false) => {
  const suite = relative(join(ROOT, 'test'), file).replace(/\.test\.ts$/, '')
  if (isSuite) return
  rows.push({ suite, name, ok, measured: [] })
  console.error(`${ok ? 'pass' : 'FAIL'}: ${name}`)
}
tests.on('test:pass', ({ name, file, details }) => recordTest(name, true, file, details.type === 'suite'))
tests.on('test:fail', ({ name, file, details }) => recordTest(name, false, file, details.type === 'suite'))
// A diagnostic follows the test that it belongs to. Those of the top level summarize a file.
tests.on('test:diagnostic', ({ nesting, message }) => {
  if (nesting > 0 || !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)) {
    rows.at(-1)?.measured.push(message)
  }
})
await finished(tests.resume())

console.log('\nFaults\n\n| test file | behaviour | passes | measured |\n|---|---|---|---|')
for (const { suite, name, ok, measured } of rows) {
  console.log(`| ${suite} | ${name} | ${ok ? 'yes' : 'NO'} | ${measured.join('; ')} |`)
}
if (rows.some(({ ok }) => !ok)) process.exitCode = 1
