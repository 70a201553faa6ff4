// A process that counts downloads as fast as a busy node does and acknowledges each hundred on its standard output.
import { join } from 'node:path'
import { openDownloadCounter, openStore } from '../../../src/platform/store/index.ts'

const [url = '', dataDir = ''] = process.argv.slice(2)
const quiet = { info() {}, warn() {}, error() {} }
const store = await openStore(url, { dataDir, log: quiet })
const counter = await openDownloadCounter(store.downloads, {
  folder: join(dataDir, 'counts'),
  log: quiet,
  flushIntervalMs: 20,
})

for (let acknowledged = 100; ; acknowledged += 100) {
  await Promise.all(Array.from({ length: 100 }, (_, index) => counter.count('launcher', `1.${index % 7}.0`)))
  // Not `writeSync`: with a thread, standard output does not block, so it would throw if the reader is slow.
  await new Promise((resolve) => process.stdout.write(`${acknowledged}\n`, resolve))
}
