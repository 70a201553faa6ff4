// Stands in for the worker: does what the filter's name says.
import { parentPort } from 'node:worker_threads'
import type { Making } from '../../../../../src/features/images/engine/worker.ts'

const done = { bytes: new Uint8Array(1), width: 1, height: 1, pages: 1, timings: { decode: 0, filter: 0, encode: 0 } }

parentPort?.on('message', ({ filter }: Making) => {
  if (filter === 'hang') for (;;);
  if (filter === 'never') return
  if (filter === 'throw') throw new Error('thrown by a worker')
  if (filter === 'exit') process.exit(3)
  if (filter === 'fail') return parentPort?.postMessage({ failed: 'a fault' })
  if (filter === 'wait') return setTimeout(() => parentPort?.postMessage({ done }), 150)
  parentPort?.postMessage({ done })
})
