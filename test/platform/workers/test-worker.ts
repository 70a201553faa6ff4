// A worker with a bare HTTP server instead of the service, for tests of the supervisor. It imports little, so that it
// starts fast.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { COUNTERS, connectToPrimary, isWorker } from '../../../src/platform/workers/index.ts'

/** While this file exists, workers exit at the start. */
const [refusalFile = ''] = process.argv.slice(2)
if (!isWorker() || existsSync(refusalFile)) process.exit(3)

const worker = await connectToPrimary()
worker.provide('pid', () => process.pid)
worker.provide('nothing', () => undefined)
worker.provide('only-leader-answers', () => (worker.isLeader ? 'the leader' : new Promise(() => {})))
let count = 0
let isSilent = false
worker.provide(COUNTERS, () => (isSilent ? new Promise(() => {}) : count))
const server = createServer(async ({ url = '' }, response) => {
  if (url === '/count') count++
  if (url === '/silence') isSilent = true
  if (url.startsWith('/block/')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(url.slice(7)))
  if (url === '/exit') process.exit(5)
  if (url === '/crash') {
    worker.log.write('the last line\n')
    worker.log.flush()
    process.exit(1)
  }
  if (url === '/log') worker.log.write(`a line of ${worker.number}\n`)
  if (url === '/print') worker.print('the same for all')
  const { number, workerCount, isLeader, startedAt } = worker
  const values = url.startsWith('/collect/') ? await worker.collect(url.slice(9)) : undefined
  const counters = url === '/counters' ? await worker.collect(COUNTERS) : undefined
  const problem = worker.log.problem()
  const reply = { pid: process.pid, number, workerCount, isLeader, startedAt, values, counters, problem }
  response.end(JSON.stringify(reply))
})
server.listen(worker.port, worker.host, () => worker.reportReady(`http://${worker.host}:${worker.port}`))
// Imported only now, because it would delay the start.
const { drain } = await import('../../../src/http/kernel/connections.ts')
const { lingerMs, emptiesListenQueue } = await worker.shutdownRequested
if (emptiesListenQueue) worker.log.write(`${worker.number} accepts connections until the end\n`)
await drain(server, lingerMs)
await worker.log.close()
await worker.disconnect()
