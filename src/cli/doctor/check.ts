// Defines the checks of the command `doctor`, and runs them.
import type { Config } from '../../config/config.ts'
import { withTimeout } from '../../platform/concurrency/index.ts'
import type { Settings } from '../load-settings.ts'
import { describeError } from '../text.ts'

/** An `error` breaks something. A `warning` is a risk; the service still works. */
export type Level = 'ok' | 'warning' | 'error'

export interface Finding {
  readonly level: Level
  readonly text: string
  /** How to fix it: a command or a setting that can be copied. */
  readonly fix?: string | undefined
  /** For problems in the content: a path relative to CONTENT_DIR. */
  readonly file?: string
  readonly line?: number | undefined
  readonly rule?: string
}

export interface CheckContext {
  readonly settings: Settings
  readonly config: Config
  /** Formats a call of this program that can be copied. */
  formatCommand(words: string): string
  /** Aborts when the time of the check is over. */
  readonly signal: AbortSignal
}

/** One finding, or a list from which `false` is removed. */
export type Findings = Finding | readonly (Finding | false)[]

export interface Check {
  readonly name: string
  readonly timeoutMs?: number
  run(context: CheckContext): Promise<Findings> | Findings
}

export const ok = (text: string): Finding => ({ level: 'ok', text })
export const warning = (text: string, fix: string): Finding => ({ level: 'warning', text, fix })
export const error = (text: string, fix?: string): Finding => ({ level: 'error', text, fix })

export const listFindings = (findings: Findings): Finding[] => [findings].flat().filter((finding) => finding !== false)

/** The text as `ok` if there are no findings. */
export const orOk = (findings: readonly (Finding | false)[], text: string): Findings =>
  findings.some(Boolean) ? findings : ok(text)

/** Far more than a check needs on a working machine. */
const DEFAULT_TIMEOUT_MS = 8000

export interface CheckedFinding extends Finding {
  readonly check: string
}

type SharedContext = Omit<CheckContext, 'signal'>

/** Runs the checks one after another. A check that fails or hangs does not stop the others. */
export async function runChecks(
  checks: readonly Check[],
  context: SharedContext,
  onProgress: (done: number, total: number) => void,
): Promise<CheckedFinding[]> {
  const findings: CheckedFinding[] = []
  for (const [index, check] of checks.entries()) {
    onProgress(index, checks.length)
    const found = listFindings(await runCheck(check, context))
    findings.push(...found.map((finding) => ({ check: check.name, ...finding })))
  }
  return findings
}

async function runCheck(check: Check, context: SharedContext): Promise<Findings> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = check
  const timeout = new AbortController()
  const run = async () => check.run({ ...context, signal: timeout.signal })
  try {
    return await withTimeout(timeoutMs, run(), () => {
      timeout.abort()
      return error(`This check did not finish within ${timeoutMs / 1000} seconds. A disk or a host may hang.`)
    })
  } catch (cause) {
    return error(describeError(cause) ?? `This check failed: ${(cause as Error).message}.`)
  }
}
