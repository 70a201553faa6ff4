// Ten minutes of mixed load (`npm run bench -- soak --seconds 60` for another time): prints memory, handles and the delay of
// the event loop as it goes, and says at the end whether they stayed flat.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bench, childPid, startMenagerie, startServer } from './harness.ts'

const { values } = parseArgs({
  args: process.argv.slice(process.argv[2] === 'soak' ? 3 : 2),
  options: { seconds: { type: 'string', default: '600' }, callers: { type: 'string', default: '12' } },
})
const seconds = Number(values.seconds)
const callers = Number(values.callers)
const SAMPLES = 20
/** Caches fill and code is compiled at first: what counts is how it goes on. */
const SETTLED = 0.3
/** Growth from the first settled third to the last that is still noise. */
const FLAT = { memory: 0.1, handles: 0.1 }
const DISTINCT_PICTURES = 200

interface Sample {
  readonly at: number
  readonly memory: number
  readonly handles: number
  readonly lag: number
}

const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** The longest of a few cheap requests: what an event loop that is held up does to callers. */
async function lagOf(url: string): Promise<number> {
  let longest = 0
  for (let asked = 0; asked < 20; asked++) {
    const begun = performance.now()
    await (await fetch(`${url}/healthz`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}

/** What callers ask, each as often as it stands here. */
const mix = (source: string): ((turn: number) => string)[] => [
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

/** By how much the last third is above the first, of the settled part. */
function growthOf(samples: readonly Sample[], what: 'memory' | 'handles'): number {
  const settled = samples.slice(Math.floor(samples.length * SETTLED)).map((sample) => sample[what])
  const third = Math.max(1, Math.floor(settled.length / 3))
  return mean(settled.slice(-third)) / mean(settled.slice(0, third)) - 1
}

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts', ['640', '360'])
  const url = await startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host })
  const pid = childPid(url)
  const paths = mix(source)
  const begun = performance.now()
  const end = begun + seconds * 1000
  let turn = 0
  let broken = 0
  const load = Array.from({ length: callers }, async () => {
    while (performance.now() < end) {
      const path = paths[turn % paths.length]?.(Math.floor(turn++ / paths.length)) ?? '/'
      const reply = await fetch(url + path, { redirect: 'manual' }).catch(() => undefined)
      await reply?.arrayBuffer().catch(() => {})
      if (!reply || reply.status === 500) broken++
    }
  })

  console.log(
    `\n${callers} callers, ${seconds} s\n\n| s | memory, MB | handles | slowest of 20, ms |\n|---:|---:|---:|---:|`,
  )
  const samples: Sample[] = []
  for (let taken = 1; taken <= SAMPLES; taken++) {
    const at = (seconds * taken) / SAMPLES
    await sleep(begun + at * 1000 - performance.now())
    const sample = { at, memory: memoryOf(pid), handles: handlesOf(pid), lag: await lagOf(url) }
    samples.push(sample)
    console.log(`| ${at.toFixed(0)} | ${sample.memory.toFixed(0)} | ${sample.handles} | ${sample.lag.toFixed(1)} |`)
  }
  await Promise.all(load)

  console.log(`\n${turn} requests, ${broken} broken`)
  for (const what of ['memory', 'handles'] as const) {
    const growth = growthOf(samples, what)
    const word = growth <= FLAT[what] ? 'flat' : 'NOT flat'
    console.log(
      `${what}: ${word}, ${(growth * 100).toFixed(1)} % from the first third to the last (goal: at most ${FLAT[what] * 100} %)`,
    )
  }
})
