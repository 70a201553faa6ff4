import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatUptime } from '../../../src/features/developer/index.ts'

const START = new Date('2026-01-01T00:00:00Z')

const cases: [number, string, string][] = [
  [0, '00:00:00', '0 seconds'],
  [1.994, '00:00:01', '1 second'],
  [62, '00:01:02', '1 minute and 2 seconds'],
  [3600, '01:00:00', '1 hour'],
  [93_789.42, '26:03:09', '1 day, 2 hours, 3 minutes and 9 seconds'],
  [864_000 + 60, '240:01:00', '10 days and 1 minute'],
]

for (const [seconds, time, full] of cases) {
  test(`an uptime of ${seconds} s is "${full}"`, () => {
    const uptime = formatUptime(seconds, START)
    assert.deepEqual([uptime.time, uptime.full], [time, full])
    assert.equal(uptime.startedAt, '2026-01-01T00:00:00.000Z')
    assert.ok(Math.abs(uptime.uptime - seconds) <= 0.005)
  })
}
