import { parentPort, workerData } from 'node:worker_threads'
import type { Read } from './problem.ts'
import { type FileValue, readFileOf } from './read-file.ts'

// One message with everything would hold the main thread up while it is unpacked.
const BATCH = 50

const { dir, names } = workerData as { dir: string; names: string[] }
let batch: [string, Read<FileValue>][] = []
for (const name of names) {
  batch.push([name, await readFileOf(dir, name)])
  if (batch.length === BATCH) {
    parentPort?.postMessage(batch)
    batch = []
  }
}
parentPort?.postMessage(batch)
