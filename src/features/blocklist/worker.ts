import { parentPort, workerData } from 'node:worker_threads'
import { readListHere } from './read-list.ts'

const outcome = readListHere(workerData)
const arrays = 'list' in outcome ? [outcome.list.index.slots.buffer, outcome.list.index.names.buffer] : []
parentPort?.postMessage(outcome, arrays)
