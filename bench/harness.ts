// Starts servers as processes of their own, drives them with wrk in turns, and compares medians: these are ratios within
// one run, because an absolute number means little on a noisy machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Contender {
  readonly name: string
  readonly url: string
  /** Further headers of the load. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Measured {
  readonly name: string
  readonly perSecond: number
  readonly ratio: number
}

export interface LoadOptions {
  readonly rounds?: number
  readonly seconds?: number
  readonly connections?: number
}

const ROOT = join(import.meta.dirname, '..')
const running: ChildProcess[] = []
const pids = new Map<string, number>()
const folders: string[] = []

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'))
  folders.push(folder)
  return folder
}

/** Runs a script that prints its URL once it listens. */
export function startServer(
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output += text
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      if (!url) return
      pids.set(url, child.pid ?? 0)
      resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)))
  })
}

/** Takes a process down with all others. */
export const endWithBench = (child: ChildProcess) => void running.push(child)

/** The process behind a server that was started here. */
export const childPid = (url: string) => pids.get(url) ?? 0

/** The limiter works at each request, but never refuses one. */
const ROOMY = { RATE_LIMIT: '999999999/60', RATE_LIMIT_FILTERS: '999999999/60', RATE_LIMIT_DOWNLOADS: '999999999/60' }

/** The service as an operator runs it, everything switched on. */
export const startMenagerie = (settings: Record<string, string> = {}) =>
  startServer('scripts/menagerie.mjs', ['serve'], { PORT: '0', DATA_DIR: temporaryFolder(), ...ROOMY, ...settings })

/** A bare node:http server that writes the headers and body of the reply at `url`. */
export async function startBareCopyOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const reply = await fetch(url, { headers })
  const body = Buffer.from(await reply.arrayBuffer()).toString('base64')
  // Node adds these by itself.
  const own = ['date', 'connection', 'keep-alive']
  const kept = [...reply.headers].filter(([name]) => !own.includes(name)).flat()
  // In a file: a picture is too long for an argument.
  const file = join(temporaryFolder(), 'reply.json')
  writeFileSync(file, JSON.stringify({ status: reply.status, headers: kept, body }))
  return startServer('bench/servers/bare.ts', [file])
}

/** Ends one server, so that it does not disturb the next. */
export function stopServer(url: string): void {
  running.find(({ pid }) => pid === childPid(url))?.kill('SIGKILL')
}

export function stopAll(): void {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function load({ url, headers = {} }: Contender, seconds: number, connections: number): number {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout, error } = spawnSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...flags, url], {
    encoding: 'utf8',
  })
  if (error) throw new Error('wrk is needed for this (Debian: apt-get install wrk)')
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1]
  if (failed) throw new Error(`${failed} requests to ${url} failed`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

const SETTLE_SECONDS = 4
const WARM_UP_SECONDS = 2

/** Drives the contenders in turns; the first is what the others are compared with. */
export function compare(contenders: readonly Contender[], options: LoadOptions = {}): Measured[] {
  const { rounds = 5, seconds = 3, connections = 64 } = options
  const rates = contenders.map(() => [] as number[])
  // A service that has just started still draws ahead and is compiled: what is compared is how it goes on.
  spawnSync('sleep', [String(SETTLE_SECONDS)])
  for (const contender of contenders) load(contender, WARM_UP_SECONDS, connections)
  for (let round = 0; round < rounds; round++) {
    contenders.forEach((contender, i) => {
      rates[i]?.push(load(contender, seconds, connections))
    })
  }
  const medians = rates.map(median)
  return contenders.map(({ name }, i) => ({
    name,
    perSecond: medians[i] ?? 0,
    // Of the pairs of one round: what slows the machine for a while slows both.
    ratio: median(rates[i]?.map((rate, round) => rate / (rates[0]?.[round] ?? 1)) ?? []),
  }))
}

export function printTable(title: string, measured: readonly Measured[]): void {
  console.log(`\n${title}\n`)
  console.log('| server | requests/s | ratio |\n|---|---:|---:|')
  for (const { name, perSecond, ratio } of measured) {
    console.log(`| ${name} | ${Math.round(perSecond)} | ${ratio.toFixed(2)} |`)
  }
}

/** Runs a bench and takes everything down again, also when it fails. */
export async function bench(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    stopAll()
  }
}
