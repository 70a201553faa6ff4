// Cheap replies while all cores filter pictures: p50 and p99 of /api/v1/version idle and under filter load, and peak memory.
import { bench, childPid, startMenagerie, startServer } from './harness.ts'
import { readMegabytes } from './process-usage.ts'

const SECONDS = 12
const CLIENTS = 40
const PROBE_INTERVAL_MS = 5
const MEMORY_INTERVAL_MS = 100
const SETTLE_SECONDS = 5
const REST_SECONDS = 30

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

/** Sends a request at a fixed interval and returns the reply times. */
async function probe(url: string, seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    await (await fetch(url)).arrayBuffer()
    times.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS))
  }
  return times
}

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts')
  const url = await startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host })
  const pid = childPid(url)
  const version = `${url}/api/v1/version`
  await new Promise((resolve) => setTimeout(resolve, SETTLE_SECONDS * 1000))
  const idleMemory = readMegabytes(pid)
  await probe(version, 1)
  const idle = await probe(version, SECONDS)

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
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const busy = await probe(version, SECONDS)
  isRunning = false
  await Promise.all(load)
  clearInterval(watching)
  await new Promise((resolve) => setTimeout(resolve, REST_SECONDS * 1000))
  const rest = readMegabytes(pid)

  const [idle99, busy99] = [percentile(idle, 0.99), percentile(busy, 0.99)]
  console.log(`\n${CLIENTS} clients blur distinct 1920x1080 pictures for ${SECONDS} s\n`)
  console.log('| | idle | under load | ratio |\n|---|---:|---:|---:|')
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [a, b] = [percentile(idle, share), percentile(busy, share)]
    console.log(`| ${name} of /api/v1/version, ms | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(1)} |`)
  }
  console.log(
    `| memory, MB | ${idleMemory.toFixed(0)} | ${peak.toFixed(0)} (peak) | ${(peak / idleMemory).toFixed(1)} |`,
  )
  console.log(
    `\nMemory ${REST_SECONDS} s after the load: ${rest.toFixed(0)} MB. Filter replies by status: ${JSON.stringify([...statuses])}`,
  )
  console.log(`Ratio of p99: ${(busy99 / idle99).toFixed(1)} (goal: at most 3)`)
  console.log(`Memory: idle ${idleMemory.toFixed(0)} MB (goal 120), peak ${peak.toFixed(0)} MB (goal 500), afterwards`)
  console.log(`${(rest / idleMemory).toFixed(2)} times idle (goal 1.5)`)
})
