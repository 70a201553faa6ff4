// Cheap replies while all cores filter pictures: p50 and p99 of /api/v1/version idle and under filter load, and peak memory.
import { readFileSync } from 'node:fs'
import { bench, childPid, startMenagerie, startServer } from './harness.ts'

const SECONDS = 12
const CLIENTS = 40
const PROBE_INTERVAL_MS = 5

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const readMegabytes = (pid: number, what: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

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
  await probe(version, 1)
  const idle = await probe(version, SECONDS)
  const idleMemory = readMegabytes(pid, 'VmRSS')

  const statuses = new Map<number, number>()
  let isRunning = true
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
  const peak = readMegabytes(pid, 'VmHWM')
  isRunning = false
  await Promise.all(load)
  await new Promise((resolve) => setTimeout(resolve, 5000))

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
    `\nMemory 5 s after the load: ${readMegabytes(pid, 'VmRSS').toFixed(0)} MB. Filter replies by status: ${JSON.stringify([...statuses])}`,
  )
  console.log(`Ratio of p99: ${(busy99 / idle99).toFixed(1)} (goal: at most 5)`)
})
