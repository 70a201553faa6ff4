import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

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

/** Nothing of the service's environment, and so no secret. The values keep the memory of native code small. */
const environment = { UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '1' }

/** Starts a process that may do little more than compute. Messages go through its standard input and output. */
export function startProgram({ program, programOptions, readablePaths }: ProgramOptions): ChildProcess {
  const nodeOptions = ['--no-warnings', '--permission', '--allow-addons']
  const readable = readablePaths.map((path) => `--allow-fs-read=${path}`)
  const args = [...nodeOptions, ...readable, fileURLToPath(program), JSON.stringify(programOptions)]
  const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  preferAsVictim(child)
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
