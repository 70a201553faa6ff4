import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPublisher } from '../../../src/features/publishing/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('calls of the publishing thread leave no listeners behind', async (t) => {
  const folder = await temporaryFolder(t)
  const publisher = openPublisher({
    contentDir: join(folder, 'content'),
    dataDir: join(folder, 'data'),
    uploadDir: join(folder, 'data/uploads'),
    uploadMaxBytes: 1,
  })
  t.after(() => publisher.close())
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  // Node warns of more than ten listeners.
  for (let n = 0; n < 12; n++) await publisher.listNews()
  assert.deepEqual(warnings, [])
})
