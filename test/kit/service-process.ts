import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTokens, scopes } from '../../src/features/access/index.ts'
import { openStore } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { createTestLog } from './log.ts'
import { PROGRAM, ROOT } from './root.ts'
import type { Scope } from './scope.ts'
import { PATIENT } from './store.ts'
import { passTurns } from './turns.ts'
import { until } from './until.ts'

export interface ServiceProcess {
  readonly child: ChildProcess
  readonly pid: number
  readonly dataDir: string
  /** Resolves to the URL; rejects with the output if the process ends before. */
  readonly opened: Promise<string>
  readonly exited: Promise<number | null>
  /** The output so far, of both streams. */
  output(): string
  /** The process ids of the workers, the oldest first. */
  workers(): Promise<number[]>
}

/**
 * Starts the service like an operator does, on a free port, and kills it after the test. With `folder`, it starts there,
 * and DATA_DIR and STORE_URL are in a file `.env` instead of the environment. `wrapper` is a command that runs the command after it.
 */
export async function spawnService(
  t: Scope,
  settings: Record<string, string> = {},
  folder?: string,
  wrapper: readonly string[] = [],
): Promise<ServiceProcess> {
  const dataDir = settings.DATA_DIR ?? (await temporaryFolder(t))
  const { STORE_URL: storeUrl = '', ...others } = settings
  if (folder !== undefined) await writeFile(join(folder, '.env'), `DATA_DIR=${dataDir}\nSTORE_URL=${storeUrl}\n`)
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache'),
    // All requests of a load test come from one address.
    RATE_LIMIT: 'off',
    PORT: '0',
    ...(folder === undefined ? { ...settings, DATA_DIR: dataDir } : others),
  }
  const [command = '', ...args] = [...wrapper, process.execPath, PROGRAM, 'serve']
  const child = spawn(command, args, { cwd: folder ?? ROOT, env, stdio: 'pipe' })
  child.stdin.end()
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  // With the output that the process has written before.
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => void passTurns().then(() => resolve(code))),
  )
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
  return { child, pid, dataDir, opened, exited, output: () => output, workers: () => readChildren(pid) }
}

export async function readChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** A zombie is not alive: in a container the first process may not collect the exit codes of its children. */
export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Uses a new connection, which may reach any of the workers. */
export const fetchOnce = (url: string) => fetch(url, { headers: { connection: 'close' } })

export const fetchJson = async (url: string): Promise<Record<string, any>> =>
  (await (await fetchOnce(url)).json()) as Record<string, any>

export interface ServiceNode {
  readonly url: string
  readonly child: ChildProcess
  fetch(path: string, init?: RequestInit): Promise<Response>
  json<T = Record<string, any>>(path: string, init?: RequestInit): Promise<{ status: number; body: T }>
  /** Sends SIGKILL and waits for the end of the process. */
  kill(): Promise<void>
}

/** Starts the service as one of several nodes, and waits until it serves. */
export async function startNode(t: Scope, settings: Record<string, string>): Promise<ServiceNode> {
  const { child, opened, exited } = await spawnService(t, { LOG_LEVEL: 'warn', ...settings })
  const url = await opened
  const fetchPath = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  return {
    url,
    child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    fetch: fetchPath,
    json: async <T>(path: string, init?: RequestInit) => {
      const response = await fetchPath(path, init)
      return { status: response.status, body: (await response.json()) as T }
    },
  }
}

/** Creates an operator token in the store, and returns request headers with it. */
export async function createOperatorHeaders(storeUrl: string): Promise<Record<string, string>> {
  const store = await openStore(storeUrl, { dataDir: '', log: createTestLog(), ...PATIENT })
  try {
    await until(async () => (await store.health()).ok)
    const { secret } = await createTokens(store.tokens).create('a test', scopes, null)
    return { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  } finally {
    await store.close()
  }
}
