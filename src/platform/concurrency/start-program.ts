import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { readMessages } from './message-stream.ts'
import type { TaskAnswer } from './serve-tasks.ts'

export interface ProgramOptions {
  /** Calls `serveTasks`. */
  readonly program: URL
  /** Given to the program as its first argument, in JSON. */
  readonly programOptions: unknown
  /**
   * Files and folders that the program reads. Node's permission model forbids all others to its JavaScript, as well as
   * writing, starting processes and, from Node 25 on, the network. It does not restrict native code.
   */
  readonly readablePaths: readonly string[]
}

export interface ProgramHandlers {
  /** Bytes that an answer may have now. */
  countMaxBytes(child: ChildProcess): number
  handleAnswer(child: ChildProcess, answer: TaskAnswer, bytes: Buffer | undefined): void
  /** It could not be started, or it sent an invalid answer. */
  handleError(child: ChildProcess, error: Error): void
  handleExit(child: ChildProcess, code: number | null, signal: string | null): void
}

/**
 * Nothing of the service's environment, and so no secret. The first two values keep the memory of native code small. The
 * last one asks Linux for large pages of 2 MB: a new buffer for the pixels of a large photo has 9000 small pages.
 */
const environment = {
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
}

/** Starts a process that may do little more than compute. Messages go through its standard input and output. */
export function startProgram(options: ProgramOptions, handlers: ProgramHandlers): ChildProcess {
  const { program, programOptions, readablePaths } = options
  const nodeOptions = ['--no-warnings', '--permission', '--allow-addons']
  const readable = readablePaths.map((path) => `--allow-fs-read=${path}`)
  const args = [...nodeOptions, ...readable, fileURLToPath(program), JSON.stringify(programOptions)]
  const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  preferAsVictim(child)
  const { countMaxBytes, handleAnswer, handleError, handleExit } = handlers
  const { stdin, stdout } = child
  // Its exit reports that it has ended.
  stdin?.on('error', () => {})
  stdout?.on('error', (error) => handleError(child, error))
  const receive = (answer: TaskAnswer, bytes: Buffer | undefined) => handleAnswer(child, answer, bytes)
  if (stdout) readMessages(stdout, () => countMaxBytes(child), receive)
  child.on('error', (error) => handleError(child, error))
  // Not at its exit: its last answer may arrive after that.
  child.on('close', (code, signal) => handleExit(child, code, signal))
  return child
}

/** If memory runs out, Linux ends this process, which has one image, rather than the service. */
function preferAsVictim({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Other systems have no such file, and the process may have ended.
  }
}

/** In which Linux counts CPU time. */
const TICK_MS = 10

/** CPU time so far in milliseconds. NaN if it is unknown: only Linux tells it. */
export function readCpuMs({ pid }: ChildProcess): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    const [user, system] = afterName.split(' ').slice(11).map(Number)
    return (user! + system!) * TICK_MS
  } catch {
    return Number.NaN
  }
}
