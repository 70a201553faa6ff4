// A process that counts downloads is killed with SIGKILL.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, type TestContext, test } from 'node:test'
import { createCounter, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'

/** The documented promise: a download that was acknowledged this long before a kill is counted. */
const MAX_LOSS_MS = 1000
/** The child process counts and acknowledges with this interval. */
const TICK_MS = 5
/** Longer than MAX_LOSS_MS, so that a process that never saves anything fails the test. */
const RUN_MS = 1500
/** Far longer than the time between two acknowledgements of a process that gets CPU time. */
const PAUSE_MS = 25

/** Counts in a child process, kills it, and returns what it acknowledged and when. */
async function countAndKill(t: TestContext, url: string, dataDir: string, runMs = RUN_MS, meanwhile = async () => {}) {
  const program = join(import.meta.dirname, 'counting.ts')
  const child = spawn(process.execPath, [program, url, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => void child.kill('SIGKILL'))
  const acknowledged: { count: number; at: number }[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    const [count = 0, at = 0] = line.split(' ').map(Number)
    acknowledged.push({ count, at })
  })
  await once(lines, 'line')
  await meanwhile()
  // Ticks instead of a sleep: on a busy machine the process may not get any CPU time meanwhile.
  const lastTick = acknowledged.length + runMs / TICK_MS
  await until(() => acknowledged.length >= lastTick)
  const killedAt = Date.now()
  child.kill('SIGKILL')
  await once(lines, 'close')
  return { acknowledged, killedAt }
}

/** The total in the store after the next process has imported the journal. */
async function readTotal(t: TestContext, url: string, dataDir: string): Promise<number> {
  const log = createTestLog()
  const folder = join(dataDir, 'counts')
  const store = await openStore(url, { dataDir, log })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const next = createCounter(store.downloads, { folder, log, orphanedAfterMs: 100 })
  await until(
    async () => (await readdir(folder).catch(() => [])).filter((name) => /^downloads/.test(name)).length === 0,
  )
  await next.close()
  return (await store.downloads.summary(2)).total
}

function assertLossIsBounded(t: TestContext, run: Awaited<ReturnType<typeof countAndKill>>, total: number) {
  const { acknowledged, killedAt } = run
  const last = acknowledged.at(-1)?.count ?? 0
  const firstMissing = acknowledged.find(({ count }) => count > total)
  const missingMs = firstMissing ? killedAt - firstMissing.at : 0
  // A process that gets no CPU time cannot save anything either: such pauses are subtracted.
  const moments = [...acknowledged.map(({ at }) => at).filter((at) => at >= killedAt - missingMs), killedAt]
  const pausedMs = moments.reduce((sum, at, i) => sum + Math.max(0, at - (moments[i - 1] ?? at) - PAUSE_MS), 0)
  t.diagnostic(`acknowledged ${last}, counted ${total}; the oldest missing download is ${missingMs} ms old`)
  assert.ok(missingMs - pausedMs <= MAX_LOSS_MS, `${missingMs} ms, of which the process was paused for ${pausedMs}`)
  // One interval of counts may be saved without having been acknowledged yet.
  assert.ok(total > 0 && total <= last + 100, `${total} of ${last}`)
}

describe('a kill under load loses at most one second of downloads', { concurrency: 2 }, () => {
  for (const runMs of [1000, 1730]) {
    test(`SQLite, after ${runMs} ms`, async (t) => {
      const dataDir = await temporaryFolder(t)
      const run = await countAndKill(t, '', dataDir, runMs)
      assertLossIsBounded(t, run, await readTotal(t, '', dataDir))
    })
  }

  test('Redis', needsRedis, async (t) => {
    const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
    const run = await countAndKill(t, redis.url, dataDir)
    assertLossIsBounded(t, run, await readTotal(t, redis.url, dataDir))
  })

  test('Redis that is unavailable from the start', needsRedis, async (t) => {
    const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
    await redis.kill()
    const run = await countAndKill(t, redis.url, dataDir)
    await redis.start()
    assertLossIsBounded(t, run, await readTotal(t, redis.url, dataDir))
  })

  test('Redis that hangs after a while; nothing is counted twice', needsRedis, async (t) => {
    const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
    const run = await countAndKill(t, redis.url, dataDir, RUN_MS, async () => {
      await until(async () => (await redis.command('HLEN {menagerie}:downloads:rows')) !== ':0\r\n')
      redis.pause()
    })
    redis.resume()
    assertLossIsBounded(t, run, await readTotal(t, redis.url, dataDir))
  })
})
