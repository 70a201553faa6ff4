import { parentPort, workerData } from 'node:worker_threads'
import { readListSync } from './read-list.ts'

const result = readListSync(workerData)
const transferred = 'list' in result ? [result.list.index.slots.buffer, result.list.index.names.buffer] : []
parentPort?.postMessage(result, transferred)
