// Ten minutes of mixed load (other durations: `npm run bench -- soak --seconds 60`). Prints memory, file handles and the
// slowest reply over time, and checks at the end that memory and handles did not grow.
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bench, childPid, startMenagerie, startServer } from './harness.ts'
import { readMegabytes } from './process-usage.ts'

const { values } = parseArgs({
  args: process.argv.slice(process.argv[2] === 'soak' ? 3 : 2),
  options: { seconds: { type: 'string', default: '600' }, clients: { type: 'string', default: '12' } },
})
const seconds = Number(values.seconds)
const clients = Number(values.clients)
const SAMPLES = 20
/** Share of the samples to ignore at the start, while caches fill and code is optimized. */
const WARM_UP_SHARE = 0.3
/** Growth from the first third to the last third (after the warm-up) that counts as noise. */
const MAX_GROWTH = { memory: 0.1, handles: 0.1 }
const DISTINCT_PICTURES = 200

interface Sample {
  readonly at: number
  readonly memory: number
  readonly handles: number
  readonly slowest: number
}

const countHandles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** The slowest of a few cheap requests, which shows how long the event loop was blocked. */
async function measureSlowest(url: string): Promise<number> {
  let longest = 0
  for (let count = 0; count < 20; count++) {
    const start = performance.now()
    await (await fetch(`${url}/healthz`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - start)
  }
  return longest
}

/** The paths that clients request in turn. */
const buildPaths = (source: string): ((turn: number) => string)[] => [
  () => '/api/v1/animals/cat',
  () => '/api/v2/random/animal/dog?format=image',
  () => '/api/v2/random/kaomoji/uwu?count=5',
  () => '/api/v5/app/launcher/updates',
  () => '/api/v5/app/download/reshade',
  () => '/api/v1/static/logs',
  () => '/no/such/path',
  (turn) =>
    `/api/v1/filter/blur?strength=${1 + (turn % 9)}&image=${encodeURIComponent(`${source}/${turn % DISTINCT_PICTURES}.jpg`)}`,
]

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** Growth from the first third to the last third, after the warm-up. */
function computeGrowth(samples: readonly Sample[], what: 'memory' | 'handles'): number {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE)).map((sample) => sample[what])
  const third = Math.max(1, Math.floor(settled.length / 3))
  return mean(settled.slice(-third)) / mean(settled.slice(0, third)) - 1
}

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts', ['640', '360'])
  const url = await startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host })
  const pid = childPid(url)
  const paths = buildPaths(source)
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  let turn = 0
  let failed = 0
  const load = Array.from({ length: clients }, async () => {
    while (performance.now() < end) {
      const path = paths[turn % paths.length]?.(Math.floor(turn++ / paths.length)) ?? '/'
      const reply = await fetch(url + path, { redirect: 'manual' }).catch(() => undefined)
      await reply?.arrayBuffer().catch(() => {})
      if (!reply || reply.status === 500) failed++
    }
  })

  console.log(
    `\n${clients} clients, ${seconds} s\n\n| seconds | memory, MB | file handles | slowest of 20 replies, ms |\n|---:|---:|---:|---:|`,
  )
  const samples: Sample[] = []
  for (let sampleNumber = 1; sampleNumber <= SAMPLES; sampleNumber++) {
    const at = (seconds * sampleNumber) / SAMPLES
    await sleep(startedAt + at * 1000 - performance.now())
    const sample = { at, memory: readMegabytes(pid), handles: countHandles(pid), slowest: await measureSlowest(url) }
    samples.push(sample)
    console.log(`| ${at.toFixed(0)} | ${sample.memory.toFixed(0)} | ${sample.handles} | ${sample.slowest.toFixed(1)} |`)
  }
  await Promise.all(load)

  console.log(`\n${turn} requests, ${failed} failed (no reply, or status 500)`)
  for (const what of ['memory', 'handles'] as const) {
    const growth = computeGrowth(samples, what)
    const verdict = growth <= MAX_GROWTH[what] ? 'no growth' : 'GROWTH'
    console.log(
      `${what}: ${verdict}, ${(growth * 100).toFixed(1)} % from the first third to the last (goal: at most ${MAX_GROWTH[what] * 100} %)`,
    )
  }
})
