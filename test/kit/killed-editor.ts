// Edits files in the folder of a node and publishes the edits, until it is killed.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeSync, publishEdits } from '../../src/features/publishing/index.ts'
import { news } from './releases.ts'
import { DEFAULTS } from './sync.ts'

const [storeUrl = '', contentDir = '', dataDir = '', start = ''] = process.argv.slice(2)
const sync = (await openNodeSync({ storeUrl, contentDir, dataDir, ...DEFAULTS, isShared: false }))!

/** Atomically: an editor that is killed while it writes loses the file by itself. */
function save(file: string, text: string): void {
  const temporary = join(dataDir, 'editor.tmp')
  writeFileSync(temporary, text)
  renameSync(temporary, join(contentDir, file))
}

for (let edit = Number(start); ; edit++) {
  save('app/news/first.md', news(`Edit ${edit}`))
  save('string/8ball.txt', `Edit ${edit}\n`)
  process.stdout.write(`${edit}\n`)
  await publishEdits({ contentDir, dataDir, sync, by: 'a test' })
}
