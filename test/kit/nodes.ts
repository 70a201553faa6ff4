import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createTokens, scopes } from '../../src/features/access/index.ts'
import { openStore } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { rememberingLog } from './log.ts'
import { PROGRAM, ROOT } from './root.ts'
import type { Scope } from './scope.ts'

export interface ServiceNode {
  readonly url: string
  readonly child: ChildProcess
  fetch(path: string, init?: RequestInit): Promise<Response>
  json<T = Record<string, any>>(path: string, init?: RequestInit): Promise<{ status: number; body: T }>
  /** Without a warning. */
  kill(): Promise<void>
}

/** The service as a process of its own, with a data folder of its own where none is given. */
export async function startNode(t: Scope, settings: Record<string, string>): Promise<ServiceNode> {
  const DATA_DIR = settings.DATA_DIR ?? (await temporaryFolder(t))
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT: 'off', ...settings, DATA_DIR },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += text
      const found = /Service +(http:\S+)\/api/.exec(output)?.[1]
      if (found) resolve(found)
    })
    child.once('exit', () => reject(new Error(output)))
  })
  const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  return {
    url,
    child,
    kill,
    fetch: ask,
    json: async <T>(path: string, init?: RequestInit) => {
      const response = await ask(path, init)
      return { status: response.status, body: (await response.json()) as T }
    },
  }
}

/** Headers of an operator whose token was made by a command on another machine. */
export async function operatorOf(storeUrl: string): Promise<Record<string, string>> {
  const store = openStore(storeUrl, { dataDir: '', log: rememberingLog() })
  try {
    const { text } = await createTokens(store.tokens).create('a test', scopes, null)
    return { authorization: `Bearer ${text}`, 'content-type': 'application/json' }
  } finally {
    await store.close()
  }
}
