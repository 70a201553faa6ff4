import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRuntimeMetrics, monitorEventLoop } from '../../../src/platform/metrics/index.ts'
import { ROOT } from '../../kit/root.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

test('a blocked event loop shows in its window and in the lag of the next six windows', async (t) => {
  const eventLoop = monitorEventLoop()
  t.after(eventLoop.close)
  await until(() => {
    keepThreadBusy(400)
    return eventLoop.lag().max > 0.3
  })
  assert.ok(eventLoop.lag().max > 0.3, 'reading must not reset it')
  assert.ok(eventLoop.endWindow().max > 0.3)
  for (let windows = 0; windows < 5; windows++) eventLoop.endWindow()
  assert.ok(eventLoop.lag().max > 0.3)
  eventLoop.endWindow()
  assert.ok(eventLoop.lag().max < 0.3)
})

test('the runtime metrics include garbage collection, memory and CPU time', async (t) => {
  const eventLoop = monitorEventLoop()
  const runtime = createRuntimeMetrics(eventLoop)
  t.after(() => {
    runtime.close()
    eventLoop.close()
  })
  let garbage: unknown[] = []
  await until(() => {
    garbage = Array.from({ length: 100_000 }, () => ({ garbage: garbage.length }))
    return (runtime.snapshot().gcSeconds ?? []).length > 0
  })
  const { memory = [], residentMemory, cpuSeconds } = runtime.snapshot()
  assert.deepEqual(memory.map(([[kind]]) => kind).sort(), ['arrayBuffers', 'external', 'heapTotal', 'heapUsed'])
  assert.ok(memory.every(([, bytes]) => Number(bytes) > 0))
  assert.ok(Number(residentMemory?.[0]?.[1]) > 0)
  assert.ok(Number(cpuSeconds?.[0]?.[1]) > 0)
})

/** Reads the memory, opens files until no more can be opened, and reads the memory again. */
const program = `
  const { createProcessGauges, createRuntimeMetrics } =
    await import(${JSON.stringify(join(ROOT, 'src/platform/metrics/runtime.ts'))})
  const { openSync, writeSync } = await import('node:fs')
  const readGauges = createProcessGauges()
  const { snapshot } = createRuntimeMetrics({ lag: () => ({ p50: 0, p99: 0, max: 0 }) })
  const readMemory = () => [readGauges().memory, snapshot().residentMemory[0][1]]
  const before = readMemory()
  try { for (;;) openSync('/dev/null') } catch {}
  writeSync(1, JSON.stringify([...before, ...readMemory()]))
  process.exit()
`

// A timer reads the gauges: an error there would end the process during a flood of connections.
test('the gauges and metrics of the process can be read while no file can be opened', () => {
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { status, stdout, stderr } = spawnSync('sh', limited, { timeout: 20_000, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const bytes = JSON.parse(stdout) as number[]
  assert.ok(bytes.length === 4 && bytes.every((value) => value > 0), stdout)
})
