import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/config/config.ts'
import { planMemory } from '../../../src/features/images/index.ts'
import { estimateMs, LONG_MS } from '../../../src/features/images/memory.ts'
import { ROOT } from '../../kit/root.ts'

const MEBI = 2 ** 20
const plan = (mebibytes: number, { cores = 2, workers = 1, ...settings }: Record<string, number> = {}) => {
  const environment = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
  return planMemory(readConfig(environment), workers, { available: mebibytes * MEBI, cores })
}
const total = ({ worstCase }: ReturnType<typeof plan>) =>
  Math.round(Object.values(worstCase).reduce((sum, bytes) => sum + bytes) / MEBI)

test('the worst case fits into the memory, and more memory is used up to the useful maximum', () => {
  for (const cores of [1, 2, 8, 64]) {
    for (const workers of [1, 2, 4]) {
      let [smallest, last] = [Number.POSITIVE_INFINITY, 0]
      for (let mebibytes = 288 * workers; mebibytes < 65_536; mebibytes += 97) {
        const planned = plan(mebibytes, { cores, workers })
        assert.ok(total(planned) * workers <= mebibytes, `${mebibytes} MiB, ${cores} cores, ${workers} workers`)
        smallest = Math.min(smallest, planned.engine.maxImageBytes)
        last = planned.engine.maxImageBytes
      }
      assert.ok(smallest >= 30 * MEBI, `${smallest / MEBI} MiB`)
      // An AVIF with alpha of the largest allowed size.
      assert.ok(last >= 38 * 40_000_000)
    }
  }
})

test('an image that takes long is recognised by its header and its size in bytes', () => {
  const isLong = (
    format: 'jpeg' | 'avif' | 'gif',
    megapixels: number,
    megabytes: number,
    maxBytes?: number,
    frameCount = 1,
  ) => {
    const size = { width: 1000, height: (1000 * megapixels) / frameCount, frameCount }
    const source = { ...size, format, isRotated: false, hasAlpha: false, isProgressive: false, isLossless: false }
    const work = { source, isLossless: false, result: size, frameCount, stepCount: 1, maxBytes }
    const output = format === 'gif' ? format : maxBytes ? 'avif' : 'jpeg'
    return estimateMs({ ...work, output, fileBytes: megabytes * 1e6 }) > LONG_MS
  }
  assert.equal(isLong('jpeg', 12, 4), false)
  assert.equal(isLong('jpeg', 1, 1, 200_000), true)
  assert.equal(isLong('avif', 3, 0.2), false)
  assert.equal(isLong('avif', 3, 5), true)
  assert.equal(isLong('gif', 0.1, 0.4), false)
  assert.equal(isLong('gif', 0.1, 0.4, undefined, 500), true)
  assert.equal(isLong('gif', 0.02, 0.1, 1000, 40), true)
})

test('settings are upper limits', () => {
  const { engine, cacheBytes, sourceBytes } = plan(24_576, { FILTER_MAX_PIXELS: 1_000_000, FILTER_CACHE_BYTES: 5000 })
  assert.deepEqual([engine.maxImageBytes, cacheBytes], [40_000_000, 5000])
  assert.equal(sourceBytes, 16 * 2 ** 24)
  assert.equal(plan(24_576, { FILTER_CACHE_BYTES: 1, workers: 2 }).cacheBytes, 1, 'a cache must have a size')
  assert.equal(plan(24_576, { MEMORY_LIMIT: 512 * MEBI }).engine.maxImageBytes, plan(512).engine.maxImageBytes)
})

test('docs/security.md states the worst case', () => {
  const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  const columns = [288, 512, 2048, 24_576].map((mebibytes) => plan(mebibytes))
  const rows = Object.keys(columns[0]!.worstCase) as (keyof (typeof columns)[0]['worstCase'])[]
  const cells = rows.map((row) => columns.map(({ worstCase }) => Math.round(worstCase[row] / MEBI)))
  const found = [...text.matchAll(/^\|[^|]+\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)].map((row) =>
    row.slice(1).map(Number),
  )
  assert.deepEqual(found, [...cells, columns.map(total)])
})
