// What the check of the image needs from a container engine: building, and running with the least rights.
import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

export interface ImageConfig {
  readonly user: string
  readonly labels: Record<string, string>
  /** The command of HEALTHCHECK. */
  readonly healthCommand: readonly string[]
}

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Container {
  /** Runs a program inside, with the rights of the service. */
  exec(command: readonly string[]): Promise<Outcome>
  /** Sends SIGTERM. Returns the exit code, or undefined if the service still runs after this many seconds. */
  stop(seconds: number): Promise<number | undefined>
}

export interface Engine {
  readonly name: string
  /** `architecture` is one of Docker: amd64, arm64. */
  build(architecture: string, buildArguments: Readonly<Record<string, string>>): Promise<void>
  /** Of the image of this machine's architecture. */
  readConfig(): Promise<ImageConfig>
  /** Lists the names in a folder of the image. */
  listFolder(architecture: string, path: string): Promise<string[]>
  /**
   * Starts the image of this machine's architecture without settings: root file system read-only, no capabilities, and
   * only two places to write, a tmpfs at /tmp and a volume at /data. The volume is the same at each start.
   */
  start(): Promise<Container>
  /** Stops what still runs, and removes images, volume and temporary files. */
  [Symbol.asyncDispose](): Promise<void>
}

export const MACHINE = { x64: 'amd64', arm64: 'arm64' }[process.arch as string] ?? process.arch

/** A build downloads packages, which takes minutes on a slow network. Nothing else takes as long. */
const COMMAND_TIMEOUT_MS = 10 * 60_000

export function run(program: string, args: readonly string[], options: { cwd?: string } = {}): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const limits = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 }
  execFile(program, args, { ...limits, ...options }, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
    resolve({ code, stdout, stderr: stderr || (error?.message ?? '') })
  })
  return promise
}

/** Returns the output. Fails with the last lines of the program if its exit code is not 0. */
export async function runOrFail(program: string, args: readonly string[], options: { cwd?: string } = {}) {
  const { code, stdout, stderr } = await run(program, args, options)
  if (code === 0) return stdout
  const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n')
  throw new Error(`${program} ${args.slice(0, 4).join(' ')} … ended with code ${code}:\n${lines}`)
}
