// The decisions of the doctor, as functions of plain values.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Check, type Findings, listFindings, ok, runChecks } from '../../src/cli/doctor/check.ts'
import { checkClock, checkMemory, checkOpenFiles, checkProcesses } from '../../src/cli/doctor/machine.ts'
import { checkNetwork, checkRedisServer } from '../../src/cli/doctor/network.ts'
import { loadSettings } from '../../src/cli/load-settings.ts'
import { readConfig } from '../../src/config/config.ts'

const context = {
  settings: loadSettings({}, {}, ''),
  config: readConfig({}),
  formatCommand: (words: string) => words,
}

const levelsOf = (findings: Findings) => listFindings(findings).map(({ level }) => level)

test('a check that fails or hangs is reported, and the other checks still run', async () => {
  let isAborted = false
  const checks: Check[] = [
    {
      name: 'throws',
      run: () => {
        throw new Error('boom')
      },
    },
    {
      name: 'rejects',
      run: async () => {
        throw Object.assign(new Error('x'), { errno: -13, syscall: 'open', path: '/p' })
      },
    },
    {
      name: 'hangs',
      timeoutMs: 20,
      run: ({ signal }) =>
        new Promise(() =>
          signal.addEventListener('abort', () => {
            isAborted = true
          }),
        ),
    },
    { name: 'works', run: () => [ok('Fine.'), false] },
  ]
  const progress: number[] = []
  const findings = await runChecks(checks, context, (done) => progress.push(done))
  assert.deepEqual(
    findings.map(({ check, level, text }) => [check, level, text]),
    [
      ['throws', 'error', 'This check failed: boom.'],
      ['rejects', 'error', '/p cannot be used: permission denied.'],
      ['hangs', 'error', 'This check did not finish within 0.02 seconds. A disk or a host may hang.'],
      ['works', 'ok', 'Fine.'],
    ],
  )
  assert.ok(isAborted)
  assert.deepEqual(progress, [0, 1, 2, 3])
})

test('a clock earlier than the newest file is an error', async () => {
  const { signal } = new AbortController()
  assert.equal((await checkClock({ ...context, signal })).level, 'ok')
  assert.equal((await checkClock({ ...context, signal }, Date.parse('1970-01-02'))).level, 'error')
})

test('a low limit of open files is a warning, a very low one an error', () => {
  const levels = [65_536, 1024, 64].map((limit) => checkOpenFiles(limit).level)
  assert.deepEqual(levels, ['ok', 'warning', 'error'])
  assert.equal(checkOpenFiles(Number.POSITIVE_INFINITY).level, 'ok')
})

test('memory that is too small for the service is a warning', async () => {
  const check = (mebibytes: number, settings = {}) =>
    checkMemory(readConfig(settings), { available: mebibytes * 2 ** 20, cores: 2 })
  assert.equal((await check(512)).level, 'ok')
  assert.equal((await check(128, { MEMORY_LIMIT: String(2 ** 29) })).level, 'ok')
  assert.match((await check(128)).fix ?? '', /MEMORY_LIMIT=\d+/)
  assert.match((await check(512, { WORKERS: '4', STORE_URL: 'redis://localhost' })).fix ?? '', /fewer WORKERS/)
})

describe('the network check', () => {
  const cases: [settings: Record<string, string>, findings: string[]][] = [
    [{}, []],
    [{ PUBLIC_URL: 'https://a.example', TRUST_PROXY: 'loopback' }, []],
    [{ PUBLIC_URL: 'https://a.example' }, ['error: TRUST_PROXY=loopback']],
    [
      { HOST: '0.0.0.0' },
      ['warning: Use a proxy with TLS: HOST=127.0.0.1, PUBLIC_URL=https://<your domain>, TRUST_PROXY=loopback'],
    ],
    [{ HOST: '0.0.0.0', TRUST_PROXY: '0.0.0.0/0' }, ['error: TRUST_PROXY=<address of the proxy>']],
    [{ PUBLIC_URL: 'http://a.example', RATE_LIMIT: 'off' }, ['warning: RATE_LIMIT=on']],
    [{ RATE_LIMIT: 'off' }, []],
  ]
  for (const [settings, expected] of cases) {
    test(JSON.stringify(settings), () => {
      const problems = listFindings(checkNetwork(readConfig(settings))).filter(({ level }) => level !== 'ok')
      assert.deepEqual(
        problems.map(({ level, fix }) => `${level}: ${fix}`),
        expected,
      )
    })
  }
})

test('several workers need Redis, and one core each', () => {
  const levels = (WORKERS: string, STORE_URL: string) => levelsOf(checkProcesses(readConfig({ WORKERS, STORE_URL }), 4))
  assert.deepEqual(levels('1', ''), ['ok'])
  assert.deepEqual(levels('4', ''), ['error'])
  assert.deepEqual(levels('4', 'redis://127.0.0.1'), ['ok'])
  assert.deepEqual(levels('8', 'rediss://a.example'), ['warning'])
})

test('a slow Redis and a wrong clock are warnings; unknown persistence is not', () => {
  const memory = { policy: 'noeviction', maxBytes: 0, usedBytes: 2 ** 20 }
  const redis = { version: '8.0', master: undefined, ...memory, persistent: undefined, aheadMs: 0, latencyMs: 1 }
  const levels = (more: Partial<typeof redis>) => levelsOf(checkRedisServer({ ...redis, ...more }))
  assert.deepEqual(levels({}), ['ok'])
  assert.deepEqual(levels({ aheadMs: -60_000 }), ['ok', 'warning'])
  assert.deepEqual(levels({ latencyMs: 80 }), ['ok', 'warning'])
})
