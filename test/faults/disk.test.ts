import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mountSmallDisk } from '../kit/disk.ts'
import { readLogs } from '../kit/log-files.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { fetchJson, spawnService } from '../kit/service-process.ts'
import { until } from '../kit/until.ts'

/** Leaves no free byte. */
async function fill(folder: string): Promise<string> {
  const file = join(folder, 'filler')
  const { bavail, bsize } = statfsSync(folder)
  await writeFile(file, Buffer.alloc(bavail * bsize)).catch(() => {})
  return file
}

test(
  'on a full disk requests are answered, /readyz lists the problems, counts wait, and everything recovers',
  needsRedis,
  async (t) => {
    const disk = await mountSmallDisk(t, 8 * 1024 * 1024)
    if (!disk) return
    const redis = await startRedis(t)
    const service = await spawnService(t, { DATA_DIR: join(disk.folder, 'data'), STORE_URL: redis.url })
    const url = await service.opened
    const problems = async () => (await fetchJson(`${url}/readyz`)).problems.map(({ part }: { part: string }) => part)
    const filler = await fill(disk.folder)
    await until(async () => (await problems()).includes('log'), 10_000)
    redis.pause()
    for (let requests = 0; requests < 5; requests++)
      await fetch(`${url}/api/v5/app/download/launcher`).then((reply) => reply.arrayBuffer())
    await until(async () => (await problems()).includes('downloads'), 10_000)
    assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)

    redis.resume()
    await rm(filler)
    await until(async () => (await problems()).length === 0, 20_000)
    await until(async () => (await fetchJson(`${url}/api/v5/app/stats/downloads`)).total === 5)
    await fetchJson(`${url}/api/v1/uptime`)
    await until(async () => (await readLogs(service.dataDir)).includes('/api/v1/uptime'))
  },
)
