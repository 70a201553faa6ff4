// Cheap replies while all cores filter pictures: p50 and p99 of /api/v1/version idle and under filter load, and memory. A
// bare server, asked in turns with the service, shows how much of the delay comes from cores that are busy.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bench, childPid, startBareCopyOf, startMenagerie, startServer } from './harness.ts'
import { readMegabytes } from './process-usage.ts'

const SECONDS = 12
const CLIENTS = 40
const MEMORY_INTERVAL_MS = 100
/** Until the service has collected the garbage of its start. */
const SETTLE_SECONDS = 25
const REST_SECONDS = 30
const GOALS = { p99: 3, idle: 120, peak: 500, rest: 1.5 }

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

/** Returns the reply times of each URL. */
async function probe(urls: readonly string[]): Promise<number[][]> {
  const args = [join(import.meta.dirname, 'probe.ts'), String(SECONDS), ...urls]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts')
  const url = await startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host })
  const pid = childPid(url)
  const version = `${url}/api/v1/version`
  const bare = await startBareCopyOf(version)
  await sleep(SETTLE_SECONDS)
  const idleMemory = readMegabytes(pid)
  const idle = await probe([version, bare])

  const statuses = new Map<number, number>()
  let isRunning = true
  let peak = 0
  const watching = setInterval(() => {
    peak = Math.max(peak, readMegabytes(pid))
  }, MEMORY_INTERVAL_MS)
  let number = 0
  const load = Array.from({ length: CLIENTS }, async () => {
    while (isRunning) {
      // Distinct pictures, so that no reply comes from a cache.
      const image = encodeURIComponent(`${source}/${number++}.jpg`)
      const response = await fetch(`${url}/api/v1/filter/blur?strength=20&image=${image}`)
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }
  })
  await sleep(1)
  const busy = await probe([version, bare])
  isRunning = false
  await Promise.all(load)
  clearInterval(watching)
  await sleep(REST_SECONDS)
  const rest = readMegabytes(pid)

  console.log(`\n${CLIENTS} clients blur distinct 1920x1080 pictures for ${SECONDS} s\n`)
  console.log('| | idle | under load | ratio |\n|---|---:|---:|---:|')
  for (const [index, name] of ['/api/v1/version', 'bare node:http'].entries()) {
    for (const share of [0.5, 0.99]) {
      const [a, b] = [percentile(idle[index]!, share), percentile(busy[index]!, share)]
      console.log(`| p${share * 100} of ${name}, ms | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(1)} |`)
    }
  }
  console.log(
    `| memory, MB | ${idleMemory.toFixed(0)} | ${peak.toFixed(0)} (peak) | ${(peak / idleMemory).toFixed(1)} |`,
  )
  console.log(`\nFilter replies by status: ${JSON.stringify([...statuses])}`)
  console.log(`Goals: p99 at most ${GOALS.p99} times idle; memory ${GOALS.idle} MB idle, ${GOALS.peak} MB at the peak,`)
  console.log(
    `${GOALS.rest} times idle ${REST_SECONDS} s after the load: ${(rest / idleMemory).toFixed(2)} (${rest.toFixed(0)} MB)`,
  )
})
