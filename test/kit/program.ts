import { spawn } from 'node:child_process'

export interface ProgramResult {
  readonly status: number | null
  /** Standard output and standard error in the order of arrival. */
  readonly output: string
}

/** Runs a program without blocking, so that a service in this process can answer it. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<ProgramResult> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const status = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  return { status, output }
}
