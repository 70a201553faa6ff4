import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Check, ok } from '../../../src/cli/doctor/check.ts'
import { examine } from '../../../src/cli/doctor/examine.ts'
import { judgeClock, judgeMemory, judgeOpenFiles } from '../../../src/cli/doctor/machine.ts'
import { judgeNetwork } from '../../../src/cli/doctor/network.ts'
import { judgeProcesses } from '../../../src/cli/doctor/processes.ts'
import { judgeRedis } from '../../../src/cli/doctor/store.ts'
import { loadSettings } from '../../../src/cli/settings.ts'
import { readConfig } from '../../../src/config/config.ts'
import { memoryAtWorst } from '../../../src/features/images/index.ts'

const ground = { settings: loadSettings({}, {}, ''), config: readConfig({}), command: (words: string) => words }

test('a check that crashes or hangs is told, and the others are run all the same', async () => {
  let aborted = false
  const checks: Check[] = [
    {
      name: 'crashes',
      look: () => {
        throw new Error('boom')
      },
    },
    {
      name: 'rejects',
      look: async () => {
        throw Object.assign(new Error('x'), { code: 'EACCES', syscall: 'open', path: '/p' })
      },
    },
    {
      name: 'hangs',
      limitMs: 20,
      look: ({ signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            aborted = true
          }),
        ),
    },
    { name: 'works', look: () => [ok('Well.')] },
  ]
  const seen: number[] = []
  const found = await examine(checks, ground, (done) => seen.push(done))
  assert.deepEqual(
    found.map(({ check, level, text }) => [check, level, text]),
    [
      ['crashes', 'wrong', 'This check itself failed: boom.'],
      ['rejects', 'wrong', '/p cannot be used: it may not be read or written.'],
      ['hangs', 'wrong', 'This check did not end within 0.02 seconds: a disk or a host may hang.'],
      ['works', 'ok', 'Well.'],
    ],
  )
  assert.ok(aborted)
  assert.deepEqual(seen, [0, 1, 2, 3])
})

test('a clock before the newest file is wrong', () => {
  const written = Date.parse('2026-06-01')
  assert.equal(judgeClock(written + 1000, written).level, 'ok')
  assert.equal(judgeClock(Date.parse('1970-01-02'), written).level, 'wrong')
})

test('few open files are advice, hardly any are wrong', () => {
  const levels = [65_536, 1024, 64].map((limit) => judgeOpenFiles(limit).level)
  assert.deepEqual(levels, ['ok', 'advice', 'wrong'])
  assert.equal(judgeOpenFiles(Number.POSITIVE_INFINITY).level, 'ok')
})

test('memory is held against what the filters may take, and a limit that fits is named', () => {
  const limits = { maxBytes: 2 ** 24, cacheBytes: 2 ** 27, waiting: 64, workers: 1 }
  const worstWith = (maxPixels: number) => memoryAtWorst({ ...limits, maxPixels })
  const judge = (available: number) => judgeMemory(available, worstWith, { FILTER_MAX_PIXELS: 40_000_000 })
  assert.equal(judge(4 * 2 ** 30).level, 'ok')
  assert.equal(judge(2 * 2 ** 30).mend, 'FILTER_MAX_PIXELS=20000000')
  assert.ok(worstWith(20_000_000) <= 2 * 2 ** 30)
  assert.match(judge(2 ** 28).mend ?? '', /FILTER_CACHE_BYTES/)
})

describe('how callers reach the service', () => {
  const cases: [settings: Record<string, string>, told: string[]][] = [
    [{}, []],
    [{ PUBLIC_URL: 'https://a.example', TRUST_PROXY: 'loopback' }, []],
    [{ PUBLIC_URL: 'https://a.example' }, ['wrong TRUST_PROXY=loopback']],
    [
      { HOST: '0.0.0.0' },
      ['advice put a proxy with TLS before it: HOST=127.0.0.1, PUBLIC_URL=https://<your name>, TRUST_PROXY=loopback'],
    ],
    [{ HOST: '0.0.0.0', TRUST_PROXY: '0.0.0.0/0' }, ['wrong TRUST_PROXY=<address of the proxy>']],
    [{ PUBLIC_URL: 'http://a.example', RATE_LIMIT: 'off' }, ['advice RATE_LIMIT=on']],
    [{ RATE_LIMIT: 'off' }, []],
  ]
  for (const [settings, told] of cases) {
    test(JSON.stringify(settings), () => {
      const found = judgeNetwork(readConfig(settings)).filter((finding) => finding !== false)
      assert.deepEqual(
        found.map(({ level, mend }) => `${level} ${mend}`),
        told,
      )
    })
  }
})

test('several processes want a store that they can share, and a core each', () => {
  const levels = (number: number, url: string) => judgeProcesses(number, url, 4).map(({ level }) => level)
  assert.deepEqual(levels(1, ''), ['ok'])
  assert.deepEqual(levels(4, ''), ['wrong'])
  assert.deepEqual(levels(4, 'redis://127.0.0.1'), ['ok'])
  assert.deepEqual(levels(8, 'rediss://a.example'), ['advice'])
})

test('Redis that may not be asked about its disk is believed; a clock far off is advice', () => {
  const redis = { version: '8.0', policy: 'noeviction', maxBytes: 0, persistent: undefined, aheadMs: 0, latencyMs: 1 }
  const levels = (more: Partial<typeof redis>) => judgeRedis({ ...redis, ...more }).map(({ level }) => level)
  assert.deepEqual(levels({}), ['ok'])
  assert.deepEqual(levels({ aheadMs: -60_000 }), ['ok', 'advice'])
  assert.deepEqual(levels({ latencyMs: 80 }), ['ok', 'advice'])
})
