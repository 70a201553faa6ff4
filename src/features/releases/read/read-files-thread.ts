import { parentPort } from 'node:worker_threads'
import { type Batch, readContentFile } from './read-files.ts'

/** One message with all files would block the main thread while it is deserialised. */
const BATCH_SIZE = 50

parentPort?.on('message', async (paths: [name: string, path: string][]) => {
  for (let start = 0; start === 0 || start < paths.length; start += BATCH_SIZE) {
    const files: Batch['files'] = []
    for (const [name, path] of paths.slice(start, start + BATCH_SIZE)) {
      files.push([name, await readContentFile(name, path)])
    }
    parentPort?.postMessage({ files, isLast: start + BATCH_SIZE >= paths.length } satisfies Batch)
  }
})
