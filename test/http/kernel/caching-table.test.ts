// What docs/scaling.md tells those who put a CDN in front.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

const policies: readonly (readonly [told: RegExp, header: string])[] = [
  [/^`no-store`/, 'no-store'],
  [/^`no-cache`/, 'no-cache'],
  [/^a minute, then up to five/, 'public, max-age=60, stale-while-revalidate=300'],
]

/** The first cell of a row names paths in code; those with … or <…> stand for many. */
const pathsIn = (cell: string) =>
  [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path).filter((path) => !/[…<]/.test(path))

test('every path that the table of docs/scaling.md names has the Cache-Control that it tells', async (t) => {
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')
  const { url } = await startTestService(t)
  const rows = [...text.matchAll(/^\| ([^|]*) \| ([^|]*) \| [^|]* \|$/gm)]
  const named = rows.flatMap(([, cell = '', told = '']) => {
    const header = policies.find(([words]) => words.test(told))?.[1]
    return header === undefined ? [] : pathsIn(cell).map((path) => ({ path, header }))
  })
  assert.ok(named.length > 8)
  const sent = named.map(async ({ path }) => {
    const reply = await fetch(url + path)
    return { path, header: reply.headers.get('cache-control') }
  })
  assert.deepEqual(await Promise.all(sent), named)
})
