// Starts servers as separate processes, sends load to them with wrk in turns, and compares medians. The results are ratios
// within one run, because absolute numbers mean little on a busy machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '../test/kit/scope.ts'
import { readCpuMs } from './process-usage.ts'

export interface Contender {
  readonly name: string
  readonly url: string
  /** Additional request headers. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Measured {
  readonly name: string
  readonly perSecond: number
  readonly ratio: number
  /** CPU time of the baseline, divided by that of this server, per request. */
  readonly cpuRatio?: number | undefined
}

export interface LoadOptions {
  readonly rounds?: number
  readonly seconds?: number
  readonly connections?: number
  /** Default: requests per second of wrk. */
  readonly measureRate?: (contender: Contender, seconds: number, connections: number) => number
}

const ROOT = join(import.meta.dirname, '..')
const running: ChildProcess[] = []
const pids = new Map<string, number>()
const folders: string[] = []
const cleanups: (() => Promise<void> | void)[] = []

/** Runs work when the benchmark ends. For the functions of test/kit. */
export const benchScope: Scope = { after: (work) => void cleanups.unshift(work) }

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'))
  folders.push(folder)
  return folder
}

/** Starts a script that prints its URL when it is ready. Resolves to the URL. */
export function startServer(
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  // `npm run` sets it for this process. The service sets it for itself, and a baseline has the default.
  const { MALLOC_MMAP_THRESHOLD_: _, ...inherited } = process.env
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...inherited, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      const url = /http:\/\/127\.0\.0\.\d:\d+/.exec(output)?.[0]
      if (!url) return
      pids.set(url, child.pid ?? 0)
      resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`${script} exited with code ${code}: ${output}`)))
  })
}

/** The process id of a server that `startServer` started. */
export const childPid = (url: string) => pids.get(url) ?? 0

/** So high that the rate limiter runs for each request, but never refuses one. */
export const HIGH_LIMITS = {
  RATE_LIMIT: '999999999/60',
  RATE_LIMIT_FILTERS: '999999999/60',
  RATE_LIMIT_DOWNLOADS: '999999999/60',
}

/** Starts the service with everything enabled, as an operator runs it. */
export const startMenagerie = (settings: Record<string, string> = {}) =>
  startServer('scripts/menagerie.mjs', ['serve'], {
    PORT: '0',
    DATA_DIR: temporaryFolder(),
    ...HIGH_LIMITS,
    ...settings,
  })

/** Starts a bare node:http server that replies with the status, headers and body of the reply at `url`. */
export async function startBareCopyOf(url: string): Promise<string> {
  const reply = await fetch(url, { redirect: 'manual' })
  const body = Buffer.from(await reply.arrayBuffer()).toString('base64')
  // Node adds these headers by itself.
  const added = ['date', 'connection', 'keep-alive']
  const headers = [...reply.headers].filter(([name]) => !added.includes(name)).flat()
  // A file, because a picture is too long for an argument.
  const file = join(temporaryFolder(), 'reply.json')
  writeFileSync(file, JSON.stringify({ status: reply.status, headers, body }))
  return startServer('bench/servers/bare.ts', [file])
}

/** Stops one server, so that it does not disturb the next measurement. */
export function stopServer(url: string): void {
  running.find(({ pid }) => pid === childPid(url))?.kill('SIGKILL')
}

async function stopAll(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  for (const cleanup of cleanups) await cleanup()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function measureWithWrk({ url, headers = {} }: Contender, seconds: number, connections: number): number {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout, error } = spawnSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...flags, url], {
    encoding: 'utf8',
  })
  if (error) throw new Error('this benchmark needs wrk (Debian: apt-get install wrk)')
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1]
  if (failed) throw new Error(`${failed} requests to ${url} failed`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

/** Downloads per second, for large files: only one is under way at a time, and its client takes little CPU time. */
export function measureDownload({ url }: Contender): number {
  const { stdout, error } = spawnSync('curl', ['-s', '-f', '-o', '/dev/null', '-w', '%{time_total}', url], {
    encoding: 'utf8',
  })
  if (error || Number(stdout) === 0) throw new Error(`curl cannot download ${url}`)
  return 1 / Number(stdout)
}

const SETTLE_SECONDS = 4
const WARM_UP_SECONDS = 2

/** Measures the contenders in turns. The first one is the baseline of the ratios. */
export function compare(contenders: readonly Contender[], options: LoadOptions = {}): Measured[] {
  const { rounds = 5, seconds = 3, connections = 64, measureRate = measureWithWrk } = options
  const rates = contenders.map(() => [] as number[])
  const cpuTimes = contenders.map(() => [] as number[])
  // After its start a service draws pictures in advance, and its code is not optimised yet.
  spawnSync('sleep', [String(SETTLE_SECONDS)])
  for (const contender of contenders) measureRate(contender, WARM_UP_SECONDS, connections)
  for (let round = 0; round < rounds; round++) {
    contenders.forEach((contender, i) => {
      const pid = childPid(new URL(contender.url).origin)
      const [before, startedAt] = [readCpuMs(pid), performance.now()]
      const rate = measureRate(contender, seconds, connections)
      const requests = (rate * (performance.now() - startedAt)) / 1000
      rates[i]?.push(rate)
      cpuTimes[i]?.push((readCpuMs(pid) - before) / requests)
    })
  }
  const medians = rates.map(median)
  const cpuMedians = cpuTimes.map(median)
  return contenders.map(({ name }, i) => ({
    name,
    perSecond: medians[i] ?? 0,
    // Ratios within one round: other load on the machine affects both sides.
    ratio: median(rates[i]?.map((rate, round) => rate / (rates[0]?.[round] ?? 1)) ?? []),
    cpuRatio: cpuMedians[i] ? (cpuMedians[0] ?? 0) / cpuMedians[i] : undefined,
  }))
}

export function printTable(title: string, measured: readonly Measured[]): void {
  console.log(`\n${title}\n`)
  console.log('| server | requests per second | ratio to the first row | by CPU time |\n|---|---:|---:|---:|')
  for (const { name, perSecond, ratio, cpuRatio } of measured) {
    console.log(`| ${name} | ${Math.round(perSecond)} | ${ratio.toFixed(2)} | ${cpuRatio?.toFixed(2) ?? ''} |`)
  }
}

/** Runs a benchmark, and stops all servers afterwards, even if it fails. */
export async function bench(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    await stopAll()
  }
}
