import { parentPort, workerData } from 'node:worker_threads'
import { readFileOf } from './read-file.ts'
import type { Batch } from './reader.ts'

// One message with everything would hold the main thread up while it is unpacked.
const BATCH = 50

parentPort?.on('message', async (names: string[]) => {
  for (let start = 0; start === 0 || start < names.length; start += BATCH) {
    const files: Batch['files'] = []
    for (const name of names.slice(start, start + BATCH)) files.push([name, await readFileOf(workerData, name)])
    parentPort?.postMessage({ files, isLast: start + BATCH >= names.length } satisfies Batch)
  }
})
