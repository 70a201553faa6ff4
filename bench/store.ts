// Counted downloads a second through the batching path, against the bare driver doing one statement a download.
// All four run interleaved in this process; the medians of the rounds are compared.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { createCounter, openStore } from '../src/platform/store/index.ts'
import { needsRedis, startRedis } from '../test/kit/redis.ts'
import { until } from '../test/kit/until.ts'

const ROUNDS = 5
const ROUND_MS = 1000
/** What a busy node counts between two turns of the event loop. */
const PER_TURN = 100
const GOAL = 50_000

const log = { info() {}, warn() {}, error: console.error }
const versions = Array.from({ length: 20 }, (_, index) => `2.${index}.0`)
const version = (index: number) => versions[index % versions.length] ?? ''
const day = new Date().toISOString().slice(0, 10)

type Way = {
  name: string
  turn(first: number): unknown
  settle?(): Promise<void>
  close(): Promise<void>
}

async function batched(name: string, url: string, dataDir: string): Promise<Way> {
  const store = openStore(url, { dataDir, log })
  await until(async () => (await store.health()).ok)
  const counter = createCounter(store.downloads, { folder: join(dataDir, 'counts'), log })
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

function bareSqlite(dataDir: string): Way {
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

async function bareRedis(url: string): Promise<Way> {
  const client = await createClient({ url }).connect()
  return {
    name: 'bare Redis',
    // Pipelined, as the client does by itself where calls do not wait for one another.
    turn: (first) =>
      Promise.all(
        Array.from({ length: PER_TURN }, (_, index) =>
          client.hIncrBy('counts', `launcher ${version(first + index)} ${day}`, 1),
        ),
      ),
    close: async () => client.destroy(),
  }
}

/** Downloads a second, the time in which the last of them arrive included. */
async function measure({ turn, settle }: Way): Promise<number> {
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

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const cleanups: (() => Promise<void> | void)[] = []
const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-bench-'))

try {
  const ways = [await batched('SQLite', '', dataDir), bareSqlite(dataDir)]
  if (needsRedis.skip) console.log(`Redis is left out: ${needsRedis.skip}`)
  else {
    const redis = await startRedis({ after: (work) => void cleanups.push(work) })
    ways.push(await batched('Redis', redis.url, join(dataDir, 'redis')), await bareRedis(redis.url))
  }
  const results = new Map(ways.map((way) => [way.name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ways) results.get(way.name)?.push(await measure(way))
  }
  for (const way of ways) await way.close()

  const rate = (name: string) => median(results.get(name) ?? [])
  for (const name of results.keys()) console.log(`${name.padEnd(12)} ${Math.round(rate(name))} downloads/s`)
  for (const name of ['SQLite', 'Redis'].filter((name) => results.has(name))) {
    const ratio = rate(name) / rate(`bare ${name}`)
    console.log(
      `${name}: ${ratio.toFixed(1)} times the bare driver; goal ${GOAL} downloads/s ${rate(name) >= GOAL ? 'met' : 'MISSED'}`,
    )
  }
} finally {
  for (const cleanup of cleanups) await cleanup()
  await rm(dataDir, { recursive: true, force: true })
}
