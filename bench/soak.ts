// Thirty minutes of mixed load in a container of 512 MB (other durations: `npm run bench -- soak --seconds 600`). Prints
// memory, file handles and the slowest reply over time. Checks that every reply is the expected one, that memory and
// handles do not grow after the first sixth of the time, and that every request and every download is counted once.
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startInCgroup } from './cgroup.ts'
import { bench, childPid, startMenagerie, startServer } from './harness.ts'
import { readMegabytes } from './process-usage.ts'

const { values } = parseArgs({
  args: process.argv.slice(process.argv[2] === 'soak' ? 3 : 2),
  options: { seconds: { type: 'string', default: '1800' }, clients: { type: 'string', default: '12' } },
})
const seconds = Number(values.seconds)
const clients = Number(values.clients)
const CONTAINER_BYTES = 512 * 2 ** 20
const SAMPLES = 30
/** Caches fill and code is optimised meanwhile. */
const WARM_UP_SAMPLES = SAMPLES / 6
/** Memory changes with each image, so a sample is the mean of several readings. */
const READINGS = 20
const READING_INTERVAL_MS = 250
const MAX_DEVIATION = 0.1
const DISTINCT_PICTURES = 200
/** The statistics may be as old as this. */
const STATISTICS_AGE_MS = 2000

const countHandles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length
const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The requests that clients send in turn, with the expected status. */
const buildRequests = (source: string): { status: number; path: (turn: number) => string }[] => [
  { status: 200, path: () => '/api/v1/animals/cat' },
  { status: 200, path: () => '/api/v2/random/animal/dog?format=image' },
  { status: 200, path: () => '/api/v2/random/kaomoji/uwu?count=5' },
  { status: 200, path: () => '/api/v5/app/launcher/updates' },
  { status: 302, path: () => '/api/v5/app/download/reshade' },
  { status: 200, path: () => '/api/v1/static/logs' },
  { status: 404, path: () => '/no/such/path' },
  {
    status: 200,
    path: (turn) =>
      `/api/v1/filter/blur?strength=${1 + (turn % 9)}&image=${encodeURIComponent(`${source}/${turn % DISTINCT_PICTURES}.jpg`)}`,
  },
]

async function fetchStatus(url: string): Promise<number> {
  const reply = await fetch(url, { redirect: 'manual' })
  await reply.arrayBuffer()
  return reply.status
}

const check = (text: string, isGood: boolean) => {
  console.log(`${isGood ? 'good' : 'BAD'}: ${text}`)
  if (!isGood) process.exitCode = 1
}

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts', ['640', '360'])
  const { started: url, countKills } = await startInCgroup(CONTAINER_BYTES, () =>
    startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host }),
  )
  const pid = childPid(url)
  const requests = buildRequests(source)
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  let sent = 0
  let turn = 0
  let downloads = 0
  const broken = new Map<string, number>()

  const request = async (path: string, expected: number) => {
    sent++
    const result = await fetchStatus(url + path).catch((error) => String(error.cause ?? error))
    if (result !== expected) broken.set(`${path} ${result}`, (broken.get(`${path} ${result}`) ?? 0) + 1)
    else if (path.includes('/download/')) downloads++
  }
  /** The slowest of a few cheap requests, which shows how long the event loop was blocked. */
  const measureSlowest = async () => {
    let longest = 0
    for (let count = 0; count < 20; count++) {
      const start = performance.now()
      await request('/api/v1/version', 200)
      longest = Math.max(longest, performance.now() - start)
    }
    return longest
  }
  const readText = async (path: string) => (await fetch(url + path)).text()

  const load = Array.from({ length: clients }, async () => {
    while (performance.now() < end) {
      const { status, path } = requests[turn % requests.length]!
      await request(path(Math.floor(turn++ / requests.length)), status)
    }
  })

  console.log(`${clients} clients, ${seconds} s\n`)
  console.log('| seconds | memory, MB | file handles | slowest of 20 replies, ms |\n|---:|---:|---:|---:|')
  const samples: { memory: number; handles: number }[] = []
  for (let number = 1; number <= SAMPLES; number++) {
    const at = (seconds * number) / SAMPLES
    await sleep(startedAt + at * 1000 - performance.now() - READINGS * READING_INTERVAL_MS)
    const memory: number[] = []
    const handles: number[] = []
    for (let reading = 0; reading < READINGS; reading++) {
      memory.push(readMegabytes(pid))
      handles.push(countHandles(pid))
      await sleep(READING_INTERVAL_MS)
    }
    const sample = { memory: mean(memory), handles: mean(handles) }
    samples.push(sample)
    const slowest = await measureSlowest()
    console.log(
      `| ${at.toFixed(0)} | ${sample.memory.toFixed(0)} | ${sample.handles.toFixed(0)} | ${slowest.toFixed(1)} |`,
    )
  }
  await Promise.all(load)

  console.log('')
  const brokenTotal = broken.values().reduce((sum, count) => sum + count, 0)
  check(`${sent} requests, ${brokenTotal} broken ${[...broken].slice(0, 5).join('; ')}`, brokenTotal === 0)
  check(`${countKills()} processes killed because memory ran out`, countKills() === 0)
  for (const what of ['memory', 'handles'] as const) {
    const settled = samples.slice(WARM_UP_SAMPLES).map((sample) => sample[what])
    const middle = mean(settled)
    const deviation = Math.max(...settled.map((value) => Math.abs(value / middle - 1)))
    const text = `${what}: at most ${(deviation * 100).toFixed(1)} % from the mean of ${middle.toFixed(0)} after the warm-up`
    check(`${text} (goal: at most ${MAX_DEVIATION * 100} %)`, deviation <= MAX_DEVIATION)
  }
  await sleep(STATISTICS_AGE_MS)
  const { total } = JSON.parse(await readText('/api/v5/app/stats/downloads'))
  check(`${downloads} downloads acknowledged, ${total} counted`, total === downloads)
  const metrics = await readText('/metrics')
  const served = [...metrics.matchAll(/^menagerie_http_requests_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels = '']) => !/route="(\/metrics|[^"]*stats[^"]*)"/.test(labels))
    .reduce((sum, [, , count]) => sum + Number(count), 0)
  check(`${sent} requests sent, ${served} in the metrics`, served === sent)
})
