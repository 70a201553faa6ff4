// Prints the id of a process of its pool, and waits until it is killed.
import { createProcessPool } from '../../../../src/platform/concurrency/index.ts'
import { ROOT } from '../../../kit/root.ts'

const pool = createProcessPool({
  program: new URL('./faulty-process.ts', import.meta.url),
  programOptions: {},
  readablePaths: [ROOT],
  processes: 1,
  maxQueued: 1,
  maxEstimatedBytes: 1,
  log: console,
})
const run = (action: string) => {
  const limits = { estimatedBytes: 1, timeoutMs: 60_000, maxAnswerBytes: 100 }
  const options = { client: [''], waitUntil: performance.now() + 60_000, ...limits }
  const task = { bytes: new Uint8Array(1), action }
  return pool.run(task, options)
}
console.log(await run('answer with its id'))
await run('never answer')
