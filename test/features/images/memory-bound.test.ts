import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkMemory } from '../../../src/cli/doctor/machine.ts'
import { readConfig } from '../../../src/config/config.ts'
import { computeMemoryBound } from '../../../src/features/images/index.ts'
import { ROOT } from '../../kit/root.ts'

const MEBI = 2 ** 20
const limits = { maxBytes: 2 ** 24, maxPixels: 40_000_000, cacheBytes: 2 ** 27, waiting: 64, workers: 1, cores: 2 }
const mebis = (more: Partial<typeof limits> = {}) => Math.ceil(computeMemoryBound({ ...limits, ...more }) / MEBI)

test('the doctor and docs/security.md state the same memory bound', async () => {
  const { text: finding } = await checkMemory(readConfig({}))
  assert.match(finding, new RegExp(`at most ${mebis({ cores: availableParallelism() })} MiB`))
  const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  assert.ok(text.includes(`${mebis()} MiB with the defaults on two cores`))
  const column = [...text.matchAll(/^\|.*\| (\d+) MiB \|$/gm)].map(([, part]) => Number(part))
  assert.equal(column.length, 7)
  assert.equal(
    column.reduce((sum, part) => sum + part),
    mebis(),
  )
})

test('a longer queue takes more memory, and worker processes divide jobs, caches and queue', () => {
  assert.equal(mebis({ waiting: 64 + 32 * 100 }) - mebis(), 100)
  assert.equal(mebis({ workers: 4, maxPixels: 0 }), 4 * (250 + 128) + 8 * 128 + 512 + 192 + 2)
})
