import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchEventLoop, watchRuntime } from '../../../src/platform/metrics/index.ts'
import { until } from '../../kit/until.ts'

function standStill(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a stall is seen, whoever asks in between, and forgotten after two windows', async (t) => {
  const watch = watchEventLoop(300)
  t.after(watch.close)
  await sleep(50)
  standStill(400)
  await until(() => watch.lag().max > 0.3)
  assert.ok(watch.lag().max > 0.3, 'asking took it away')
  await until(() => watch.lag().max < 0.3)
})

test('pauses of the collector, memory and processor time are told', async (t) => {
  const eventLoop = watchEventLoop()
  const runtime = watchRuntime(eventLoop)
  t.after(() => {
    runtime.close()
    eventLoop.close()
  })
  let garbage: unknown[] = []
  await until(() => {
    garbage = Array.from({ length: 100_000 }, () => ({ garbage: garbage.length }))
    return (runtime.snapshot().gcSeconds ?? []).length > 0
  })
  const { memory, residentMemory, cpuSeconds } = runtime.snapshot()
  for (const [, value] of [...(memory ?? []), ...(residentMemory ?? []), ...(cpuSeconds ?? [])])
    assert.ok(Number(value) > 0)
})
