// What each fault does: runs the tests of faults on real processes, one after the other, and prints what they measured.
import { join, relative } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const SUITES = [
  'many-nodes/faults',
  'platform/store/failover',
  'http/api/app/counting',
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
const ended = (name: string, ok: boolean, file = '', isSuite = false) => {
  const suite = relative(join(ROOT, 'test'), file).replace(/\.test\.ts$/, '')
  if (isSuite) return
  rows.push({ suite, name, ok, measured: [] })
  console.error(`${ok ? 'holds' : 'FAILS'}: ${name}`)
}
tests.on('test:pass', ({ name, file, details }) => ended(name, true, file, details.type === 'suite'))
tests.on('test:fail', ({ name, file, details }) => ended(name, false, file, details.type === 'suite'))
// Told after the test that it is about; those at the very outside sum up a whole file.
tests.on('test:diagnostic', ({ nesting, message }) => {
  if (nesting > 0 || !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)) {
    rows.at(-1)?.measured.push(message)
  }
})
await finished(tests.resume())

console.log('\nFaults\n\n| tests | what is promised | holds | measured |\n|---|---|---|---|')
for (const { suite, name, ok, measured } of rows) {
  console.log(`| ${suite} | ${name} | ${ok ? 'yes' : 'NO'} | ${measured.join('; ')} |`)
}
if (rows.some(({ ok }) => !ok)) process.exitCode = 1
