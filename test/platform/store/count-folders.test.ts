import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { assignJournalFolders } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('every folder of counts has one owner, however many workers there were before', async (t) => {
  const root = await temporaryFolder(t)
  for (const name of ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'unreadable']) await mkdir(join(root, name))
  for (const workers of [1, 2, 4]) {
    const all = Array.from({ length: workers }, (_, index) =>
      assignJournalFolders(root, { number: index + 1, workers }),
    )
    const owned = all
      .flatMap(({ folder, orphanedFolders }) => [folder, ...orphanedFolders])
      .map((folder) => basename(folder))
    assert.deepEqual(owned.sort(), [basename(root), 'worker-1', 'worker-2', 'worker-3', 'worker-4'].sort())
  }
})

test('a root that is not there yet has nothing left in it', async (t) => {
  const root = join(await temporaryFolder(t), 'counts')
  assert.deepEqual(assignJournalFolders(root, { number: 1, workers: 1 }), { folder: root, orphanedFolders: [] })
  assert.deepEqual(assignJournalFolders(root, { number: 2, workers: 2 }), {
    folder: join(root, 'worker-2'),
    orphanedFolders: [],
  })
})
