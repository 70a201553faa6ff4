import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { joinPieces, type Piece, streamUnchanged } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('small pieces are joined, and every byte is right', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  const file = randomBytes(1_200_000)
  await writeFile(path, file)
  const small = Array.from({ length: 1000 }, (_, n): Piece[] => [Buffer.from(`--${n}`), { start: n * 9, end: n * 9 }])
  const large = [
    { start: 7, end: 700_000 },
    { start: 0, end: 2 ** 18 - 1 },
    { start: 5, end: file.length - 1 },
  ]
  for (const pieces of [small.flat(), [...small.flat(), ...large, ...small.flat()], large]) {
    for (const reuseBuffer of [true, false]) {
      const chunks: Buffer[] = []
      for await (const chunk of streamUnchanged(path, () => true, pieces, { reuseBuffer }))
        chunks.push(Buffer.from(chunk))
      const all = Buffer.concat(chunks)
      assert.ok(all.equals(joinPieces(file, pieces)))
      assert.ok(chunks.length <= 5 + all.length / 2 ** 16, `${chunks.length} chunks`)
    }
  }
})
