// Counted downloads per second through the counter, which sends batches, compared with the bare driver, which runs one
// statement per download. All four run in turns in this process; the medians of the rounds are compared.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { openDownloadCounter, openStore } from '../src/platform/store/index.ts'
import { needsRedis, startRedis } from '../test/kit/redis.ts'
import { until } from '../test/kit/until.ts'
import { bench, benchScope, median, temporaryFolder } from './harness.ts'

const ROUNDS = 5
const ROUND_MS = 1000
/** Downloads that a busy node counts per turn of the event loop. */
const PER_TURN = 100
const GOAL = 50_000

const log = { info() {}, warn() {}, error: console.error }
const versions = Array.from({ length: 20 }, (_, index) => `2.${index}.0`)
const version = (index: number) => versions[index % versions.length] ?? ''
const day = new Date().toISOString().slice(0, 10)

type Contender = {
  name: string
  turn(first: number): unknown
  settle?(): Promise<void>
  close(): Promise<void>
}

async function createBatched(name: string, url: string, dataDir: string): Promise<Contender> {
  const store = await openStore(url, { dataDir, log })
  await until(async () => (await store.health()).ok)
  const counter = await openDownloadCounter(store.downloads, { folder: join(dataDir, 'counts'), log })
  return {
    name,
    turn(first) {
      for (let index = first; index < first + PER_TURN; index += 1) counter.count('launcher', version(index))
    },
    settle: () => until(() => counter.status().waiting === 0),
    async close() {
      await counter.close()
      await store.close()
    },
  }
}

function createBareSqlite(dataDir: string): Contender {
  const db = new DatabaseSync(join(dataDir, 'bare.sqlite'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(
    'CREATE TABLE counts (application TEXT, version TEXT, day TEXT, count INTEGER, PRIMARY KEY (application, version, day))',
  )
  const add = db.prepare('INSERT INTO counts VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1')
  return {
    name: 'bare SQLite',
    turn(first) {
      for (let index = first; index < first + PER_TURN; index += 1) add.run('launcher', version(index), day)
    },
    close: async () => db.close(),
  }
}

async function createBareRedis(url: string): Promise<Contender> {
  const client = await createClient({ url }).connect()
  return {
    name: 'bare Redis',
    // The client pipelines calls that do not wait for each other.
    turn: (first) =>
      Promise.all(
        Array.from({ length: PER_TURN }, (_, index) =>
          client.hIncrBy('counts', `launcher ${version(first + index)} ${day}`, 1),
        ),
      ),
    close: async () => client.destroy(),
  }
}

/** Downloads per second, including the time until the last one is stored. */
async function measure({ turn, settle }: Contender): Promise<number> {
  const start = performance.now()
  let counted = 0
  while (performance.now() - start < ROUND_MS) {
    await turn(counted)
    counted += PER_TURN
    await nextTurn()
  }
  await settle?.()
  return counted / ((performance.now() - start) / 1000)
}

await bench(async () => {
  const dataDir = temporaryFolder()
  const contenders = [await createBatched('SQLite', '', dataDir), createBareSqlite(dataDir)]
  if (needsRedis.skip) console.log(`Redis is not measured: ${needsRedis.skip}`)
  else {
    const redis = await startRedis(benchScope)
    contenders.push(await createBatched('Redis', redis.url, join(dataDir, 'redis')), await createBareRedis(redis.url))
  }
  const results = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contender of contenders) results.get(contender.name)?.push(await measure(contender))
  }
  for (const contender of contenders) await contender.close()

  const rate = (name: string) => median(results.get(name) ?? [])
  for (const name of results.keys()) console.log(`${name.padEnd(12)} ${Math.round(rate(name))} downloads per second`)
  for (const name of ['SQLite', 'Redis'].filter((name) => results.has(name))) {
    const ratio = rate(name) / rate(`bare ${name}`)
    console.log(
      `${name}: ${ratio.toFixed(1)} times the bare driver; goal of ${GOAL} per second ${rate(name) >= GOAL ? 'met' : 'MISSED'}`,
    )
  }
})
