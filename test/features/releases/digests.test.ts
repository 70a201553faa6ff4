import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDigests } from '../../../src/features/releases/release-files.ts'
import { toFileState } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const FILES = 20

function countOpenFiles(folder: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return targets.filter((target) => target.startsWith(folder)).length
}

test('few files are read at a time, and the one that was requested last first', async (t) => {
  const folder = await temporaryFolder(t)
  const digests = createDigests()
  const finished: number[] = []
  const paths = Array.from({ length: FILES }, (_, n) => join(folder, String(n)))
  for (const path of paths) await writeFile(path, Buffer.alloc(2 ** 20))
  const states = await Promise.all(paths.map(async (path) => toFileState(await stat(path))))
  const computing = paths.map((path, n) => digests.compute(path, states[n]!).then(() => finished.push(n)))
  let open = 0
  while (finished.length < FILES) {
    open = Math.max(open, countOpenFiles(folder))
    await setImmediate()
  }
  await Promise.all(computing)
  assert.equal(open, 2)
  // The first two did not wait.
  assert.ok(finished.indexOf(FILES - 1) <= 3, String(finished))
})
