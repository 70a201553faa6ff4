// The blocklist with a million domains: load time, delay of the event loop, memory of the index, and lookup time,
// compared with a Set of strings that is searched for every parent domain.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openBlocklist } from '../src/features/blocklist/index.ts'
import { bench, median, temporaryFolder } from './harness.ts'

const DOMAINS = 1_000_000
const ROUNDS = 5
/** Lookups per clock reading, because reading the clock takes tens of nanoseconds. */
const BATCH = 64
const BATCHES = 4000
const DELAY_STEP_MS = 5
const TOP_LEVEL_DOMAINS = ['com', 'net', 'org', 'info', 'co.uk', 'xyz', 'top', 'example']
const GOALS = { loadMs: 2000, megabytes: 64, lookupNs: 1000 }

/** Creates the same names in every run (xorshift). */
function createNameGenerator(seed: number) {
  let state = seed
  const draw = (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  const word = () =>
    Array.from({ length: 4 + draw(12) }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[draw(36)]).join('')
  return () => `${draw(3) === 0 ? `${word()}.` : ''}${word()}.${TOP_LEVEL_DOMAINS[draw(TOP_LEVEL_DOMAINS.length)]}`
}

const createMany = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index))

function createDistinct(count: number, make: () => string): string[] {
  const made = new Set<string>()
  while (made.size < count) made.add(make())
  return [...made]
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const measureMegabytes = async () => {
  // Collected memory is still counted for a few turns of the event loop.
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage()
    await sleep(20)
  }
  // Arrays that came from a worker are in "external", but not in "arrayBuffers".
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

const readSet = async (file: string) => new Set((await readFile(file, 'utf8')).split('\n'))

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function isInSet(domains: ReadonlySet<string>, host: string): boolean {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true
    if (!name.includes('.')) return false
  }
}

/** Copies a string: like a string from a URL parser, the copy has no cached hash. */
const copyText = (text: string) => Buffer.from(text).toString('latin1')

/** Nanoseconds per lookup, for each batch. */
function timeLookups(has: (host: string) => boolean, hosts: readonly string[], expected: boolean): number[] {
  const times: number[] = []
  for (let first = 0; first < hosts.length; first += BATCH) {
    const batch = hosts.slice(first, first + BATCH).map(copyText)
    let hits = 0
    const start = process.hrtime.bigint()
    for (const host of batch) if (has(host)) hits += 1
    times.push(Number(process.hrtime.bigint() - start) / BATCH)
    if (hits !== (expected ? BATCH : 0)) throw new Error(`found ${hits} of ${BATCH} hosts`)
  }
  return times
}

/** The longest delay of the event loop during the work, minus the resolution of the monitor. */
async function measureLongestDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: DELAY_STEP_MS })
  delay.enable()
  await work()
  delay.disable()
  return Math.max(0, delay.max / 1e6 - DELAY_STEP_MS)
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const format = (value: number, digits = 0) => value.toFixed(digits)
const describeGoal = (isMet: boolean) => (isMet ? 'met' : 'MISSED')

await bench(async () => {
  const file = join(temporaryFolder(), 'blocklist.txt')
  const name = createNameGenerator(20_260_131)
  const listed = createDistinct(DOMAINS, name)
  await writeFile(file, `${listed.join('\n')}\n`)
  // Spread over the whole list, so that CPU caches do not help.
  const hosts = {
    listed: createMany(BATCH * BATCHES, (index) => listed[(index * 7919) % DOMAINS]!),
    unlisted: createMany(BATCH * BATCHES, () => `${name()}.invalid`),
    'subdomains of listed': createMany(
      BATCH * BATCHES,
      (index) => `a.b.c.d.e.f.${listed[(index * 104_729) % DOMAINS]!}`,
    ),
  }
  // The service waits for a file that was just written; only the loading is measured.
  await sleep(1100)

  const options = {
    sources: [{ file, source: 'bench' }],
    log: { info() {}, warn: console.error, error: console.error },
  }
  const loads: number[] = []
  const cpu: number[] = []
  const sets: number[] = []
  const delays: number[] = []
  const idle: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const load = async () => (await openBlocklist(options)).close()
    const before = process.cpuUsage()
    const elapsedMs = await measureMs(async () => void delays.push(await measureLongestDelay(load)))
    loads.push(elapsedMs)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
    idle.push(await measureLongestDelay(() => sleep(elapsedMs)))
    sets.push(await measureMs(() => readSet(file)))
  }

  const before = await measureMegabytes()
  const list = await openBlocklist(options)
  const indexed = (await measureMegabytes()) - before
  const baseline = await readSet(file)

  console.log(`\n${DOMAINS.toLocaleString('en')} domains, ${list.infos()[0]?.size} bytes; median of ${ROUNDS} loads\n`)
  console.log('| | blocklist | Set of strings | ratio |\n|---|---:|---:|---:|')
  const row = (what: string, ours: number, theirs: number) =>
    console.log(`| ${what} | ${format(ours)} | ${format(theirs)} | ${format(ours / theirs, 2)} |`)
  row('load, ms (the Set blocks the event loop)', median(loads), median(sets))

  const medians: number[] = []
  for (const [kind, names] of Object.entries(hosts)) {
    const expected = kind !== 'unlisted'
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(...timeLookups((host) => list.blocks(host), names, expected))
      theirs.push(...timeLookups((host) => isInSet(baseline, host), names, expected))
    }
    medians.push(quantile(ours, 0.5))
    row(`${kind}, median ns`, quantile(ours, 0.5), quantile(theirs, 0.5))
    row(`${kind}, p99 ns`, quantile(ours, 0.99), quantile(theirs, 0.99))
  }
  console.log(`\nA load takes ${format(median(cpu))} ms of CPU time over all threads`)
  console.log(
    `Longest delay of the event loop: ${format(median(delays), 1)} ms during a load, ${format(median(idle), 1)} ms idle`,
  )
  console.log(`Load time below ${GOALS.loadMs} ms: ${describeGoal(median(loads) < GOALS.loadMs)}`)
  console.log(
    `Index size below ${GOALS.megabytes} MB: ${format(indexed, 1)} MB, ${describeGoal(indexed < GOALS.megabytes)}`,
  )
  console.log(
    `Median lookup time below ${GOALS.lookupNs} ns: ${describeGoal(medians.every((ns) => ns < GOALS.lookupNs))}`,
  )
  list.close()
})
