// What nodes share through Redis: a shared filter result against computing it, and shared limits against those of one node.
// `npm run bench -- shared limits` runs one part.
import { readFileSync } from 'node:fs'
import { needsRedis, startRedis, type TestRedis } from '../test/kit/redis.ts'
import { type Answer, openCaller } from './caller.ts'
import { bench, childPid, compare, median, printTable, startMenagerie, startServer } from './harness.ts'

const ROUNDS = 7
/** Before they count: both nodes are compiled by what they do. */
const WARM_UP_ROUNDS = 3
/** So many that a processor's clock, which ticks every 10 ms, tells them apart. */
const PICTURES = 40
/** A service that has just started still draws ahead. */
const SETTLE_MS = 4000
const GOAL = 10
/** Many short rounds: what else the machine does then hits both of a pair. */
const LOAD = { rounds: 9, seconds: 2 }

/** Median milliseconds of one request after the other, and how each was answered. */
async function ask(node: string, paths: readonly string[]): Promise<{ ms: number; caches: Set<string> }> {
  using caller = await openCaller(node)
  const answers: Answer[] = []
  for (const path of paths) answers.push(await caller.get(path))
  return { ms: median(answers.map(({ ms }) => ms)), caches: new Set(answers.map(({ cache }) => cache)) }
}

/** Milliseconds of processor time so far, all threads of the process included. */
function processorMs(node: string): number {
  const fields =
    readFileSync(`/proc/${childPid(node)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function redisProcessorMs({ command }: TestRedis): Promise<number> {
  const told = await command('INFO cpu')
  return [...told.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)].reduce(
    (sum, [, seconds]) => sum + Number(seconds) * 1000,
    0,
  )
}

let number = 0

/** The first node computes each picture; the second, which has not seen it, finds it in Redis; then it has it in memory. */
async function results(redis: TestRedis) {
  const source = await startServer('bench/servers/pictures.ts')
  const settings = { STORE_URL: redis.url, FILTER_ALLOW_HOSTS: new URL(source).host }
  const [one, two] = [await startMenagerie(settings), await startMenagerie(settings)]
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  console.log(
    '\na shared filter result (1920x1080 JPEG over HTTP, one at a time; processor time of the node and of Redis)\n',
  )
  console.log('| filter | computed | shared | in memory | shared cheaper by time | by processor time |')
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const filter of ['blur', 'greyscale', 'invert']) {
    const rounds = { computed: [] as number[], shared: [] as number[], memory: [] as number[], ratio: [] as number[] }
    const processor = { computed: 0, shared: 0 }
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const paths = Array.from({ length: PICTURES }, () => {
        const image = encodeURIComponent(`${source}/${number++}.jpg`)
        return `/api/v1/filter/${filter}?format=image&image=${image}`
      })
      const begun = [processorMs(one), processorMs(two), await redisProcessorMs(redis)] as const
      const computed = await ask(one, paths)
      // Kept after the answer: the last one may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, 200))
      const between = await redisProcessorMs(redis)
      const shared = await ask(two, paths)
      if (shared.caches.has('miss')) console.log('(a shared result was not there in time, and computed)')
      const spent = {
        computed: processorMs(one) - begun[0] + between - begun[2],
        shared: processorMs(two) - begun[1] + (await redisProcessorMs(redis)) - between,
      }
      const memory = await ask(two, paths)
      if (round < WARM_UP_ROUNDS) continue
      processor.computed += spent.computed
      processor.shared += spent.shared
      rounds.computed.push(computed.ms)
      rounds.shared.push(shared.ms)
      rounds.memory.push(memory.ms)
      rounds.ratio.push(computed.ms / shared.ms)
    }
    const [computed, shared, memory] = [rounds.computed, rounds.shared, rounds.memory].map((all) =>
      median(all).toFixed(1),
    )
    const cheaper = processor.computed / processor.shared
    const verdict = cheaper >= GOAL ? '' : ` (goal ${GOAL}: MISSED)`
    const ratio = median(rounds.ratio).toFixed(1)
    console.log(
      `| ${filter} | ${computed} ms | ${shared} ms | ${memory} ms | ${ratio} | ${cheaper.toFixed(1)}${verdict} |`,
    )
  }
}

/** One busy caller, whose leases grow, and the same without Redis. */
async function limits({ url: storeUrl }: TestRedis) {
  const path = '/api/v1/version'
  const [alone, sharing] = [await startMenagerie(), await startMenagerie({ STORE_URL: storeUrl })]
  const off = await startMenagerie({ RATE_LIMIT: 'off' })
  const contenders = [
    { name: 'limits of one node', url: alone + path },
    { name: 'limits shared through Redis', url: sharing + path },
    { name: 'no limits', url: off + path },
  ]
  printTable('the cost of shared limits', compare(contenders, LOAD))
}

const parts: Record<string, (redis: TestRedis) => Promise<void>> = { results, limits }

if (needsRedis.skip) console.log(`Nothing to measure: ${needsRedis.skip}`)
else {
  const closers: (() => Promise<void> | void)[] = []
  try {
    await bench(async () => {
      const wanted = process.argv[3]
      for (const [name, run] of Object.entries(parts)) {
        if (wanted !== undefined && wanted !== name) continue
        await run(await startRedis({ after: (work) => void closers.push(work) }))
      }
    })
  } finally {
    for (const close of closers) await close()
  }
}
