import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../kit/root.ts'

const PROOF = /(all of )?`(test\/[^`]+)`|"([^"]+)"/g

/**
 * The tests that a row names: titles by file. A file without a title has a test with the title of the guarantee. A title
 * that ends with … is the beginning of a title.
 */
function readProofs(row: string): { file: string; titles: string[] }[] {
  const [, guarantee = '', cell = ''] = row.split('|').map((text) => text.trim())
  const proofs: { file: string; isWhole: boolean; titles: string[] }[] = []
  for (const [, whole, file, title] of cell.matchAll(PROOF)) {
    if (file) proofs.push({ file, isWhole: whole !== undefined, titles: [] })
    else if (title) proofs.at(-1)?.titles.push(title)
  }
  for (const { titles, isWhole } of proofs) if (titles.length === 0 && !isWhole) titles.push(guarantee)
  return proofs
}

test('every promise in docs/security.md names a proof that exists', () => {
  const rows = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`test/'))
  assert.ok(rows.length > 30)
  for (const row of rows) {
    for (const { file, titles } of readProofs(row)) {
      const source = readFileSync(join(ROOT, file), 'utf8').toLowerCase()
      for (const title of titles) {
        const quoted = `'${title.toLowerCase()}'`.replace("…'", '')
        assert.equal(source.split(quoted).length, 2, `${file} must have one test "${title}"`)
      }
    }
  }
})
