import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LineSink } from '../../../src/platform/logging/index.ts'
import { createSwitchboard } from '../../../src/platform/workers/switchboard.ts'
import type { WorkerProcess } from '../../../src/platform/workers/worker-process.ts'

// After an update the workers are replaced, and the primary stays: they may say what it has never heard of.
test('a word of a newer worker that the primary does not know is passed over', (t) => {
  const written: string[] = []
  const lines: LineSink = {
    write: (line) => written.push(line),
    problem: () => undefined,
    flush() {},
    async close() {},
  }
  const switchboard = createSwitchboard({ everyone: new Set(), lines, tell() {}, sum: () => ({}) })
  t.after(() => switchboard.close())
  const worker = {} as WorkerProcess
  switchboard.hear(worker, { kind: 'of a later version' } as never)
  switchboard.hear(worker, { kind: 'lines', lines: 'and on\n' })
  assert.deepEqual(written, ['and on\n'])
})
