import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from '../../src/cli/run.ts'
import { temporaryFolder } from './folder.ts'
import { PROGRAM, ROOT } from './root.ts'
import type { Scope } from './scope.ts'

export interface Exit {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Calls {
  run(...words: string[]): Promise<Exit>
  /** Expects success. Returns the object that --json prints, which must be the only output on standard output. */
  json<T = Record<string, any>>(...words: string[]): Promise<T>
  /** Expects failure with a one-line message, which it returns. The exit code must be 2 if "Try: … --help" follows it. */
  fail(...words: string[]): Promise<string>
}

/** Runs commands in this process, with its own folders and without the settings of this machine. */
export interface CommandLine extends Calls {
  readonly folder: string
  readonly contentDir: string
  readonly dataDir: string
  readonly env: Record<string, string>
  /** The absolute path of a file in `folder`. */
  file(name: string): string
  /** Runs a command with other values in its environment, and with this text on standard input. */
  runWith(environment: Record<string, string>, words: string[], input?: string): Promise<Exit>
  /** The same calls, each in a process of its own that starts in `folder`. Slower by 0.2 seconds. */
  readonly program: Calls
}

export async function commandLine(t: Scope, settings: Record<string, string> = {}): Promise<CommandLine> {
  const folder = await temporaryFolder(t)
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache'),
    CONTENT_DIR: join(folder, 'content'),
    DATA_DIR: join(folder, 'data'),
    ...settings,
  }
  await mkdir(env.CONTENT_DIR, { recursive: true })

  const runWith = async (environment: Record<string, string>, words: string[], input?: string): Promise<Exit> => {
    const stdin = new PassThrough()
    if (input !== undefined) stdin.end(input)
    const [stdout, stderr] = [collectOutput(), collectOutput()]
    const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
    const code = await run(words, { ...streams, environment: { ...env, ...environment } })
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }
  const runProgram = (...words: string[]) =>
    new Promise<Exit>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...words], { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      })
    })
  return {
    ...{ folder, contentDir: env.CONTENT_DIR, dataDir: env.DATA_DIR, env },
    file: (name) => join(folder, name),
    runWith,
    ...createCalls((...words) => runWith({}, words)),
    program: createCalls(runProgram),
  }
}

const createCalls = (run: Calls['run']): Calls => ({
  run,
  async json(...words) {
    const { code, stdout, stderr } = await run(...words, '--json')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^\{"success":true.*\}\n$/)
    return JSON.parse(stdout)
  },
  fail: async (...words) => readMessage(await run(...words)),
})

function readMessage({ code, stdout, stderr }: Exit): string {
  assert.equal(stdout, '')
  const [message = '', ...rest] = stderr.trimEnd().split('\n')
  assert.match(message, /^menagerie: .*[.?\]]$/)
  assert.ok(rest.length === 0 || /^Try: .* --help$/.test(rest.join()), stderr)
  assert.equal(code, rest.length === 0 ? 1 : 2, stderr)
  return message.slice('menagerie: '.length)
}

function collectOutput() {
  const stream = new PassThrough()
  const text = () => {
    let all = ''
    // One call returns one chunk.
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) all += chunk
    return all
  }
  return { stream, text }
}
