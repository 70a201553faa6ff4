import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPublisher } from '../../../src/features/publishing/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

async function open(t: TestContext) {
  const folder = await temporaryFolder(t)
  const publisher = openPublisher({
    contentDir: join(folder, 'content'),
    dataDir: join(folder, 'data'),
    uploadDir: join(folder, 'data/uploads'),
    uploadMaxBytes: 1,
  })
  t.after(() => publisher.close())
  return publisher
}

test('few calls wait for the publishing thread, because each may have megabytes', async (t) => {
  const publisher = await open(t)
  const calls = await Promise.allSettled(Array.from({ length: 100 }, () => publisher.previewMarkdown('a')))
  const refused = calls.flatMap((call) => (call.status === 'rejected' ? call.reason.code : []))
  assert.deepEqual(refused, Array(36).fill('BUSY'))
  assert.equal(await publisher.previewMarkdown('a'), '<p>a</p>')
})

test('calls of the publishing thread leave no listeners behind', async (t) => {
  const publisher = await open(t)
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  // Node warns of more than ten listeners.
  for (let n = 0; n < 12; n++) await publisher.listNews()
  assert.deepEqual(warnings, [])
})
