// The Cache-Control table of docs/scaling.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

/** The paths in code in the first cell of a row; paths with … or <…> are patterns and cannot be requested. */
const pathsIn = (cell: string) =>
  [...cell.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path).filter((path) => !/[…<]/.test(path))

test('every path in the table of docs/scaling.md is served with the Cache-Control that the table names', async (t) => {
  const text = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8')
  const { url } = await startTestService(t)
  const rows = [...text.matchAll(/^\| ([^|]*) \| ([^|]*) \| [^|]* \|$/gm)]
  const named = rows.flatMap(([, cell = '', policy = '']) => {
    const header = /^`(no-store|no-cache|public, [^`]+)`$/.exec(policy)?.[1]
    return header === undefined ? [] : pathsIn(cell).map((path) => ({ path, header }))
  })
  assert.ok(named.length > 8)
  const sent = named.map(async ({ path }) => {
    const reply = await fetch(url + path)
    return { path, header: reply.headers.get('cache-control') }
  })
  assert.deepEqual(await Promise.all(sent), named)
})
