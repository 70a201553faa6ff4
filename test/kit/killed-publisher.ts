// Publishes and undoes changes of several files until it is killed.
import { createPublisher } from '../../src/features/publishing/index.ts'

const [contentDir = '', dataDir = '', ...pictures] = process.argv.slice(2)
const publisher = createPublisher({ contentDir, dataDir })
const by = 'a test'
process.stdout.write('ready\n')
for (;;) {
  const removed = await publisher.apply('news remove', { id: 'item' }, { by })
  await publisher.undo(removed.history!, { by })
  const added = await publisher.apply('content add', { kind: 'otter', author: 'Ann', sources: pictures }, { by })
  await publisher.undo(added.history!, { by })
}
