// The service is killed with SIGKILL at random moments under load: every acknowledged download is counted exactly once.
// `KILL_TRIES=200 npm test -- test/faults/kill.test.ts` kills it 200 times on each store.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { openStore } from '../../src/platform/store/index.ts'
import { mountSmallDisk } from '../kit/disk.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { countInJournals } from '../kit/journal.ts'
import { createTestLog } from '../kit/log.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../kit/releases.ts'
import { isAlive, type ServiceProcess, spawnService } from '../kit/service-process.ts'
import { PATIENT } from '../kit/store.ts'
import { until } from '../kit/until.ts'

const TRIES = process.env.KILL_TRIES && Number(process.env.KILL_TRIES)
const TIMEOUT_MS = 120_000 + Number(TRIES ?? 3) * 20_000
/** Each client downloads a version of its own, so that its downloads can be distinguished from those of the others. */
const VERSIONS = Array.from({ length: 8 }, (_, client) => `1.0.${client}`)
/** At most this many downloads are acknowledged before the kill: those of several batches. */
const MAX_DOWNLOADS = 400
const MAX_DELAY_MS = 6
/** After the death of a worker the clients continue: the other worker serves. */
const DOWNLOADS_AFTER_KILL = 50
/** Workers may continue after the death of their primary for as long as their last requests take. */
const LAST_REQUESTS_MS = 30_000

type Victim = 'service' | 'worker' | 'primary' | 'all'

/** Downloads one version after the other, each time when the reply to the last one has arrived. */
function startClient(url: string, version: string, onAcknowledged: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const client = { version, acknowledged: 0, unanswered: 0, isStopping: false }
  const ended = new Promise<void>((resolve, reject) => {
    const next = () => {
      if (client.isStopping) return resolve()
      const request = get(`${url}/api/v5/app/download/launcher?version=${version}`, { agent }, (response) => {
        if (response.statusCode !== 302) return reject(new Error(`${response.statusCode}`))
        client.acknowledged += 1
        onAcknowledged()
        response.resume().once('end', next)
      })
      request.once('error', () => {
        client.unanswered += 1
        setImmediate(next)
      })
    }
    next()
  })
  return { client, ended: ended.finally(() => agent.destroy()) }
}

/** Kills the victim under load. Resolves to the clients when all of them have ended. */
async function killUnderLoad({ pid, opened, workers }: ServiceProcess, victim: Victim) {
  const [url, workerPids] = [await opened, await workers()]
  const victims = {
    service: [pid],
    worker: [workerPids[randomInt(workerPids.length || 1)] ?? 0],
    primary: [pid],
    all: [pid, ...workerPids],
  }[victim]
  // 0 would be all processes of this group.
  assert.ok(victims.every((victimPid) => victimPid > 0))
  const killAt = randomInt(1, MAX_DOWNLOADS)
  let [acknowledged, stopAt] = [0, Number.POSITIVE_INFINITY]
  const kill = () => {
    for (const victimPid of victims) process.kill(victimPid, 'SIGKILL')
    stopAt = acknowledged + (victim === 'worker' ? DOWNLOADS_AFTER_KILL : 0)
    stopInTime()
  }
  const stopInTime = () => {
    if (acknowledged >= stopAt) for (const { client } of clients) client.isStopping = true
  }
  const onAcknowledged = () => {
    acknowledged += 1
    // Without the delay, the kill would always follow the replies of a turn of the event loop.
    if (acknowledged === killAt) setTimeout(kill, randomInt(MAX_DELAY_MS))
    stopInTime()
  }
  const clients = VERSIONS.map((version) => startClient(url, version, onAcknowledged))
  await Promise.all(clients.map(({ ended }) => ended))
  return { clients: clients.map(({ client }) => client), workerPids }
}

interface KillOptions {
  readonly folder: string
  readonly settings?: Record<string, string>
  /** One after the other. */
  readonly victims: readonly Victim[]
  /** The store cannot accept counts until this is called after the last kill. */
  readonly makeUsable?: () => Promise<void>
}

async function killRepeatedly(t: TestContext, { folder, settings = {}, victims, makeUsable }: KillOptions) {
  const [dataDir, contentDir] = [join(folder, 'data'), await temporaryFolder(t)]
  const releases = releasesYaml({ launcher: VERSIONS.toReversed().map((version) => record(version)) })
  await writeFiles(join(contentDir, 'app'), { 'releases.yaml': releases })
  const start = () => spawnService(t, { LOG_LEVEL: 'error', ...settings, DATA_DIR: dataDir, CONTENT_DIR: contentDir })
  const expected = VERSIONS.map((version) => ({ version, acknowledged: 0, unanswered: 0 }))
  let service = await start()
  await service.opened
  const store = await openStore(settings.STORE_URL ?? '', { dataDir, log: createTestLog(), ...PATIENT })
  t.after(() => store.close())

  /** Requests without a reply may be counted or not. From then on it is known. */
  const check = async (what: string) => {
    await until(() => countInJournals(join(dataDir, 'counts')) === 0)
    const rows = await store.downloads.rows()
    for (const counts of expected) {
      const { version, acknowledged, unanswered } = counts
      const counted = rows.filter((row) => row.version === version).reduce((sum, { count }) => sum + count, 0)
      const figures = `${acknowledged} acknowledged, ${unanswered} unanswered, ${counted} counted`
      assert.ok(counted >= acknowledged && counted <= acknowledged + unanswered, `${what}, ${version}: ${figures}`)
      Object.assign(counts, { acknowledged: counted, unanswered: 0 })
    }
  }

  const sums = { acknowledged: 0, unanswered: 0 }
  const tries = Number(TRIES ?? Math.max(2, victims.length))
  for (let number = 0; number < tries; number += 1) {
    const victim = victims[number % victims.length] ?? 'service'
    const { clients, workerPids } = await killUnderLoad(service, victim)
    for (const [index, { acknowledged, unanswered }] of clients.entries()) {
      for (const counts of [sums, expected[index] ?? sums]) {
        counts.acknowledged += acknowledged
        counts.unanswered += unanswered
      }
    }
    if (victim !== 'worker') {
      service = await start()
      await service.opened
      await until(() => workerPids.every((pid) => !isAlive(pid)), LAST_REQUESTS_MS)
    }
    if (!makeUsable) await check(`kill ${number + 1}, ${victim}`)
  }
  await makeUsable?.()
  await check('after all kills')
  service.child.kill('SIGKILL')
  await service.exited
  const counted = expected.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  t.diagnostic(`${tries} kills: ${sums.acknowledged} acknowledged, ${sums.unanswered} unanswered, ${counted} counted`)
}

describe('a service that is killed at random moments', { concurrency: 2, timeout: 3 * TIMEOUT_MS }, () => {
  test('SQLite: no acknowledged download is lost or counted twice', { timeout: TIMEOUT_MS }, async (t) => {
    await killRepeatedly(t, { folder: await temporaryFolder(t), victims: ['service'] })
  })

  test('Redis, two workers: none is lost or counted twice', { ...needsRedis, timeout: TIMEOUT_MS }, async (t) => {
    const [redis, folder] = [await startRedis(t), await temporaryFolder(t)]
    const settings = { STORE_URL: redis.url, WORKERS: '2' }
    await killRepeatedly(t, { folder, settings, victims: ['worker', 'primary', 'all'] })
  })

  test('SQLite on a full disk: none is lost or counted twice', { timeout: TIMEOUT_MS }, async (t) => {
    const disk = await mountSmallDisk(t, 16 * 1024 * 1024)
    if (!disk) return
    const folder = disk.folder
    // The files of the service have their places when the disk fills up.
    const service = await spawnService(t, { DATA_DIR: join(folder, 'data') })
    await service.opened
    const filler = join(folder, 'filler')
    const { bavail, bsize } = statfsSync(folder)
    await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => {})
    service.child.kill('SIGKILL')
    await service.exited
    await killRepeatedly(t, { folder, victims: ['service'], makeUsable: () => rm(filler) })
  })
})
