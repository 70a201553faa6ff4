import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'
import { PROGRAM, ROOT } from './root.ts'
import type { Scope } from './scope.ts'

export interface ServiceProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly dataDir: string
  /** Resolves to its URL; rejects with what it printed where it ends before. */
  readonly opened: Promise<string>
  readonly exited: Promise<number | null>
  /** What it printed so far, on both streams. */
  output(): string
  /** Its workers, the oldest first. */
  workers(): Promise<number[]>
}

/** The limits of one address would end a load test. */
const NO_LIMITS = { RATE_LIMIT: 'off' }

/** The service as an operator starts it, a process of its own on a free port, killed with the test. */
export async function spawnService(t: Scope, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const dataDir = settings.DATA_DIR ?? (await temporaryFolder(t))
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache'),
    ...NO_LIMITS,
    PORT: '0',
    ...settings,
    DATA_DIR: dataDir,
  }
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { cwd: ROOT, env, stdio: 'pipe' })
  child.stdin.end()
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const opened = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text
        const url = /Service +(http:\S+)\/api/.exec(output)?.[1]
        if (url) resolve(url)
      })
    }
    child.once('close', () => reject(new Error(output)))
  })
  opened.catch(() => {})
  const pid = child.pid ?? 0
  return { child, pid, dataDir, opened, exited, output: () => output, workers: () => childrenOf(pid) }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** One that has ended is not, also where nobody asks what became of it, as the first process of a container may not. */
export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** On a connection of its own, so that it may reach any of the workers. */
export const fetchAlone = (url: string) => fetch(url, { headers: { connection: 'close' } })

export const fetchJson = async (url: string): Promise<Record<string, any>> =>
  (await (await fetchAlone(url)).json()) as Record<string, any>
