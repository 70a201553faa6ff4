import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { capacityOf, capacityTable, defaults, inputs, inputTable } from '../../scripts/capacity.ts'
import { runProgram } from '../kit/program.ts'
import { ROOT } from '../kit/root.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('docs/scaling.md has the tables that the model prints', () => {
  const text = read('docs/scaling.md')
  assert.ok(text.includes(capacityTable([1000, 10_000, 100_000, 1_000_000])))
  assert.ok(text.includes(inputTable()))
})

test('what the model calls measured stands in docs/benchmarks.md', () => {
  const measured = Object.values(inputs).filter(({ from }) => from === 'measured')
  assert.ok(measured.length > 0)
  for (const { value } of measured) assert.ok(read('docs/benchmarks.md').includes(String(value)), `${value}`)
})

test('ten times the users are ten times the work, and a hit rate of one leaves the nodes only what is never kept', () => {
  const [few, many] = [capacityOf(1000, defaults), capacityOf(10_000, defaults)]
  assert.ok(Math.abs(many.origin / few.origin - 10) < 1e-9)
  const kept = capacityOf(1000, { ...defaults, pictureHits: 1, filterHits: 1, keptHits: 1 })
  const { pictureShare, filterShare, keptShare } = defaults
  assert.ok(Math.abs(kept.origin - kept.peak * (1 - pictureShare - filterShare - keptShare)) < 1e-9)
  assert.equal(kept.filterCores, 0)
})

test('a word that the model does not know is a sentence and exit code 2', async () => {
  const cwd = ROOT
  const print = (...words: string[]) => runProgram(process.execPath, ['scripts/capacity.ts', ...words], { cwd })
  const [right, ...wrong] = await Promise.all([
    print('--users', '250000', '--requests-a-day=80'),
    ...[['--userz', '3'], ['--users', 'many'], ['--users'], ['3']].map((words) => print(...words)),
  ])
  assert.equal(right.status, 0)
  assert.match(right.output, /^\| daily users \| 250,000 \|\n/)
  for (const { status, output } of wrong) {
    assert.equal(status, 2, output)
    assert.match(output, /^capacity: [^\n]*\.\n$/)
  }
})
