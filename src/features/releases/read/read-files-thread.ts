import { parentPort, workerData } from 'node:worker_threads'
import { type Batch, readContentFile } from './read-files.ts'

/** One message with all files would block the main thread while it is deserialized. */
const BATCH_SIZE = 50

parentPort?.on('message', async (names: string[]) => {
  for (let start = 0; start === 0 || start < names.length; start += BATCH_SIZE) {
    const files: Batch['files'] = []
    for (const name of names.slice(start, start + BATCH_SIZE)) {
      files.push([name, await readContentFile(workerData, name)])
    }
    parentPort?.postMessage({ files, isLast: start + BATCH_SIZE >= names.length } satisfies Batch)
  }
})
