// Do cheap replies stay fast while every core filters pictures? p99 of /api/v1/version idle and in a storm, and the peak memory.
import { readFileSync } from 'node:fs'
import { bench, childPid, startMenagerie, startServer } from './harness.ts'

const SECONDS = 12
const CALLERS = 40
const PROBE_EVERY_MS = 5

const percentile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const memoryOf = (pid: number, what: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Asks again and again, at a steady pace, for so long. */
async function probe(url: string, seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const begun = performance.now()
    await (await fetch(url)).arrayBuffer()
    times.push(performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
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
  const idleMemory = memoryOf(pid, 'VmRSS')

  const statuses = new Map<number, number>()
  let going = true
  let number = 0
  const storm = Array.from({ length: CALLERS }, async () => {
    while (going) {
      // Distinct pictures: nothing is answered from a cache.
      const image = encodeURIComponent(`${source}/${number++}.jpg`)
      const response = await fetch(`${url}/api/v1/filter/blur?strength=20&image=${image}`)
      await response.arrayBuffer()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const busy = await probe(version, SECONDS)
  const peak = memoryOf(pid, 'VmHWM')
  going = false
  await Promise.all(storm)
  await new Promise((resolve) => setTimeout(resolve, 5000))

  const [idle99, busy99] = [percentile(idle, 0.99), percentile(busy, 0.99)]
  console.log(`\n${CALLERS} callers blur distinct 1920x1080 pictures for ${SECONDS} s\n`)
  console.log('| | idle | storm | ratio |\n|---|---:|---:|---:|')
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
    `\nafter it: ${memoryOf(pid, 'VmRSS').toFixed(0)} MB; filter replies by status: ${JSON.stringify([...statuses])}`,
  )
  console.log(`p99 ratio ${(busy99 / idle99).toFixed(1)} (goal: at most 5)`)
})
