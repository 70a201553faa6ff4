import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { joinPieces, type Piece, type Pieces, streamUnchanged } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const FILE = randomBytes(1_200_000)
const small = Array.from({ length: 1000 }, (_, n): Piece[] => [`--${n}`, { start: n * 9, end: n * 9 }]).flat()

async function readChunks(path: string, pieces: Pieces, reuseBuffer = false) {
  const chunks: Buffer[] = []
  for await (const chunk of streamUnchanged(path, () => true, pieces, { reuseBuffer })) chunks.push(Buffer.from(chunk))
  return chunks
}

test('small pieces are joined, and every byte is right', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  await writeFile(path, FILE)
  const large = [
    { start: 7, end: 700_000 },
    { start: 0, end: 2 ** 18 - 1 },
    { start: 5, end: FILE.length - 1 },
  ]
  for (const pieces of [small, [...small, ...large, ...small], large]) {
    for (const reuseBuffer of [true, false]) {
      const chunks = await readChunks(path, pieces, reuseBuffer)
      const all = Buffer.concat(chunks)
      assert.ok(all.equals(joinPieces(FILE, pieces)))
      assert.ok(chunks.length <= 5 + all.length / 2 ** 16, `${chunks.length} chunks`)
    }
  }
  const start = fc.oneof(fc.nat({ max: FILE.length - 1 }), fc.constantFrom(0, 2 ** 18))
  const length = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 400_000))
  const range = fc.tuple(start, length).map(([start, length]) => ({
    start,
    end: Math.min(start + length, FILE.length) - 1,
  }))
  const piece = fc.oneof(range, fc.stringMatching(/^[ -~]{0,80}$/))
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 200 }), fc.boolean(), async (pieces, reuseBuffer) => {
      assert.ok(Buffer.concat(await readChunks(path, pieces, reuseBuffer)).equals(joinPieces(FILE, pieces)))
    }),
    { numRuns: 50 },
  )
})

test('many small pieces are read at the same time', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  await writeFile(path, FILE)
  const countReads = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq')).length
  let most = 0
  let isDone = false
  const reading = readChunks(path, small).finally(() => {
    isDone = true
  })
  while (!isDone) {
    most = Math.max(most, countReads())
    await setImmediate()
  }
  await reading
  assert.ok(most > 8, `${most} reads at the same time`)
})

test('a file that shrinks while many pieces of it are read ends the stream with an error', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  await writeFile(path, FILE)
  const pieces = Array.from({ length: 500 }, (_, n) => ({ start: 2000 * n, end: 2000 * n + 1999 }))
  const chunks = streamUnchanged(path, () => true, pieces)
  await chunks.next()
  await truncate(path, 300_000)
  await assert.rejects(chunks.next(), /the file changed/)
  assert.deepEqual(await chunks.next(), { done: true, value: undefined })
  await assert.rejects(readChunks(path, small.concat(pieces)), /the file changed/)
})
