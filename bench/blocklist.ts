// The blocking list with a million domains: how long it takes to load and what the event loop notices of it, the memory
// of its index, and a lookup, against a Set of strings that is asked for every parent domain.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Blocklist } from '../src/features/blocklist/index.ts'
import { bench, median, temporaryFolder } from './harness.ts'

const DOMAINS = 1_000_000
const ROUNDS = 5
/** A clock takes tens of nanoseconds to read: it is read once for so many lookups. */
const BATCH = 64
const BATCHES = 4000
const DELAY_STEP_MS = 5
const TOPS = ['com', 'net', 'org', 'info', 'co.uk', 'xyz', 'top', 'example']
const GOALS = { loadMs: 2000, megabytes: 64, lookupNs: 1000 }

/** The same names in every run (xorshift). */
function namesFrom(seed: number) {
  let state = seed
  const draw = (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  const word = () =>
    Array.from({ length: 4 + draw(12) }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[draw(36)]).join('')
  return () => `${draw(3) === 0 ? `${word()}.` : ''}${word()}.${TOPS[draw(TOPS.length)]}`
}

const some = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index))

function distinct(count: number, make: () => string): string[] {
  const made = new Set<string>()
  while (made.size < count) made.add(make())
  return [...made]
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const megabytesUsed = async () => {
  // What is swept away is counted until the turns after.
  for (let turn = 0; turn < 5; turn += 1) {
    collect()
    await sleep(20)
  }
  // Arrays that came from a worker are in "external", but not in "arrayBuffers".
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

const readSet = async (file: string) => new Set((await readFile(file, 'utf8')).split('\n'))

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function inSet(domains: ReadonlySet<string>, host: string): boolean {
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true
    if (!name.includes('.')) return false
  }
}

/** A string that nobody has seen, as a URL parser makes it: its hash is not known yet. */
const fresh = (text: string) => Buffer.from(text).toString('latin1')

/** Nanoseconds a lookup, of each batch. */
function timeLookups(has: (host: string) => boolean, hosts: readonly string[], expected: boolean): number[] {
  const times: number[] = []
  for (let first = 0; first < hosts.length; first += BATCH) {
    const batch = hosts.slice(first, first + BATCH).map(fresh)
    let hits = 0
    const start = process.hrtime.bigint()
    for (const host of batch) if (has(host)) hits += 1
    times.push(Number(process.hrtime.bigint() - start) / BATCH)
    if (hits !== (expected ? BATCH : 0)) throw new Error(`${hits} of ${BATCH} were found`)
  }
  return times
}

/** The longest delay of the event loop meanwhile, beyond the clock's own step. */
async function longestDelay(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: DELAY_STEP_MS })
  delay.enable()
  await work()
  delay.disable()
  return Math.max(0, delay.max / 1e6 - DELAY_STEP_MS)
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const shown = (value: number, digits = 0) => value.toFixed(digits)
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED')

await bench(async () => {
  const file = join(temporaryFolder(), 'blocklist.txt')
  const name = namesFrom(20_260_131)
  const listed = distinct(DOMAINS, name)
  await writeFile(file, `${listed.join('\n')}\n`)
  // A pick that no cache can foresee.
  const hosts = {
    members: some(BATCH * BATCHES, (index) => listed[(index * 7919) % DOMAINS]!),
    strangers: some(BATCH * BATCHES, () => `${name()}.invalid`),
    'deep subdomains': some(BATCH * BATCHES, (index) => `a.b.c.d.e.f.${listed[(index * 104_729) % DOMAINS]!}`),
  }
  // A file that was just written is waited for; this is about the reading.
  await sleep(1100)

  const options = {
    candidates: [{ file, source: 'bench' }],
    log: { info() {}, warn: console.error, error: console.error },
  }
  const loads: number[] = []
  const cpu: number[] = []
  const sets: number[] = []
  const delays: number[] = []
  const idle: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const load = async () => (await Blocklist.open(options)).close()
    const before = process.cpuUsage()
    const took = await timed(async () => void delays.push(await longestDelay(load)))
    loads.push(took)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
    idle.push(await longestDelay(() => sleep(took)))
    sets.push(await timed(() => readSet(file)))
  }

  const before = await megabytesUsed()
  const list = await Blocklist.open(options)
  const indexed = (await megabytesUsed()) - before
  const baseline = await readSet(file)

  console.log(`\n${DOMAINS.toLocaleString('en')} domains, ${list.info()?.size} bytes; median of ${ROUNDS} loads\n`)
  console.log('| | list | Set of strings | ratio |\n|---|---:|---:|---:|')
  const row = (what: string, ours: number, theirs: number) =>
    console.log(`| ${what} | ${shown(ours)} | ${shown(theirs)} | ${shown(ours / theirs, 2)} |`)
  row('load, ms (the Set on the event loop)', median(loads), median(sets))

  const medians: number[] = []
  for (const [kind, asked] of Object.entries(hosts)) {
    const expected = kind !== 'strangers'
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(...timeLookups((host) => list.blocks(host), asked, expected))
      theirs.push(...timeLookups((host) => inSet(baseline, host), asked, expected))
    }
    medians.push(quantile(ours, 0.5))
    row(`${kind}, ns at the median`, quantile(ours, 0.5), quantile(theirs, 0.5))
    row(`${kind}, ns at the 99th percentile`, quantile(ours, 0.99), quantile(theirs, 0.99))
  }
  console.log(`\nA load takes ${shown(median(cpu))} ms of processor time, all threads together`)
  console.log(
    `Longest delay of the event loop: ${shown(median(delays), 1)} ms in a load, ${shown(median(idle), 1)} ms idle`,
  )
  console.log(`Load under ${GOALS.loadMs} ms: ${verdict(median(loads) < GOALS.loadMs)}`)
  console.log(`Index under ${GOALS.megabytes} MB: ${shown(indexed, 1)} MB, ${verdict(indexed < GOALS.megabytes)}`)
  console.log(`Lookup under ${GOALS.lookupNs} ns at the median: ${verdict(medians.every((ns) => ns < GOALS.lookupNs))}`)
  list.close()
})
