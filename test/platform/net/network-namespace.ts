// A network namespace in which every address is local: every connection reaches a listener of the test.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Scope } from '../../kit/scope.ts'

const hasIp = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'ip')))

/** Why this machine cannot create a namespace; undefined if it can. */
export function explainMissingNamespace(): string | undefined {
  if (process.platform !== 'linux' || !hasIp) return 'SKIPPED: needs Linux with iproute2'
  if (process.getuid?.() !== 0) return 'SKIPPED: creating a network namespace needs root'
  const name = `menagerie-try-${process.pid}`
  try {
    ip('netns', 'add', name)
    ip('netns', 'delete', name)
    return undefined
  } catch (error) {
    return `SKIPPED: no network namespace can be created here: ${String(error).split('\n')[0]}`
  }
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })

/** Runs a test file in a new namespace; resolves to its exit code and output. */
export async function runInNamespace(t: Scope, file: string, environment: Record<string, string>) {
  const name = `menagerie-${process.pid}`
  ip('netns', 'add', name)
  t.after(() => void ip('netns', 'delete', name))
  ip('-n', name, 'link', 'set', 'lo', 'up')
  ip('-n', name, 'route', 'add', 'local', 'default', 'dev', 'lo')
  ip('-n', name, '-6', 'route', 'add', 'local', 'default', 'dev', 'lo')
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const args = ['netns', 'exec', name, process.execPath, '--test-reporter=spec', '--test-timeout=240000', file]
  const child = spawn('ip', args, { env: { ...inherited, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
