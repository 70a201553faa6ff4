// A process that counts downloads as fast as a busy node does and acknowledges each hundred on its standard output.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createCounter, openStore } from '../../../src/platform/store/index.ts'

const [url = '', dataDir = ''] = process.argv.slice(2)
const quiet = { info() {}, warn() {}, error() {} }
const store = await openStore(url, { dataDir, log: quiet })
const counter = createCounter(store.downloads, { folder: join(dataDir, 'counts'), log: quiet })

let acknowledged = 0
setInterval(() => {
  for (let index = 0; index < 100; index += 1) counter.count('launcher', `1.${index % 7}.0`)
  acknowledged += 100
  writeSync(1, `${acknowledged} ${Date.now()}\n`)
}, 5)
