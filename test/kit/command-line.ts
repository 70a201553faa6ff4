import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { run as runCommand } from '../../src/cli/run.ts'
import { temporaryFolder } from './folder.ts'
import { PROGRAM, ROOT } from './root.ts'
import type { Scope } from './scope.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Calls {
  run(...words: string[]): Promise<Ran>
  /** Expects success; the object that --json prints, which must be all there is on standard output. */
  json<T = Record<string, any>>(...words: string[]): Promise<T>
  /** Expects nothing on standard output, and one sentence, which it returns; the exit code is 2 where the words are wrong. */
  refusal(...words: string[]): Promise<string>
}

export interface CommandLine extends Calls {
  /** Where the commands run; relative paths are of files in it. */
  readonly folder: string
  readonly contentDir: string
  readonly dataDir: string
  readonly env: Record<string, string>
  /** The same calls without a process of their own, which takes half a second; paths must be absolute. */
  readonly here: Calls
}

/** The command line as a process of its own a call, with folders of its own; no setting of this machine reaches it. */
export async function commandLine(t: Scope, settings: Record<string, string> = {}): Promise<CommandLine> {
  const folder = await temporaryFolder(t)
  const env = {
    PATH: process.env.PATH ?? '',
    // As the start script does: what Node makes of the sources is kept for the next call.
    NODE_COMPILE_CACHE: join(ROOT, '.runtime', 'compile-cache'),
    CONTENT_DIR: join(folder, 'content'),
    DATA_DIR: join(folder, 'data'),
    ...settings,
  }
  await mkdir(env.CONTENT_DIR, { recursive: true })

  const run = (...words: string[]) =>
    new Promise<Ran>((resolve) => {
      execFile(process.execPath, [PROGRAM, ...words], { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr })
      })
    })
  const runHere = async (...words: string[]): Promise<Ran> => {
    const stdin = new PassThrough()
    const [stdout, stderr] = [collector(), collector()]
    const code = await runCommand(words, { stdin, stdout: stdout.stream, stderr: stderr.stream, environment: env })
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }
  return { folder, contentDir: env.CONTENT_DIR, dataDir: env.DATA_DIR, env, ...callsOf(run), here: callsOf(runHere) }
}

const callsOf = (run: Calls['run']): Calls => ({
  run,
  async json(...words) {
    const { code, stdout, stderr } = await run(...words, '--json')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^\{"success":true.*\}\n$/)
    return JSON.parse(stdout)
  },
  refusal: async (...words) => sentenceOf(await run(...words)),
})

function sentenceOf({ code, stdout, stderr }: Ran): string {
  assert.equal(stdout, '')
  const [sentence = '', ...rest] = stderr.trimEnd().split('\n')
  assert.match(sentence, /^menagerie: .*[.?\]]$/)
  assert.ok(rest.length === 0 || rest.join() === 'Try --help.', stderr)
  assert.equal(code, rest.length === 0 ? 1 : 2, stderr)
  return sentence.slice('menagerie: '.length)
}

function collector() {
  const stream = new PassThrough()
  return { stream, text: () => String(stream.read() ?? '') }
}
