// A process that counts downloads is killed with SIGKILL. test/faults/kill.test.ts does it to the whole service.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, type TestContext, test } from 'node:test'
import { openDownloadCounter, openStore } from '../../../src/platform/store/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { countInJournals } from '../../kit/journal.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

/** The child process counts this many downloads at once. */
const PER_TURN = 100

/** Counts in a child process, kills it at a random moment, and returns how many downloads it acknowledged. */
async function countAndKill(t: TestContext, url: string, dataDir: string, meanwhile = async () => {}): Promise<number> {
  const program = join(import.meta.dirname, 'counting.ts')
  const child = spawn(process.execPath, [...process.execArgv, program, url, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => void child.kill('SIGKILL'))
  let [acknowledged, killAt] = [0, Number.POSITIVE_INFINITY]
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    acknowledged = Number(line)
    if (acknowledged >= killAt) child.kill('SIGKILL')
  })
  const ended = once(child, 'close')
  await Promise.race([once(lines, 'line'), ended])
  await meanwhile()
  killAt = acknowledged + PER_TURN * randomInt(1, 50)
  const [code, signal] = await ended
  assert.equal(signal, 'SIGKILL', `the process ended by itself with code ${code}`)
  return acknowledged
}

/** The total in the store after the next process has taken over the journal. */
async function readTotal(t: TestContext, url: string, dataDir: string): Promise<number> {
  const log = createTestLog()
  const folder = join(dataDir, 'counts')
  const store = await openStore(url, { dataDir, log, ...PATIENT })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const next = await openDownloadCounter(store.downloads, { folder, log })
  await until(() => countInJournals(folder) === 0)
  await next.close()
  return (await store.downloads.summary(2)).total
}

function assertExact(t: TestContext, acknowledged: number, total: number) {
  t.diagnostic(`${acknowledged} acknowledged, ${total} counted`)
  // The downloads of one turn may be saved although they were not acknowledged yet.
  assert.ok(total === acknowledged || total === acknowledged + PER_TURN, `${total} of ${acknowledged}`)
}

describe('a killed process loses no acknowledged download and counts none twice', { concurrency: 2 }, () => {
  test('SQLite on a full disk, after several kills', async (t) => {
    const disk = await mountSmallDisk(t, 8 * 1024 * 1024)
    if (!disk) return
    const dataDir = join(disk.folder, 'data')
    const filler = join(disk.folder, 'filler')
    const fill = async () => {
      const { bavail, bsize } = statfsSync(disk.folder)
      await writeFile(filler, Buffer.alloc(bavail * bsize), { flag: 'a' }).catch(() => {})
    }
    let acknowledged = 0
    for (let kills = 0; kills < 3; kills += 1) acknowledged += await countAndKill(t, '', dataDir, fill)
    await rm(filler)
    const total = await readTotal(t, '', dataDir)
    t.diagnostic(`${acknowledged} acknowledged, ${total} counted`)
    assert.ok(total >= acknowledged && total <= acknowledged + 3 * PER_TURN, `${total} of ${acknowledged}`)
  })

  test('Redis that is unavailable from the start', needsRedis, async (t) => {
    const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
    await redis.kill()
    const acknowledged = await countAndKill(t, redis.url, dataDir)
    await redis.start()
    assertExact(t, acknowledged, await readTotal(t, redis.url, dataDir))
  })

  test('Redis that hangs after a while', needsRedis, async (t) => {
    const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
    const acknowledged = await countAndKill(t, redis.url, dataDir, async () => {
      await until(async () => (await redis.command('HLEN {menagerie}:downloads:rows')) !== ':0\r\n')
      redis.pause()
    })
    redis.resume()
    assertExact(t, acknowledged, await readTotal(t, redis.url, dataDir))
  })

  test(
    'a service that starts again with another store hands in what the first one did not confirm',
    needsRedis,
    async (t) => {
      const [redis, dataDir] = [await startRedis(t), await temporaryFolder(t)]
      await redis.kill()
      const acknowledged = await countAndKill(t, redis.url, dataDir)
      assertExact(t, acknowledged, await readTotal(t, '', dataDir))
    },
  )
})
