// The cost of sharing through Redis: reading a shared filter result compared with computing it, and shared rate limits
// compared with local ones. `npm run bench -- shared limits` runs one part.
import { needsRedis, startRedis, type TestRedis } from '../test/kit/redis.ts'
import { openConnection, type Reply } from './connection.ts'
import { bench, benchScope, childPid, compare, median, printTable, startMenagerie, startServer } from './harness.ts'
import { readCpuMs } from './process-usage.ts'

const ROUNDS = 7
/** Not measured: V8 optimises the code of both nodes meanwhile. */
const WARM_UP_ROUNDS = 3
/** Enough for the CPU clock, which ticks every 10 ms. */
const PICTURES = 40
/** After its start a service draws pictures in advance. */
const SETTLE_MS = 4000
/** Reading a result from Redis must need at least this many times less CPU time than computing it. */
const GOAL = 10
/** Many short rounds, so that other load on the machine affects both sides. */
const LOAD = { rounds: 9, seconds: 2 }

/** Sends requests one after the other. Returns the median time and the values of X-Cache. */
async function sendRequests(node: string, paths: readonly string[]): Promise<{ ms: number; caches: Set<string> }> {
  using connection = await openConnection(node)
  const replies: Reply[] = []
  for (const path of paths) replies.push(await connection.get(path))
  return { ms: median(replies.map(({ ms }) => ms)), caches: new Set(replies.map(({ cache }) => cache)) }
}

async function readRedisCpuMs({ command }: TestRedis): Promise<number> {
  const info = await command('INFO cpu')
  return [...info.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)].reduce(
    (sum, [, seconds]) => sum + Number(seconds) * 1000,
    0,
  )
}

let number = 0

/** The first node computes each result. The second node reads it from Redis, and then from its memory. */
async function measureResults(redis: TestRedis) {
  const source = await startServer('bench/servers/pictures.ts')
  const settings = { STORE_URL: redis.url, FILTER_ALLOW_HOSTS: new URL(source).host }
  const [one, two] = [await startMenagerie(settings), await startMenagerie(settings)]
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  console.log('\nShared filter results (1920x1080 JPEG over HTTP, one at a time; CPU time of the node and of Redis)\n')
  console.log('| filter | computed | from Redis | from memory | computed / Redis, time | computed / Redis, CPU time |')
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const filter of ['blur', 'greyscale', 'invert']) {
    const rounds = { computed: [] as number[], shared: [] as number[], memory: [] as number[], ratio: [] as number[] }
    const cpu = { computed: 0, shared: 0 }
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const paths = Array.from({ length: PICTURES }, () => {
        const image = encodeURIComponent(`${source}/${number++}.jpg`)
        return `/api/v1/filter/${filter}?format=image&image=${image}`
      })
      const before = [readCpuMs(childPid(one)), readCpuMs(childPid(two)), await readRedisCpuMs(redis)] as const
      const computed = await sendRequests(one, paths)
      // The node stores a result after its reply, so the last result may not be in Redis yet.
      await new Promise((resolve) => setTimeout(resolve, 200))
      const between = await readRedisCpuMs(redis)
      const shared = await sendRequests(two, paths)
      if (shared.caches.has('miss')) console.log('(a result was not in Redis in time and was computed again)')
      const cpuSpent = {
        computed: readCpuMs(childPid(one)) - before[0] + between - before[2],
        shared: readCpuMs(childPid(two)) - before[1] + (await readRedisCpuMs(redis)) - between,
      }
      const memory = await sendRequests(two, paths)
      if (round < WARM_UP_ROUNDS) continue
      cpu.computed += cpuSpent.computed
      cpu.shared += cpuSpent.shared
      rounds.computed.push(computed.ms)
      rounds.shared.push(shared.ms)
      rounds.memory.push(memory.ms)
      rounds.ratio.push(computed.ms / shared.ms)
    }
    const [computed, shared, memory] = [rounds.computed, rounds.shared, rounds.memory].map((all) =>
      median(all).toFixed(1),
    )
    const cpuRatio = cpu.computed / cpu.shared
    const verdict = cpuRatio >= GOAL ? '' : ` (goal ${GOAL}: MISSED)`
    const ratio = median(rounds.ratio).toFixed(1)
    console.log(
      `| ${filter} | ${computed} ms | ${shared} ms | ${memory} ms | ${ratio} | ${cpuRatio.toFixed(1)}${verdict} |`,
    )
  }
}

/** Compares local and shared rate limits for one busy client. */
async function measureLimits({ url: storeUrl }: TestRedis) {
  const path = '/api/v1/version'
  const [local, shared] = [await startMenagerie(), await startMenagerie({ STORE_URL: storeUrl })]
  const unlimited = await startMenagerie({ RATE_LIMIT: 'off' })
  const contenders = [
    { name: 'local limits', url: local + path },
    { name: 'limits shared through Redis', url: shared + path },
    { name: 'no limits', url: unlimited + path },
  ]
  printTable('Rate limits', compare(contenders, LOAD))
}

const parts: Record<string, (redis: TestRedis) => Promise<void>> = { results: measureResults, limits: measureLimits }

if (needsRedis.skip) console.log(`Nothing to measure: ${needsRedis.skip}`)
else {
  await bench(async () => {
    const selectedPart = process.argv[3]
    for (const [name, run] of Object.entries(parts)) {
      if (selectedPart === undefined || selectedPart === name) await run(await startRedis(benchScope))
    }
  })
}
